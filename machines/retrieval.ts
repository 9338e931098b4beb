import { setup } from 'xstate';
import type { Fence, LeaderInformation } from './vocabulary.ts';
import { sameInformation } from './vocabulary.ts';

/**
 * What one follower knows of one component. It never goes back: an entry with a token below the newest one seen is a
 * late snapshot. A newer fence without a newer entry means that the known leader is no longer one ("superseded"):
 * followers are told "nobody" instead of being left dialling a dead address until the next leader confirms.
 */
export type RetrievalEvent =
  /** `entry: null` says that the register holds nothing for the component. */
  | {
      readonly type: 'register.changed';
      readonly version: bigint;
      readonly entry: LeaderInformation | null;
      readonly fence: Fence | null;
    }
  | { readonly type: 'fence.changed'; readonly version: bigint; readonly fence: Fence }
  | { readonly type: 'close' };

export type RetrievalCommand = {
  readonly type: 'leader.changed';
  readonly to: `follower:${string}`;
  readonly leader: LeaderInformation | null;
};

export const retrievalEvents = [
  'register.changed',
  'fence.changed',
  'close',
] as const satisfies readonly RetrievalEvent['type'][];

export interface RetrievalContext {
  readonly component: string;
  readonly version: bigint;
  readonly leader: LeaderInformation | null;
  /** Highest token met, in an entry or in a fence. */
  readonly highest: bigint;
}

const retrieval = setup({
  types: {
    context: {} as RetrievalContext,
    events: {} as RetrievalEvent,
    emitted: {} as RetrievalCommand,
    input: {} as { readonly component: string },
  },
});

interface At<E> {
  readonly context: RetrievalContext;
  readonly event: E;
}
type Changed = {
  readonly version: bigint;
  readonly entry: LeaderInformation | null;
  readonly fence: Fence | null;
};

const isOld = ({ context, event }: At<{ readonly version: bigint }>): boolean => event.version < context.version;

/** Old in version, or an entry of a session that has already been superseded. */
const isLate = (at: At<Changed>): boolean =>
  isOld(at) || (at.event.entry !== null && at.event.entry.fencingToken < at.context.highest && !isSuperseded(at));

/** The entry is of an older session than the fence beside it. */
const isSuperseded = ({ context, event }: At<Changed>): boolean =>
  event.entry !== null &&
  event.fence !== null &&
  event.fence.fencingToken > event.entry.fencingToken &&
  event.fence.fencingToken >= context.highest;

/** The first entry met may be of a session that a fence met before has ended already. */
const isSupersededFromStart = (at: At<Changed>): boolean =>
  isSuperseded(at) || (at.event.entry !== null && at.event.entry.fencingToken < at.context.highest);

const isEmpty = (at: At<Changed>): boolean => at.event.entry === null;
const isSameLeader = ({ context, event }: At<Changed>): boolean => sameInformation(context.leader, event.entry);
const isSupersededNow = ({ context, event }: At<{ readonly version: bigint; readonly fence: Fence }>): boolean =>
  event.version >= context.version && context.leader !== null && event.fence.fencingToken > context.leader.fencingToken;

const take = retrieval.assign(({ context, event }) => {
  if (event.type === 'close') return {};
  const version = max([context.version, event.version]);
  const tokens = [context.highest, event.fence?.fencingToken ?? 0n];
  if (event.type === 'fence.changed') return { version, highest: max(tokens) };
  tokens.push(event.entry?.fencingToken ?? 0n);
  return { version, highest: max(tokens), leader: event.entry };
});

function max(values: readonly bigint[]): bigint {
  let highest = 0n;
  for (const value of values) if (value > highest) highest = value;
  return highest;
}

const tellLeader = retrieval.emit(({ context }) => ({
  type: 'leader.changed',
  to: `follower:${context.component}` as const,
  leader: context.leader,
}));
const tellNobody = retrieval.emit(({ context }) => ({
  type: 'leader.changed',
  to: `follower:${context.component}` as const,
  leader: null,
}));

const closes = { target: 'closed' } as const;

export const retrievalMachine = retrieval.createMachine({
  id: 'retrieval',
  context: ({ input }) => ({ component: input.component, version: 0n, leader: null, highest: 0n }),
  options: { maxIterations: 100 },
  initial: 'unknown',
  states: {
    unknown: {
      on: {
        'register.changed': [
          { guard: isEmpty, target: 'vacant', actions: [take, tellNobody] },
          { guard: isSupersededFromStart, target: 'superseded', actions: [take, tellNobody] },
          { target: 'known', actions: [take, tellLeader] },
        ],
        'fence.changed': { actions: [take] },
        close: closes,
      },
    },
    vacant: {
      on: {
        'register.changed': [
          { guard: isLate },
          { guard: isEmpty, actions: [take] },
          { guard: isSuperseded, target: 'superseded', actions: [take] },
          { target: 'known', actions: [take, tellLeader] },
        ],
        'fence.changed': { actions: [take] },
        close: closes,
      },
    },
    known: {
      on: {
        'register.changed': [
          { guard: isLate },
          { guard: isEmpty, target: 'vacant', actions: [take, tellNobody] },
          { guard: isSuperseded, target: 'superseded', actions: [take, tellNobody] },
          { guard: isSameLeader, actions: [take] },
          { actions: [take, tellLeader] },
        ],
        'fence.changed': [{ guard: isSupersededNow, target: 'superseded', actions: [take, tellNobody] }, {}],
        close: closes,
      },
    },
    superseded: {
      on: {
        'register.changed': [
          { guard: isLate },
          { guard: isEmpty, target: 'vacant', actions: [take] },
          { guard: isSuperseded, actions: [take] },
          { target: 'known', actions: [take, tellLeader] },
        ],
        'fence.changed': { actions: [take] },
        close: closes,
      },
    },
    closed: { type: 'final' },
  },
});
