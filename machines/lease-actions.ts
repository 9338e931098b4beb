import { setup } from 'xstate';
import type { LeaseCommand, LeaseContext, LeaseEvent, LeaseInput, LeaseView } from './lease-messages.ts';

export const lease = setup({
  types: {
    context: {} as LeaseContext,
    events: {} as LeaseEvent,
    emitted: {} as LeaseCommand,
    input: {} as LeaseInput,
  },
});

interface At<E = LeaseEvent> {
  readonly context: LeaseContext;
  readonly event: E;
}
type Seen = { readonly record: LeaseView | null };
type OfSession = { readonly sessionId: string };

/** Older news (a watch that lags behind our own answers) is no news. After a deletion everything is new. */
const isNews = ({ context, event }: At<Seen>): boolean =>
  event.record === null
    ? context.record !== null
    : context.record === undefined || context.record === null || event.record.version > context.record.version;

export const isOldNews = (at: At<Seen>): boolean => !isNews(at);

/** Free: never taken, released, or left behind by a former session of this very process. */
const isFree = (record: LeaseView | null | undefined, identity: string): boolean =>
  record === null || record === undefined || record.holder === '' || record.holder === identity;

export const showsFree = ({ context, event }: At<Seen>): boolean => isFree(event.record, context.identity);
/** Decides by the newest record known: a watch that lags behind may still show one that has been replaced. */
export const newestIsFree = (at: At<Seen>): boolean => (isNews(at) ? showsFree(at) : knowsFree(at));
export const showsNewFree = (at: At<Seen>): boolean => isNews(at) && showsFree(at);
export const showsNewHeld = (at: At<Seen>): boolean => isNews(at) && !showsFree(at);

export const knowsFree = ({ context }: At<unknown>): boolean =>
  context.record !== undefined && isFree(context.record, context.identity);
export const knowsHeld = ({ context }: At<unknown>): boolean =>
  context.record !== undefined && !isFree(context.record, context.identity);
export const mustYield = ({ event }: At<{ readonly yielding: boolean }>): boolean => event.yielding;

export const isCurrent = ({ context, event }: At<OfSession>): boolean => context.session?.id === event.sessionId;

const isOurs = (context: LeaseContext, record: LeaseView | null): boolean =>
  record !== null && record.sessionId === context.session?.id;

export const showsOurs = ({ context, event }: At<Seen>): boolean => isOurs(context, event.record);
export const showsStepDownRequest = (at: At<Seen>): boolean =>
  isNews(at) && showsOurs(at) && at.event.record?.stepDownFor === at.context.session?.id;
/** Somebody else's record, or none: the session is over, whatever the deadline says. */
export const showsLossAndFree = (at: At<Seen>): boolean => isNews(at) && !showsOurs(at) && showsFree(at);
export const showsLossAndHeld = (at: At<Seen>): boolean => isNews(at) && !showsOurs(at) && !showsFree(at);
export const showsOursAnew = (at: At<Seen>): boolean => isNews(at) && showsOurs(at);

export const conflictShowsStepDown = (at: At<Seen & OfSession>): boolean =>
  isCurrent(at) && showsOurs(at) && at.event.record?.stepDownFor === at.context.session?.id;
export const conflictShowsOurs = (at: At<Seen & OfSession>): boolean => isCurrent(at) && showsOurs(at);
export const conflictShowsFree = (at: At<Seen & OfSession>): boolean =>
  isCurrent(at) && !showsOurs(at) && showsFree(at);

/** A newer record than the conflict shows was seen since the acquisition left. A store that went back shows none such. */
export const hasSeenNewer = ({ context, event }: At<Seen>): boolean =>
  context.record !== null &&
  context.record !== undefined &&
  context.record.version !== context.asked &&
  event.record !== null &&
  event.record.version < context.record.version;
export const hasSeenNewerAndFree = (at: At<Seen>): boolean => hasSeenNewer(at) && knowsFree(at);

export const mayTryAgain = (at: At<OfSession>): boolean =>
  isCurrent(at) && at.context.tries + 1 < at.context.releaseTries;

type OfTimer = At<{ readonly id: string }>;
const isTimer = (name: string, at: OfTimer): boolean => at.event.id === `${name}:${at.context.waits}`;
export const isExpiryTimer = (at: OfTimer): boolean => isTimer('expiry', at);
export const isRetryTimer = (at: OfTimer): boolean => isTimer('retry', at);
export const isRenewTimer = (at: OfTimer): boolean => isTimer('renew', at);
export const isYieldTimer = (at: OfTimer): boolean => isTimer('yield', at);
export const isYieldTimerAndHeld = (at: At<{ readonly id: string }>): boolean => isYieldTimer(at) && knowsHeld(at);

/** Takes what an event shows; the local timer starts anew only with a version that was not seen before. */
export const takeRecord = lease.assign(({ context, event }) => {
  if (!('record' in event) || !('nowMs' in event)) return {};
  if (isOldNews({ context, event })) return {};
  return { record: event.record, seenAtMs: event.nowMs };
});

/** What a conflict found instead is what the store holds, also where its versions have gone back (a restored store). */
export const takeFound = lease.assign(({ context, event }) => {
  if (!('record' in event) || !('nowMs' in event)) return {};
  if (event.record !== null && event.record.version === context.record?.version) return {};
  return { record: event.record, seenAtMs: event.nowMs };
});

/**
 * The process was frozen (or the call hung) between asking and hearing: the lease was ours, but its deadline has passed
 * and others may hold it by now. Granting it would start work that nobody has told to stop.
 */
export const comesTooLate = ({
  context,
  event,
}: At<{ readonly sentAtMs: number; readonly answeredAtMs: number }>): boolean =>
  event.answeredAtMs >= event.sentAtMs + context.leaseDurationMs - context.marginMs;

export const takeSession = lease.assign(({ event }) =>
  event.type === 'acquire.committed'
    ? { record: event.record, seenAtMs: event.nowMs, session: event.session, tries: 0 }
    : {},
);
export const endSession = lease.assign({ session: null, tries: 0 });
export const countTry = lease.assign(({ context }) => ({ tries: context.tries + 1 }));
const countWait = lease.assign(({ context }) => ({ waits: context.waits + 1 }));

export const noteAsked = lease.assign(({ context }) => ({ asked: context.record?.version ?? null }));

export const read = lease.emit({ type: 'lease.read', to: 'store' });
export const acquire = lease.emit(({ context }) => ({
  type: 'lease.acquire',
  to: 'store',
  expectedVersion: context.record?.version ?? null,
}));
export const renew = lease.emit(({ context }) => ({
  type: 'lease.renew',
  to: 'store',
  sessionId: context.session?.id ?? '',
  expectedVersion: context.record?.version ?? 0n,
}));
export const release = lease.emit(({ context }) => ({
  type: 'lease.release',
  to: 'store',
  sessionId: context.session?.id ?? '',
  expectedVersion: context.record?.version ?? 0n,
}));

export const beginValidity = lease.emit(({ event }) => ({
  type: 'validity.begin',
  to: 'validity',
  sessionId: event.type === 'acquire.committed' ? event.session.id : '',
  sentAtMs: event.type === 'acquire.committed' ? event.sentAtMs : 0,
}));
export const acknowledgeHeartbeat = lease.emit(({ context, event }) => ({
  type: 'heartbeat.acknowledged',
  to: 'validity',
  sessionId: context.session?.id ?? '',
  sentAtMs: event.type === 'renew.committed' ? event.sentAtMs : 0,
}));
export const missHeartbeat = lease.emit(({ context }) => ({
  type: 'heartbeat.missed',
  to: 'validity',
  sessionId: context.session?.id ?? '',
}));
export const endValidity = lease.emit(({ context }) => ({
  type: 'validity.end',
  to: 'validity',
  sessionId: context.session?.id ?? '',
}));

export const tellAcquired = lease.emit(({ context }) => ({
  type: 'lease.acquired',
  to: 'election',
  session: context.session ?? { id: '', fencingToken: 0n },
}));
export const tellLost = lease.emit(({ context }) => ({
  type: 'lease.lost',
  to: 'election',
  sessionId: context.session?.id ?? '',
}));
export const tellStopped = lease.emit({ type: 'lease.stopped', to: 'election' });
export const tellStepDown = lease.emit(({ context }) => ({
  type: 'step-down.requested',
  to: 'election',
  sessionId: context.session?.id ?? '',
}));

const tellReleasedAs = (outcome: 'released' | 'abandoned' | 'lost' | 'unreleased') =>
  lease.emit(({ context }) => ({
    type: 'lease.released',
    to: 'election',
    sessionId: context.session?.id ?? '',
    outcome,
  }));
export const tellReleased = tellReleasedAs('released');
export const tellAbandoned = tellReleasedAs('abandoned');
export const tellReleaseLost = tellReleasedAs('lost');
export const tellUnreleased = tellReleasedAs('unreleased');

/**
 * The span is counted on the local clock from the moment this version was first seen: another machine's clock is never
 * compared, and a wall clock that jumps cannot make a standby believe that a lease has run out (hazard D6 of Flink's).
 */
export const setExpiryTimer = [
  countWait,
  lease.emit(({ context }) => ({
    type: 'timer.set',
    to: 'clock',
    id: `expiry:${context.waits}`,
    atMs: context.seenAtMs + (context.record?.durationMs ?? 0),
    scale: 'waiting' as const,
    jitterMs: Math.min(100, (context.record?.durationMs ?? 0) / 50),
  })),
] as const;

const setAfter = (name: string, afterMs: (context: LeaseContext) => number, jitter: number) =>
  [
    countWait,
    lease.emit(({ context }) => ({
      type: 'timer.set',
      to: 'clock',
      id: `${name}:${context.waits}`,
      afterMs: afterMs(context),
      jitter,
    })),
  ] as const;
const cancel = (name: string) =>
  lease.emit(({ context }) => ({ type: 'timer.cancel', to: 'clock', id: `${name}:${context.waits}` }));

export const cancelExpiryTimer = cancel('expiry');
export const setRetryTimer = setAfter('retry', (context) => context.retryMs, 1);
export const cancelRetryTimer = cancel('retry');
export const setRenewTimer = setAfter('renew', (context) => context.renewMs, 0);
export const setRenewRetryTimer = setAfter('renew', (context) => Math.min(context.retryMs, context.renewMs), 0);
export const cancelRenewTimer = cancel('renew');
/** After giving the lock back, others go first for one lease duration. */
export const setYieldTimer = setAfter('yield', (context) => context.leaseDurationMs, 0);
export const cancelYieldTimer = cancel('yield');
