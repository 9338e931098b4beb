import type { ElectionCommand, ElectionEvent } from '../../machines/election-messages.ts';
import { electionMachine } from '../../machines/index.ts';
import type { Fence, LeaderInformation, RevokeReason, Session } from '../../machines/vocabulary.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

/** The words in which the tests of the election machine are written. */

export type ElectionRig = Rig<typeof electionMachine>;

export const e1: Session = { id: 'e1', fencingToken: 10n };
export const e2: Session = { id: 'e2', fencingToken: 20n };

export const joins = (component: string): ElectionEvent => ({ type: 'component.joined', component });
export const leaves = (component: string): ElectionEvent => ({ type: 'component.left', component });
export const drains = (component: string, { id }: Session, overstayed = false): ElectionEvent => {
  return { type: 'component.drained', component, sessionId: id, overstayed };
};
export const overstays = (component: string, { id }: Session): ElectionEvent => {
  return { type: 'component.overstayed', component, sessionId: id };
};
export const isFenced = (component: string, { id }: Session): ElectionEvent => {
  return { type: 'session.fenced', component, sessionId: id };
};
export const acquired = (session: Session): ElectionEvent => ({ type: 'lease.acquired', session });
export const lost = ({ id }: Session): ElectionEvent => ({ type: 'lease.lost', sessionId: id });
export const released = (
  { id }: Session,
  outcome: 'released' | 'abandoned' | 'lost' | 'unreleased' = 'released',
): ElectionEvent => ({ type: 'lease.released', sessionId: id, outcome });
export const stopped: ElectionEvent = { type: 'lease.stopped' };
export const suspended = ({ id }: Session): ElectionEvent => ({ type: 'suspended', sessionId: id });
export const resumed = ({ id }: Session): ElectionEvent => ({ type: 'resumed', sessionId: id });
export const lapsed = ({ id }: Session): ElectionEvent => ({ type: 'lapsed', sessionId: id });
export const asksForStepDown = ({ id }: Session): ElectionEvent => ({ type: 'step-down.requested', sessionId: id });
export const stepDown = (requestId: string): ElectionEvent => ({ type: 'step-down', requestId });
export const close: ElectionEvent = { type: 'close' };
export const fenceOf = ({ id, fencingToken }: Session): Fence => ({ sessionId: id, fencingToken });
export const refusedBy = (fence: Session, { id }: Session): ElectionEvent => {
  return { type: 'register.fence-refused', sessionId: id, fence: fenceOf(fence) };
};
export const observed = (
  version: bigint,
  fence: Session | null,
  changed: readonly (readonly [string, LeaderInformation | null])[] = [],
): ElectionEvent => {
  return {
    type: 'register.observed',
    version,
    fence: fence === null ? null : fenceOf(fence),
    changed: new Map(changed),
  };
};

// What the machine says.
export const contends = (yielding = false): ElectionCommand => ({ type: 'contend', to: 'driver', yielding });
export const stops: ElectionCommand = { type: 'stop', to: 'driver' };
export const releases = ({ id }: Session): ElectionCommand => ({ type: 'release', to: 'driver', sessionId: id });
export const abandons = ({ id }: Session): ElectionCommand => ({ type: 'abandon', to: 'driver', sessionId: id });
export const grants = (session: Session, to = '*'): ElectionCommand => {
  return { type: 'granted', to: `leadership:${to}`, session };
};
export const revokes = ({ id }: Session, reason: RevokeReason): ElectionCommand => {
  return { type: 'revoked', to: 'leadership:*', sessionId: id, reason };
};
export const suspends = ({ id }: Session, to = '*'): ElectionCommand => {
  return { type: 'suspended', to: `leadership:${to}`, sessionId: id };
};
export const opens = (session: Session, version = 0n): ElectionCommand => {
  return { type: 'register.open', to: 'register', session, version };
};
export const shuts = ({ id }: Session): ElectionCommand => ({ type: 'register.shut', to: 'register', sessionId: id });
export const settles = (
  requestIds: readonly string[],
  outcome: 'done' | 'not-leading' | 'unreleased' = 'done',
): ElectionCommand => ({ type: 'step-down.settled', to: 'tenure', requestIds, outcome });
export const tellsClosed: ElectionCommand = { type: 'election.closed', to: 'tenure' };

/** Every state, reached with the components `a` and `b` standing where that is possible. */
export const reachedBy = {
  idle: [],
  contending: [joins('a'), joins('b')],
  halting: [joins('a'), leaves('a')],
  'leading.steady': [joins('a'), joins('b'), acquired(e1)],
  'leading.suspended': [joins('a'), joins('b'), acquired(e1), suspended(e1)],
  'ceding.draining': [joins('a'), joins('b'), acquired(e1), stepDown('r1')],
  'ceding.releasing': [
    ...[joins('a'), joins('b'), acquired(e1), stepDown('r1')],
    ...[drains('a', e1), drains('b', e1)],
  ],
  'ceding.abandoning': [
    ...[joins('a'), joins('b'), acquired(e1), stepDown('r1')],
    ...[drains('a', e1), overstays('b', e1)],
  ],
} as const satisfies Record<string, readonly ElectionEvent[]>;
export type Reached = keyof typeof reachedBy;
export const allStates = Object.keys(reachedBy) as Reached[];
export const ceding = allStates.filter((state) => state.startsWith('ceding'));
export const leading = allStates.filter((state) => state.startsWith('leading'));

export function electionIn(state: Reached): ElectionRig {
  const rig = start(electionMachine);
  rig.send(...reachedBy[state]);
  if (rig.state !== state) throw new Error(`meant to be in ${state}, is in ${rig.state}`);
  return rig;
}
