import { setup } from 'xstate';
import type { TimerCommand, TimerElapsed } from './vocabulary.ts';

/**
 * Until when a session is provably ours. The deadline counts from the *send* time of the newest acknowledged heartbeat,
 * never from its answer: the store may have applied it at once and the answer may have been held up for long.
 *
 *   send 0 s … applied 0 s … answer 9 s → others may take over at 15 s, not at 24 s.
 *
 * All times are on the scale of `Clock.deadlineNowMs`.
 */
export type ValidityEvent =
  | { readonly type: 'validity.begin'; readonly sessionId: string; readonly sentAtMs: number }
  | { readonly type: 'heartbeat.acknowledged'; readonly sessionId: string; readonly sentAtMs: number }
  | { readonly type: 'heartbeat.missed'; readonly sessionId: string }
  /** Asked at every use; `nowMs` on the deadline scale. */
  | { readonly type: 'validity.check'; readonly nowMs: number }
  | { readonly type: 'validity.end'; readonly sessionId: string }
  | TimerElapsed;

type ToLease = { readonly to: 'driver' };
type ToElection = { readonly to: 'election' };
export type ValidityCommand =
  | ({ readonly type: 'suspended'; readonly sessionId: string } & ToElection)
  | ({ readonly type: 'resumed'; readonly sessionId: string } & ToElection)
  | ({ readonly type: 'lapsed'; readonly sessionId: string } & (ToElection | ToLease))
  | TimerCommand;

export const validityEvents = [
  'validity.begin',
  'heartbeat.acknowledged',
  'heartbeat.missed',
  'validity.check',
  'validity.end',
  'timer.elapsed',
] as const satisfies readonly ValidityEvent['type'][];

export interface ValidityInput {
  readonly leaseDurationMs: number;
  readonly marginMs: number;
}

export interface ValidityContext extends ValidityInput {
  readonly sessionId: string;
  readonly deadlineMs: number;
}

const validity = setup({
  types: {
    context: {} as ValidityContext,
    events: {} as ValidityEvent,
    emitted: {} as ValidityCommand,
    input: {} as ValidityInput,
  },
});

interface At<E> {
  readonly context: ValidityContext;
  readonly event: E;
}

const isCurrent = ({ context, event }: At<{ readonly sessionId: string }>): boolean =>
  event.sessionId === context.sessionId;

/** Answers can overtake each other: the deadline only moves forward. */
const isNewest = (at: At<{ readonly sessionId: string; readonly sentAtMs: number }>): boolean =>
  isCurrent(at) && deadlineOf(at.context, at.event.sentAtMs) >= at.context.deadlineMs;

const isPastDeadline = ({ context, event }: At<{ readonly nowMs: number }>): boolean =>
  event.nowMs >= context.deadlineMs;

const isOwnTimer = ({ event }: At<{ readonly id: string }>): boolean => event.id === 'deadline';
const isOwnTimerPastDeadline = (at: At<{ readonly nowMs: number; readonly id: string }>): boolean =>
  isOwnTimer(at) && isPastDeadline(at);

function deadlineOf(context: ValidityContext, sentAtMs: number): number {
  return sentAtMs + context.leaseDurationMs - context.marginMs;
}

const moveDeadline = validity.assign(({ context, event }) =>
  event.type === 'validity.begin' || event.type === 'heartbeat.acknowledged'
    ? { sessionId: event.sessionId, deadlineMs: deadlineOf(context, event.sentAtMs) }
    : {},
);
const forget = validity.assign({ sessionId: '', deadlineMs: 0 });
const setDeadlineTimer = validity.emit(({ context }) => ({
  type: 'timer.set',
  to: 'clock',
  id: 'deadline',
  atMs: context.deadlineMs,
  scale: 'deadline',
}));
const cancelDeadlineTimer = validity.emit({ type: 'timer.cancel', to: 'clock', id: 'deadline' });
const tellSuspended = validity.emit(({ context }) => ({
  type: 'suspended',
  to: 'election',
  sessionId: context.sessionId,
}));
const tellResumed = validity.emit(({ context }) => ({ type: 'resumed', to: 'election', sessionId: context.sessionId }));
// The election hears first: work is told to stop before the lease may be contended for again (I7).
const tellElectionLapsed = validity.emit(({ context }) => ({
  type: 'lapsed',
  to: 'election',
  sessionId: context.sessionId,
}));
const tellLeaseLapsed = validity.emit(({ context }) => ({
  type: 'lapsed',
  to: 'driver',
  sessionId: context.sessionId,
}));

const begins = { target: 'fresh', actions: [moveDeadline, setDeadlineTimer] } as const;
const lapses = { target: 'lapsed', actions: [tellElectionLapsed, tellLeaseLapsed, forget] } as const;
// Timers may fire a little early, or just before the deadline was moved. Either way the deadline keeps a timer.
const watchesDeadline = [
  { guard: isOwnTimerPastDeadline, ...lapses },
  { guard: isOwnTimer, actions: [setDeadlineTimer] },
] as const;
const ends = { guard: isCurrent, target: 'idle', actions: [forget, cancelDeadlineTimer] } as const;

export const validityMachine = validity.createMachine({
  id: 'validity',
  context: ({ input }) => ({ ...input, sessionId: '', deadlineMs: 0 }),
  options: { maxIterations: 100 },
  initial: 'idle',
  states: {
    idle: {
      on: {
        'validity.begin': begins,
        'heartbeat.acknowledged': {},
        'heartbeat.missed': {},
        'validity.check': {},
        'validity.end': {},
        'timer.elapsed': {},
      },
    },
    fresh: {
      on: {
        'validity.begin': begins,
        'heartbeat.acknowledged': { guard: isNewest, actions: [moveDeadline, setDeadlineTimer] },
        'heartbeat.missed': { guard: isCurrent, target: 'suspended', actions: [tellSuspended] },
        'validity.check': { guard: isPastDeadline, ...lapses },
        'validity.end': ends,
        'timer.elapsed': watchesDeadline,
      },
    },
    suspended: {
      on: {
        'validity.begin': begins,
        'heartbeat.acknowledged': {
          guard: isNewest,
          target: 'fresh',
          actions: [moveDeadline, setDeadlineTimer, tellResumed],
        },
        'heartbeat.missed': {},
        'validity.check': { guard: isPastDeadline, ...lapses },
        'validity.end': ends,
        'timer.elapsed': watchesDeadline,
      },
    },
    lapsed: {
      on: {
        'validity.begin': begins,
        'heartbeat.acknowledged': {},
        'heartbeat.missed': {},
        'validity.check': {},
        'validity.end': {},
        'timer.elapsed': {},
      },
    },
  },
});
