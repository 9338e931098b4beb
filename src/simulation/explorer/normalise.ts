import type { ContainerContext, ContainerOperation, Queued } from '../../../machines/container-messages.ts';
import { beginSession, type LeadershipContext } from '../../../machines/leadership-context.ts';
import type { LeaseContext } from '../../../machines/lease-messages.ts';
import type { Cell, Cells } from './cells.ts';
import type { Local } from './local.ts';
import type { ContainerCall, LeaseCall, Message } from './model.ts';
import { DRIVER, LEADERSHIP, REGISTER, VALIDITY } from './model.ts';
import { type Call, isGivenUp, type Parts, type Timer } from './parts.ts';
import { ranks, type VersionMap } from './versions.ts';

interface Is {
  readonly cells: Cells;
  readonly parts: Parts;
}

/** The oldest sighting of a foreign record that still makes a difference: longer ago is the same as long ago. */
const LONG_SEEN = -4;

/** The same participant in the smallest numbers: equal futures get equal keys. */
export function normalise(is: Is, local: Local): Local {
  const { cells, timers, calls } = named(is, local);
  const living = calls.filter((call) => !isDead(call));
  const map = ranksIn(cells, living);
  const ranked = map === null ? living : living.map((call) => is.parts.mapCall(call, map));
  const { status, contenders, roster, news, broken, story } = local;
  return {
    status,
    contenders,
    roster,
    news,
    broken,
    story,
    cells: map === null ? cells : cells.map((cell) => is.cells.mapVersions(cell, map)),
    timers: timers.length < 2 ? timers : timers.sort(byId),
    calls: ranked.length < 2 ? ranked : ranked.sort(byId),
  };
}

const byId = (a: { readonly id: number }, b: { readonly id: number }): number => a.id - b.id;

/** Names a version that has been overtaken: whenever it arrives, nothing comes of it. */
function isDead(call: Call): boolean {
  const { expected } = call.request.call;
  return isGivenUp(call) && expected !== null && expected < 0n;
}

function ranksIn(cells: readonly Cell[], calls: readonly Call[]): VersionMap | null {
  const lease: bigint[] = [];
  const container: bigint[] = [];
  for (const { negatives } of cells) {
    if (negatives.lease.length > 0) lease.push(...negatives.lease);
    if (negatives.container.length > 0) container.push(...negatives.container);
  }
  for (const { request, answer } of calls) {
    const into = request.call.port === 'lease' ? lease : container;
    const { expected } = request.call;
    if (expected !== null && expected < 0n) into.push(expected);
    if (answer !== null) into.push(...answer.negatives);
  }
  return lease.length + container.length === 0 ? null : ranks(lease, container);
}

/** Counters only name things: what is current becomes 0, what is not becomes −1. */
function named({ cells: known, parts }: Is, local: Local): { cells: Cell[]; timers: Timer[]; calls: Call[] } {
  const cells = [...local.cells];
  if (cells.length === 0) return { cells, timers: [], calls: local.calls.map((call) => renameCall(parts, call, null)) };
  let attempts = '';
  for (let place = 0; place < cells.length; place++) {
    const cell = cells[place] as Cell;
    if (place >= LEADERSHIP) attempts += `${(cell.snapshot.context as LeadershipContext).attempt},`;
    if (place !== REGISTER) cells[place] = cell.small ?? small(known, cell);
  }
  const register = local.cells[REGISTER] as Cell;
  const { calls: current } = register.snapshot.context as ContainerContext;
  cells[REGISTER] = known.derive(register, `S${attempts}`, (context) => smallRegister(context, attempts.split(',')));
  return {
    cells,
    timers: local.timers.map((timer) => renameTimer(parts, timer, local.cells)),
    calls: local.calls.map((call) => renameCall(parts, call, current)),
  };
}

function small(cells: Cells, cell: Cell): Cell {
  const made = cells.derive(cell, 'S', (context: object) => smallContext(cell, context));
  cell.small = made;
  return made;
}

function smallContext(cell: Cell, context: object): object {
  switch (cell.machine) {
    case 'driver':
      return smallDriver(context as LeaseContext, topState(cell));
    case 'election':
      return smallElection(context, cell);
    case 'leadership':
      return smallLeadership(context, cell);
    default:
      return context;
  }
}

function smallDriver(context: LeaseContext, state: string): object {
  // When a record was first seen is asked only of one that somebody else holds.
  const seenAtMs = context.record?.holder === 'other' ? Math.max(LONG_SEEN, context.seenAtMs) : 0;
  const asked = state === 'contending' ? context.asked : null;
  return { ...context, waits: 0, seenAtMs, asked };
}

const topState = ({ snapshot: { value } }: Cell): string =>
  typeof value === 'string' ? value : (Object.keys(value)[0] ?? '');

function smallElection(context: object, cell: Cell): object {
  const { reason } = context as { readonly reason: string };
  return { ...context, reason: topState(cell) === 'ceding' ? reason : 'lost' };
}

function smallLeadership(context: object, cell: Cell): object {
  const is = context as LeadershipContext;
  const small = { ...is, attempt: 0, failures: Math.min(1, is.failures), reason: 'lost' };
  switch (topState(cell)) {
    case 'revoked':
    case 'withdrawing':
      // Of a session that is over only this is asked: whether it wrote.
      return { ...small, reason: is.reason, wanted: null, published: null, seen: null };
    case 'standby':
    case 'resting':
    case 'closed':
      // The next session starts with nothing of the former one.
      return { ...small, ...beginSession(is, null as never), leaving: is.leaving };
    default:
      return small;
  }
}

function smallRegister(context: ContainerContext, attempts: readonly string[]): object {
  const smallOne = (operation: ContainerOperation): ContainerOperation => ({
    ...operation,
    attempt: String(operation.attempt) === attempts[Number(operation.component.slice(1))] ? 0 : -1,
  });
  const queue = (queued: Queued | null): Queued | null =>
    queued === null ? null : { operation: smallOne(queued.operation), before: queue(queued.before) };
  return {
    ...context,
    calls: 0,
    failures: Math.min(1, context.failures),
    batch: context.batch.map(smallOne),
    queue: queue(context.queue),
  };
}

/** Counter of its owner that the name of a timer ends with; `null` where it ends with something else. */
function counterOf({ owner, name }: Timer, cells: readonly Cell[]): number | null {
  const context = cells[owner]?.snapshot.context;
  if (owner === DRIVER) return (context as LeaseContext).waits;
  if (owner === REGISTER) return (context as ContainerContext).calls;
  if (owner === VALIDITY || (name !== 'retry' && name !== 'calm')) return null;
  return (context as LeadershipContext).attempt;
}

function renameTimer(parts: Parts, timer: Timer, cells: readonly Cell[]): Timer {
  const counter = counterOf(timer, cells);
  if (counter === null) return timer;
  const { owner, name, dueIn } = timer;
  if (timer.number === String(counter)) {
    timer.current ??= parts.timer(owner, name, '0', dueIn);
    return timer.current;
  }
  timer.stale ??= parts.timer(owner, name, '-1', dueIn);
  return timer.stale;
}

function renameCall(parts: Parts, call: Call, current: number | null): Call {
  const asked = call.request.call;
  if (asked.port === 'lease') return call;
  // Nobody hears the answer of a stray.
  const id = asked.id === current && !isGivenUp(call) ? 0 : -1;
  if (id === asked.id) return call;
  const rename = (request: LeaseCall | ContainerCall) => ({ ...(request as ContainerCall), id });
  const renamed = (message: Message): Message => ({
    ...message,
    ...('writeId' in message ? { writeId: id } : {}),
    ...('readId' in message ? { readId: id } : {}),
  });
  const request = parts.requestFrom(call.request, `#${id}`, rename);
  return parts.call(call.state, request, call.sentAtMs, call.answer && parts.noteFrom(call.answer, `#${id}`, renamed));
}
