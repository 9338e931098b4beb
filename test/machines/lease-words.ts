import { leaseMachine } from '../../machines/index.ts';
import type { LeaseCommand, LeaseEvent, LeaseView } from '../../machines/lease-messages.ts';
import type { Session } from '../../machines/vocabulary.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

/** The words in which the tests of the lease machine are written. We are `me`; the other one is `they`. */

export type LeaseRig = Rig<typeof leaseMachine>;

export const input = {
  identity: 'me',
  leaseDurationMs: 15_000,
  marginMs: 2_000,
  renewMs: 5_000,
  retryMs: 500,
  releaseTries: 3,
};

export const l1: Session = { id: 'l1', fencingToken: 10n };
export const l2: Session = { id: 'l2', fencingToken: 20n };

const view = (version: bigint, holder: string, sessionId: string, stepDownFor = ''): LeaseView => {
  return { version, holder, sessionId, durationMs: 15_000, stepDownFor };
};
export const theirs = (version: bigint): LeaseView => view(version, 'they', 'x');
export const ours = (version: bigint, { id } = l1): LeaseView => view(version, 'me', id);
export const askedToStepDown = (version: bigint): LeaseView => view(version, 'me', 'l1', 'l1');
export const free = (version: bigint): LeaseView => view(version, '', '');

export const contend = (yielding = false): LeaseEvent => ({ type: 'contend', yielding });
export const stop: LeaseEvent = { type: 'stop' };
export const release: LeaseEvent = { type: 'release', sessionId: 'l1' };
export const abandon: LeaseEvent = { type: 'abandon', sessionId: 'l1' };
export const lapsed: LeaseEvent = { type: 'lapsed', sessionId: 'l1' };
export const seen = (record: LeaseView | null, nowMs = 0): LeaseEvent => ({ type: 'record.seen', record, nowMs });
export const readFailed: LeaseEvent = { type: 'read.failed' };
export const acquired = (version: bigint, session = l1, sentAtMs = 0): LeaseEvent => {
  return {
    type: 'acquire.committed',
    record: ours(version, session),
    session,
    sentAtMs,
    answeredAtMs: sentAtMs + 5,
    nowMs: sentAtMs + 5,
  };
};
/** The answer comes when the deadline of the session has passed. */
export const acquiredTooLate = (version: bigint, session = l1): LeaseEvent => {
  const record = ours(version, session);
  return { type: 'acquire.committed', record, session, sentAtMs: 0, answeredAtMs: 13_000, nowMs: 13_000 };
};
export const acquireConflict = (record: LeaseView | null, nowMs = 0): LeaseEvent => {
  return { type: 'acquire.conflict', record, nowMs };
};
export const acquire = (answer: 'refused' | 'unknown'): LeaseEvent => ({ type: `acquire.${answer}` });
export const renewed = (version: bigint, sentAtMs = 0, sessionId = 'l1'): LeaseEvent => {
  return { type: 'renew.committed', sessionId, record: ours(version), sentAtMs, nowMs: sentAtMs + 5 };
};
export const renewConflict = (record: LeaseView | null, sessionId = 'l1'): LeaseEvent => {
  return { type: 'renew.conflict', sessionId, record, nowMs: 0 };
};
export const renew = (answer: 'refused' | 'unknown', sessionId = 'l1'): LeaseEvent => {
  return { type: `renew.${answer}`, sessionId };
};
export const released = (version: bigint, sessionId = 'l1'): LeaseEvent => {
  return { type: 'release.committed', sessionId, record: free(version), nowMs: 0 };
};
export const releaseConflict = (record: LeaseView | null, sessionId = 'l1'): LeaseEvent => {
  return { type: 'release.conflict', sessionId, record, nowMs: 0 };
};
export const releaseAnswer = (answer: 'refused' | 'unknown', sessionId = 'l1'): LeaseEvent => {
  return { type: `release.${answer}`, sessionId };
};
export const elapsed = (id: string): LeaseEvent => ({ type: 'timer.elapsed', id, nowMs: 0 });

// What the machine says.
export const reads: LeaseCommand = { type: 'lease.read', to: 'store' };
export const acquires = (expectedVersion: bigint | null): LeaseCommand => {
  return { type: 'lease.acquire', to: 'store', expectedVersion };
};
export const renews = (expectedVersion: bigint): LeaseCommand => {
  return { type: 'lease.renew', to: 'store', sessionId: 'l1', expectedVersion };
};
export const writesRelease = (expectedVersion: bigint, sessionId = 'l1'): LeaseCommand => {
  return { type: 'lease.release', to: 'store', sessionId, expectedVersion };
};
export const tellsAcquired = (session = l1): LeaseCommand => ({ type: 'lease.acquired', to: 'election', session });
export const tellsLost: LeaseCommand = { type: 'lease.lost', to: 'election', sessionId: 'l1' };
export const tellsStopped: LeaseCommand = { type: 'lease.stopped', to: 'election' };
export const tellsReleased = (outcome: 'released' | 'abandoned' | 'lost' | 'unreleased'): LeaseCommand => {
  return { type: 'lease.released', to: 'election', sessionId: 'l1', outcome };
};
export const asksForStepDown: LeaseCommand = { type: 'step-down.requested', to: 'election', sessionId: 'l1' };
export const begins = (sentAtMs: number): LeaseCommand => {
  return { type: 'validity.begin', to: 'validity', sessionId: 'l1', sentAtMs };
};
export const acknowledges = (sentAtMs: number): LeaseCommand => {
  return { type: 'heartbeat.acknowledged', to: 'validity', sessionId: 'l1', sentAtMs };
};
export const misses: LeaseCommand = { type: 'heartbeat.missed', to: 'validity', sessionId: 'l1' };
export const ends: LeaseCommand = { type: 'validity.end', to: 'validity', sessionId: 'l1' };
export const cancels = (id: string): LeaseCommand => ({ type: 'timer.cancel', to: 'clock', id });
export const sets = (id: string, afterMs: number, jitter = 0): LeaseCommand => {
  return { type: 'timer.set', to: 'clock', id, afterMs, jitter };
};
export const waits = (id: string, atMs: number): LeaseCommand => {
  return { type: 'timer.set', to: 'clock', id, atMs, scale: 'waiting', jitterMs: 100 };
};

const holding = [contend(), seen(free(1n)), acquired(2n)] as const;
/** Every state and a way to it. In `holding` and after it version 2 is ours. */
export const reachedBy = {
  idle: [],
  looking: [contend()],
  'backing-off': [contend(), readFailed],
  standby: [contend(), seen(theirs(1n))],
  yielding: [contend(true)],
  contending: [contend(), seen(free(1n))],
  stopping: [contend(), seen(free(1n)), stop],
  returning: [contend(), seen(free(1n)), stop, acquired(2n)],
  'holding.fresh': holding,
  'holding.renewing': [...holding, elapsed('renew:1')],
  'holding.overdue': [...holding, elapsed('renew:1'), renew('unknown')],
  'releasing.settling': [...holding, elapsed('renew:1'), release],
  'releasing.writing': [...holding, release],
  'releasing.retrying': [...holding, release, releaseAnswer('unknown')],
  lapsed: [...holding, lapsed],
} as const satisfies Record<string, readonly LeaseEvent[]>;
export type Reached = keyof typeof reachedBy;
export const allStates = Object.keys(reachedBy) as Reached[];
export const holdingStates = allStates.filter((state) => state.startsWith('holding'));
export const releasingStates = allStates.filter((state) => state.startsWith('releasing'));

export function leaseIn(state: Reached): LeaseRig {
  const rig = start(leaseMachine, input);
  rig.send(...reachedBy[state]);
  if (rig.state !== state) throw new Error(`meant to be in ${state}, is in ${rig.state}`);
  return rig;
}
