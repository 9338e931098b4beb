import { leadershipMachine } from '../../machines/index.ts';
import type { LeadershipPolicy } from '../../machines/leadership-context.ts';
import type { LeadershipCommand, LeadershipEvent } from '../../machines/leadership-messages.ts';
import type { LeaderInformation, Reachable, RevokeReason, Session } from '../../machines/vocabulary.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

/** The words in which the tests of the leadership machine are written. The component is always called `web`. */

export type LeadershipRig = Rig<typeof leadershipMachine>;

export const s1: Session = { id: 's1', fencingToken: 10n };
export const s2: Session = { id: 's2', fencingToken: 20n };
export const s3: Session = { id: 's3', fencingToken: 30n };

export const reachableAt = (address: string): Reachable => ({ address, metadata: {} });
export const entryOf = (session: Session, address = 'a'): LeaderInformation => {
  return { sessionId: session.id, fencingToken: session.fencingToken, ...reachableAt(address) };
};
/** Another process, in an older session. */
export const foreign: LeaderInformation = { sessionId: 'other', fencingToken: 5n, ...reachableAt('elsewhere') };
export const newer: LeaderInformation = { sessionId: 'usurper', fencingToken: 99n, ...reachableAt('elsewhere') };

export const granted = (session: Session): LeadershipEvent => ({ type: 'granted', session });
export const revoked = ({ id }: Session, reason: RevokeReason = 'lost'): LeadershipEvent => {
  return { type: 'revoked', sessionId: id, reason };
};
export const suspended = ({ id }: Session): LeadershipEvent => ({ type: 'suspended', sessionId: id });
export const resumed = ({ id }: Session): LeadershipEvent => ({ type: 'resumed', sessionId: id });
export const started = ({ id }: Session): LeadershipEvent => ({ type: 'contender.started', sessionId: id });
export const settled = ({ id }: Session, outcome: 'returned' | 'failed' = 'returned'): LeadershipEvent => {
  return { type: 'contender.settled', sessionId: id, outcome };
};
export const confirm = ({ id }: Session, confirmId: string, address = 'a'): LeadershipEvent => {
  return { type: 'contender.confirm', sessionId: id, confirmId, reachable: reachableAt(address) };
};
export const changed = (version: bigint, entry: LeaderInformation | null): LeadershipEvent => {
  return { type: 'register.changed', version, entry };
};
export const committed = ({ id }: Session, attempt: number, version: bigint): LeadershipEvent => {
  return { type: 'publish.committed', sessionId: id, attempt, version };
};
export const publish = (
  answer: 'failed' | 'unknown' | 'dead' | 'fenced' | 'rejected',
  { id }: Session,
  attempt: number,
): LeadershipEvent => ({ type: `publish.${answer}`, sessionId: id, attempt });
export const withdraw = (
  answer: 'committed' | 'failed' | 'fenced',
  { id }: Session,
  attempt: number,
): LeadershipEvent => {
  return { type: `withdraw.${answer}`, sessionId: id, attempt };
};
export const elapsed = (id: string): LeadershipEvent => ({ type: 'timer.elapsed', id, nowMs: 0 });
export const close: LeadershipEvent = { type: 'close' };

// What the machine says.
export const startsContender = (session: Session): LeadershipCommand => {
  return { type: 'contender.start', to: 'contender:web', session };
};
export const stopsContender = ({ id }: Session, reason: RevokeReason): LeadershipCommand => {
  return { type: 'contender.stop', to: 'contender:web', sessionId: id, reason };
};
export const answers = (
  { id }: Session,
  confirmIds: readonly string[],
  outcome: 'committed' | 'session-over' | 'fenced' | 'publish-rejected' = 'committed',
): LeadershipCommand => ({ type: 'confirm.settled', to: 'contender:web', sessionId: id, confirmIds, outcome });
export const publishes = (session: Session, attempt: number, address = 'a'): LeadershipCommand => {
  return { type: 'register.publish', to: 'register', component: 'web', attempt, entry: entryOf(session, address) };
};
export const readsBack = ({ id }: Session, attempt: number): LeadershipCommand => {
  return { type: 'register.read-back', to: 'register', component: 'web', sessionId: id, attempt };
};
export const withdraws = ({ id }: Session, attempt: number): LeadershipCommand => {
  return { type: 'register.withdraw', to: 'register', component: 'web', sessionId: id, attempt };
};
export const drained = ({ id }: Session, overstayed = false): LeadershipCommand => {
  return { type: 'component.drained', to: 'election', component: 'web', sessionId: id, overstayed };
};
export const overstays = ({ id }: Session): LeadershipCommand => {
  return { type: 'component.overstayed', to: 'election', component: 'web', sessionId: id };
};
export const fenced = ({ id }: Session): LeadershipCommand => {
  return { type: 'session.fenced', to: 'election', component: 'web', sessionId: id };
};
export const joined: LeadershipCommand = { type: 'component.joined', to: 'election', component: 'web' };
export const left: LeadershipCommand = { type: 'component.left', to: 'election', component: 'web' };
export const closed: LeadershipCommand = { type: 'leadership.closed', to: 'tenure', component: 'web' };
export const cancels = (id: string): LeadershipCommand => ({ type: 'timer.cancel', to: 'clock', id });
export const sets = (id: string, afterMs: number, jitter = 0): LeadershipCommand => {
  return { type: 'timer.set', to: 'clock', id, afterMs, jitter };
};

/** Only those of the given kinds: for tests that are about one of the conversations. */
export function ofType<T extends LeadershipCommand['type']>(
  said: readonly LeadershipCommand[],
  ...types: T[]
): readonly Extract<LeadershipCommand, { type: T }>[] {
  const isWanted = (one: LeadershipCommand): one is Extract<LeadershipCommand, { type: T }> =>
    (types as readonly string[]).includes(one.type);
  return said.filter(isWanted);
}

/** Every state in which a session runs, and how it is reached. Attempts are numbered from 1 in each. */
export const running = {
  'grant-pending': [granted(s1)],
  'confirm-pending.awaiting': [granted(s1), started(s1)],
  'confirm-pending.held': [granted(s1), started(s1), suspended(s1), confirm(s1, 'c1')],
  'confirm-pending.publishing': [granted(s1), started(s1), confirm(s1, 'c1')],
  'confirm-pending.backing-off': [granted(s1), started(s1), confirm(s1, 'c1'), publish('failed', s1, 1)],
  'confirm-pending.resolving': [granted(s1), started(s1), confirm(s1, 'c1'), publish('unknown', s1, 1)],
  'confirmed.settled': [granted(s1), started(s1), confirm(s1, 'c1'), committed(s1, 1, 3n)],
  'confirmed.rewriting': [granted(s1), started(s1), confirm(s1, 'c1'), committed(s1, 1, 3n), changed(4n, null)],
  'confirmed.backing-off': [
    ...[granted(s1), started(s1), confirm(s1, 'c1'), committed(s1, 1, 3n), changed(4n, null)],
    publish('failed', s1, 2),
  ],
  'confirmed.resolving': [
    ...[granted(s1), started(s1), confirm(s1, 'c1'), committed(s1, 1, 3n), changed(4n, null)],
    publish('unknown', s1, 2),
  ],
} as const satisfies Record<string, readonly LeadershipEvent[]>;

/** Every state after that one, in which a contender still has to settle or an entry to be deleted. */
export const leaving = {
  'revoked.stopping': [...running['confirmed.settled'], revoked(s1)],
  'revoked.overstaying': [...running['confirmed.settled'], revoked(s1), elapsed('stop:s1')],
  'withdrawing.stopping': [...running['confirmed.settled'], close],
  'withdrawing.deleting': [...running['confirmed.settled'], close, settled(s1)],
  'withdrawing.backing-off': [...running['confirmed.settled'], close, settled(s1), withdraw('failed', s1, 2)],
  resting: [granted(s1), started(s1), settled(s1, 'failed')],
} as const satisfies Record<string, readonly LeadershipEvent[]>;

export const reachedBy = { standby: [], ...running, ...leaving } as const;
export type Reached = keyof typeof reachedBy;

export function leadershipIn(state: Reached, policy: Partial<LeadershipPolicy> = {}): LeadershipRig {
  const rig = start(leadershipMachine, { component: 'web', policy });
  rig.send(...reachedBy[state]);
  if (rig.state !== state) throw new Error(`meant to be in ${state}, is in ${rig.state}`);
  return rig;
}

export const allStates = Object.keys(reachedBy) as Reached[];
export const runningStates = Object.keys(running) as (keyof typeof running)[];
