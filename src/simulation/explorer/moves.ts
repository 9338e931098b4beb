import { CallMoves, hearNews, withNews } from './call-moves.ts';
import type { Call, Contender, Local, Message, Scope, Shared } from './model.ts';
import { componentName } from './model.ts';
import type { Emit, Move, TurnFrom } from './move.ts';
import { shiftVersions } from './normalise.ts';
import type { Participants } from './participant.ts';
import { edit } from './store.ts';

type TurnOf = (change: Partial<Local>, from: string, to: string, message: Message) => Local;

const without = <T>(values: readonly T[], at: number): T[] => values.filter((_, index) => index !== at);
const replaced = <T>(values: readonly T[], at: number, value: T): T[] =>
  values.map((before, index) => (index === at ? value : before));

/** Every move of one participant, given what the store holds. */
export function* movesOf(
  scope: Scope,
  participants: Participants,
  local: Local,
  shared: Shared,
  isHolder: boolean,
): Generator<Move> {
  const moves: Move[] = [];
  const emit: Emit = (move) => {
    if (move.isFault === true && shared.faultsLeft === 0) return;
    const left = (move.shared ?? shared).faultsLeft - (move.isFault === true ? 1 : 0);
    moves.push({
      takesLease: false,
      moved: null,
      isFault: false,
      othersLate: false,
      broken: null,
      ...move,
      shared: { ...(move.shared ?? shared), faultsLeft: left },
    });
  };
  const turn: TurnFrom = (from, change, ...rest) => participants.turn(from, change, ...rest);
  const calls = new CallMoves(scope, turn, local, shared, isHolder, emit);
  for (let at = 0; at < local.calls.length; at++) calls.of(at);
  if (local.status === 'down') emit({ label: 'starts again', local: { ...participants.fresh(), calls: local.calls } });
  if (local.status === 'paused') emit({ label: 'goes on', local: thawed(turn, local) });
  if (local.status === 'up') upMoves(participants, local, shared, isHolder, emit);
  yield* moves;
}

/** The first thing that a thawed process does is to run the timers that are overdue; its deadline is among them. */
function thawed(turn: TurnFrom, local: Local): Local {
  const up: Local = { ...local, status: 'up' };
  const at = up.timers.findIndex(({ owner, dueIn }) => owner === 'validity' && dueIn <= 0);
  if (at < 0) return up;
  const { owner = '', id = '' } = up.timers[at] ?? {};
  return turn(up, { timers: without(up.timers, at) }, 'clock', owner, {
    type: 'timer.elapsed',
    id,
    nowMs: 0,
  } as Message);
}

function upMoves(participants: Participants, local: Local, shared: Shared, isHolder: boolean, emit: Emit): void {
  const turn = (change: Partial<Local>, from: string, to: string, message: Message): Local =>
    participants.turn(local, change, from, to, message);
  local.calls.forEach((call, at) => {
    if (call.state !== 'answered' || call.answer === null) return;
    const message = { ...call.answer, sentAtMs: call.sentAtMs, answeredAtMs: 0, nowMs: 0 };
    emit({
      label: `store → ${call.to} ${call.answer.type}`,
      local: turn({ calls: without(local.calls, at) }, 'store', call.to, message),
    });
  });
  if (local.leaseNews || local.fenceNews || local.entryNews.includes(true)) {
    emit({
      label: 'the watch catches up',
      local: hearNews(participants.turn.bind(participants), local, shared, isHolder),
    });
  }
  local.timers.forEach((timer, at) => {
    if (timer.dueIn > 0) return;
    const message = { type: 'timer.elapsed', id: timer.id, nowMs: 0 } as Message;
    const change = { timers: without(local.timers, at) };
    emit({ label: `clock → ${timer.owner} ${timer.id}`, local: turn(change, 'clock', timer.owner, message) });
  });
  local.contenders.forEach((contender, at) => {
    contenderMoves(local, contender, at, turn, emit);
  });
  userMoves(participants.turn.bind(participants), local, shared, isHolder, emit);
}

function contenderMoves(local: Local, contender: Contender, at: number, turn: TurnOf, emit: Emit): void {
  if (contender.session === '') return;
  const [from, to] = [`contender:${componentName(at)}`, `leadership:${componentName(at)}`];
  const { session: sessionId, toldToStop, hasConfirmed, open } = contender;
  const settled = (outcome: 'returned' | 'failed'): Local =>
    turn(
      { contenders: replaced(local.contenders, at, { session: '', toldToStop: false, hasConfirmed: false, open }) },
      from,
      to,
      { type: 'contender.settled', sessionId, outcome } as Message,
    );
  if (!hasConfirmed && !toldToStop) {
    const asked = replaced(local.contenders, at, { ...contender, hasConfirmed: true, open: open + 1 });
    const reachable = { address: 'a', metadata: {} };
    const message = { type: 'contender.confirm', sessionId, confirmId: 'x', reachable } as Message;
    emit({ label: `${from} confirms`, local: turn({ contenders: asked }, from, to, message) });
  }
  if (toldToStop) emit({ label: `${from} has stopped`, local: settled('returned') });
  else emit({ label: `${from} fails`, local: settled('failed'), isFault: true });
}

function userMoves(turnFrom: TurnFrom, local: Local, shared: Shared, isHolder: boolean, emit: Emit): void {
  const turn: TurnOf = (change, ...rest) => turnFrom(local, change, ...rest);
  const election = local.actors.election;
  const isLeading = typeof election?.value === 'object' && 'leading' in election.value;
  if (isLeading) {
    const message = { type: 'step-down', requestId: 'r' } as Message;
    emit({ label: 'user → election step-down', local: turn({}, 'tenure', 'election', message) });
  }
  emit({ label: 'freezes', local: { ...local, status: 'paused' }, isFault: true });
  const stray = local.calls.filter((call) => call.state !== 'answered' && call.request.kind !== 'read');
  emit({ label: 'is killed', local: crashed(local, stray), isFault: true });
  if (!isLeading) return;
  shared.entries.forEach((token, at) => {
    for (const by of [0, -1] as const) {
      if (token === by) continue;
      const what = by === 0 ? 'deleted' : 'replaced by an old one';
      const edited = edit(shared, at, by);
      const told = withNews(shiftVersions(local, edited.moved), edited.moved);
      const heard = hearNews(turnFrom, told, edited.shared, isHolder);
      emit({ label: `somebody: entry ${componentName(at)} ${what}`, local: heard, ...edited, isFault: true });
    }
  });
}

function crashed(local: Local, calls: readonly Call[]): Local {
  return {
    status: 'down',
    actors: {},
    timers: [],
    calls: calls.map((call) => ({ ...call, state: 'stray', answer: null })),
    contenders: local.contenders.map(() => ({ session: '', toldToStop: false, hasConfirmed: false, open: 0 })),
    roster: local.roster.map(() => false),
    leaseNews: false,
    entryNews: local.entryNews.map(() => false),
    fenceNews: false,
    broken: null,
  };
}
