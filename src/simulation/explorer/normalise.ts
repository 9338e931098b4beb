import type { AnyMachineSnapshot } from 'xstate';
import type { ContainerContext, ContainerOperation, Queued } from '../../../machines/container-messages.ts';
import type { LeadershipContext } from '../../../machines/leadership-context.ts';
import type { LeaseContext } from '../../../machines/lease-messages.ts';
import type { Call, Local, Timer } from './model.ts';

/** The oldest moment that still makes a difference, in ticks: longer ago is the same as long ago. */
const LONG_AGO = -4;

type Rank = (version: bigint) => bigint;

/** Versions by rank below what the store holds now (0). A version never seen before this change keeps its place. */
function ranks(versions: Iterable<bigint>): Rank {
  const older = [...new Set([...versions].filter((version) => version < 0n))].sort((a, b) => (a > b ? -1 : 1));
  const rank = new Map(older.map((version, at) => [version, BigInt(-1 - at)]));
  return (version) => (version >= 0n ? 0n : (rank.get(version) ?? version));
}

interface Versions {
  readonly lease: (version: bigint) => bigint;
  readonly register: (version: bigint) => bigint;
}

const versioned = (value: unknown): value is { readonly version: bigint } =>
  typeof value === 'object' && value !== null && typeof (value as { version?: unknown }).version === 'bigint';

/** Rewrites every version that a participant holds, wherever it holds it. */
function mapVersions(local: Local, map: Versions): Local {
  const actors: Record<string, AnyMachineSnapshot> = {};
  for (const [address, snapshot] of Object.entries(local.actors)) actors[address] = mapActor(address, snapshot, map);
  return { ...local, actors, calls: local.calls.map((call) => mapCall(call, map)) };
}

function mapActor(address: string, snapshot: AnyMachineSnapshot, map: Versions): AnyMachineSnapshot {
  const { context } = snapshot;
  if (address === 'driver') {
    const { record } = context as LeaseContext;
    return versioned(record)
      ? withContext(snapshot, { ...context, record: { ...record, version: map.lease(record.version) } })
      : snapshot;
  }
  if (address === 'register') return withContext(snapshot, { ...context, version: map.register(context.version) });
  if (address === 'election') {
    return withContext(snapshot, { ...context, registerVersion: map.register(context.registerVersion) });
  }
  if (!address.startsWith('leadership:')) return snapshot;
  const { published, seen } = context as LeadershipContext;
  return withContext(snapshot, {
    ...context,
    published: published === null ? null : { ...published, version: map.register(published.version) },
    seen: seen === null ? null : { ...seen, version: map.register(seen.version) },
  });
}

function mapCall(call: Call, map: Versions): Call {
  const of = call.request.port === 'lease' ? map.lease : map.register;
  const { expected } = call.request;
  const request = { ...call.request, expected: expected === null ? null : of(expected) } as Call['request'];
  if (call.answer === null) return { ...call, request };
  const { version, record } = call.answer as { readonly version?: bigint; readonly record?: unknown };
  const answer = {
    ...call.answer,
    ...(version === undefined ? {} : { version: of(version) }),
    ...(versioned(record) ? { record: { ...record, version: of(record.version) } } : {}),
  };
  return { ...call, request, answer };
}

export function withContext(snapshot: AnyMachineSnapshot, context: object): AnyMachineSnapshot {
  return Object.assign(Object.create(Object.getPrototypeOf(snapshot)), snapshot, { context });
}

/** The store has been written: what was the newest is one older now. */
export function shiftVersions(local: Local, moved: { readonly lease: boolean; readonly register: boolean }): Local {
  const older: Rank = (version) => version - 1n;
  const same: Rank = (version) => version;
  return mapVersions(local, { lease: moved.lease ? older : same, register: moved.register ? older : same });
}

/** One tick later. */
export function passTick(local: Local): Local {
  const actors = { ...local.actors };
  const { driver, validity } = actors;
  if (driver !== undefined) {
    const { seenAtMs } = driver.context as LeaseContext;
    actors.driver = withContext(driver, { ...driver.context, seenAtMs: seenAtMs - 1 });
  }
  if (validity?.value === 'fresh' || validity?.value === 'suspended') {
    actors.validity = withContext(validity, {
      ...validity.context,
      deadlineMs: Math.max(-1, validity.context.deadlineMs - 1),
    });
  }
  return {
    ...local,
    actors,
    timers: local.timers.map((timer) => ({ ...timer, dueIn: Math.max(0, timer.dueIn - 1) })),
    calls: local.calls.map((call) => ({ ...call, sentAtMs: Math.max(LONG_AGO, call.sentAtMs - 1) })),
  };
}

/** The same participant in the smallest numbers: equal futures get equal keys. */
export function normalise(local: Local): Local {
  const lease: bigint[] = [];
  const register: bigint[] = [];
  const collect = (into: bigint[]) => (version: bigint) => {
    into.push(version);
    return version;
  };
  mapVersions(local, { lease: collect(lease), register: collect(register) });
  const ranked = mapVersions(local, { lease: ranks(lease), register: ranks(register) });
  return sorted(renameCounters(ranked));
}

/** Counters only name things: what is current becomes 0, what is not becomes −1. */
function renameCounters(local: Local): Local {
  const actors = { ...local.actors };
  let { timers, calls } = local;
  const { driver, register } = actors;
  if (driver !== undefined) {
    const { waits, seenAtMs, record } = driver.context as LeaseContext;
    timers = renameTimers(timers, 'driver', waits);
    // When a record was first seen is asked only of one that somebody else holds.
    const since = record?.holder === 'other' ? Math.max(LONG_AGO, seenAtMs) : 0;
    actors.driver = withContext(driver, { ...driver.context, waits: 0, seenAtMs: since });
  }
  const attempts = new Map<string, number>();
  for (const [address, snapshot] of Object.entries(actors)) {
    if (!address.startsWith('leadership:')) continue;
    const context = snapshot.context as LeadershipContext;
    attempts.set(context.component, context.attempt);
    timers = renameTimers(timers, address, context.attempt, ['retry', 'calm']);
    actors[address] = smallLeadership(snapshot, context);
  }
  if (register !== undefined) {
    const context = register.context as ContainerContext;
    timers = renameTimers(timers, 'register', context.calls);
    calls = calls.map((call) => renameCall(call, context.calls));
    actors.register = smallRegister(register, context, attempts);
  }
  const { election } = actors;
  if (election !== undefined) {
    const isCeding = typeof election.value === 'object' && 'ceding' in election.value;
    const reason = isCeding ? election.context.reason : 'lost';
    actors.election = withContext(election, { ...election.context, reason });
  }
  return { ...local, actors, timers, calls };
}

function renameTimers(timers: readonly Timer[], owner: string, current: number, names?: readonly string[]): Timer[] {
  return timers.map((timer) => {
    const [name = '', number] = timer.id.split(':');
    if (timer.owner !== owner || (names !== undefined && !names.includes(name))) return timer;
    return { ...timer, id: `${name}:${Number(number) === current ? 0 : -1}` };
  });
}

function renameCall(call: Call, current: number): Call {
  if (call.request.port === 'lease') return call;
  const id = call.request.id === current ? 0 : -1;
  const answer =
    call.answer === null
      ? null
      : {
          ...call.answer,
          ...('writeId' in call.answer ? { writeId: id } : {}),
          ...('readId' in call.answer ? { readId: id } : {}),
        };
  return { ...call, request: { ...call.request, id }, answer };
}

function smallLeadership(snapshot: AnyMachineSnapshot, context: LeadershipContext): AnyMachineSnapshot {
  const state = typeof snapshot.value === 'string' ? snapshot.value : (Object.keys(snapshot.value)[0] ?? '');
  const keepsReason = state === 'revoked' || state === 'withdrawing';
  return withContext(snapshot, {
    ...context,
    attempt: 0,
    failures: Math.min(1, context.failures),
    reason: keepsReason ? context.reason : 'lost',
    // Of a session that is over only this is asked: whether it wrote.
    ...(keepsReason ? { wanted: null, published: null, seen: null } : {}),
  });
}

function smallRegister(
  snapshot: AnyMachineSnapshot,
  context: ContainerContext,
  attempts: ReadonlyMap<string, number>,
): AnyMachineSnapshot {
  const small = (operation: ContainerOperation): ContainerOperation => ({
    ...operation,
    attempt: operation.attempt === attempts.get(operation.component) ? 0 : -1,
  });
  const queue = (queued: Queued | null): Queued | null =>
    queued === null ? null : { operation: small(queued.operation), before: queue(queued.before) };
  return withContext(snapshot, {
    ...context,
    calls: 0,
    failures: Math.min(1, context.failures),
    batch: context.batch.map(small),
    queue: queue(context.queue),
  });
}

function sorted(local: Local): Local {
  const order = <T>(values: readonly T[]): T[] =>
    values
      .map((value) => ({ value, key: text(value) }))
      .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
      .map(({ value }) => value);
  return { ...local, timers: order(local.timers), calls: order(local.calls) };
}

/** JSON that knows bigint and Map. */
export function text(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    return part instanceof Map ? [...part] : part;
  });
}

export function keyOf(local: Local): string {
  const actors = Object.entries(local.actors).map(([address, { value, status, context }]) => [
    address,
    value,
    status,
    context,
  ]);
  return text([local, actors].map((part) => (part === local ? { ...local, actors: null } : part)));
}
