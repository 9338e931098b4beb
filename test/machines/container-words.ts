import type { ContainerCommand, ContainerEvent } from '../../machines/container-messages.ts';
import { containerMachine } from '../../machines/index.ts';
import type { Fence, LeaderInformation, Session } from '../../machines/vocabulary.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

/** The words in which the tests of the register's writer are written. */

export type ContainerRig = Rig<typeof containerMachine>;

export const k1: Session = { id: 'k1', fencingToken: 10n };
export const k2: Session = { id: 'k2', fencingToken: 20n };
export const fenceOf = ({ id, fencingToken }: Session): Fence => ({ sessionId: id, fencingToken });
export const entry = (session: Session, address = 'a'): LeaderInformation => {
  return { sessionId: session.id, fencingToken: session.fencingToken, address, metadata: {} };
};

export const open = (session: Session, version = 0n): ContainerEvent => ({ type: 'register.open', session, version });
export const shut = ({ id }: Session): ContainerEvent => ({ type: 'register.shut', sessionId: id });
export const publish = (component: string, attempt = 1, session = k1, address = 'a'): ContainerEvent => {
  return { type: 'register.publish', component, attempt, entry: entry(session, address) };
};
export const withdraw = (component: string, attempt = 1, { id } = k1): ContainerEvent => {
  return { type: 'register.withdraw', component, sessionId: id, attempt };
};
export const readBack: ContainerEvent = { type: 'register.read-back', component: 'a', sessionId: 'k1', attempt: 1 };
export const committed = (writeId: number, version: bigint): ContainerEvent => {
  return { type: 'write.committed', writeId, version };
};
export const conflict = (writeId: number, version: bigint, fence: Session | null = k1): ContainerEvent => {
  return { type: 'write.conflict', writeId, version, fence: fence === null ? null : fenceOf(fence) };
};
export const fencedBy = (writeId: number, fence: Session | null = k2): ContainerEvent => {
  return { type: 'write.fenced', writeId, fence: fence === null ? null : fenceOf(fence) };
};
export const refused = (writeId: number, reason: 'unavailable' | 'too-large' = 'unavailable'): ContainerEvent => {
  return { type: 'write.refused', writeId, reason };
};
export const unknown = (writeId: number): ContainerEvent => ({ type: 'write.unknown', writeId });
export const found = (
  readId: number,
  version: bigint,
  entries: readonly (readonly [string, LeaderInformation | null])[] = [],
  fence: Session | null = k1,
): ContainerEvent => {
  const shown = fence === null ? null : fenceOf(fence);
  return { type: 'read.found', readId, version, fence: shown, entries: new Map(entries) };
};
export const readFailed = (readId: number): ContainerEvent => ({ type: 'read.failed', readId });
export const elapsed = (id: string): ContainerEvent => ({ type: 'timer.elapsed', id, nowMs: 0 });

// What the machine says.
export const writes = (
  writeId: number,
  expectedVersion: bigint,
  puts: readonly (readonly [string, LeaderInformation])[] = [],
  withdrawals: readonly (readonly [string, string])[] = [],
  session = k1,
): ContainerCommand => ({
  type: 'container.write',
  to: 'store',
  writeId,
  expectedVersion,
  fence: fenceOf(session),
  puts: new Map(puts),
  withdrawals: new Map(withdrawals),
});
/** A write that changes nothing but fence and version. */
export const touches = (writeId: number, expectedVersion: bigint, session = k1): ContainerCommand =>
  writes(writeId, expectedVersion, [], [], session);
export const reads = (readId: number, ...keys: string[]): ContainerCommand => {
  return { type: 'container.read', to: 'store', readId, keys };
};
export const answersCommitted = (component: string, attempt: number, version: bigint): ContainerCommand => {
  return { type: 'publish.committed', to: `leadership:${component}`, sessionId: 'k1', attempt, version };
};
type Answer = Exclude<Extract<ContainerCommand, { to: `leadership:${string}` }>['type'], 'publish.committed'>;
export const answers = (type: Answer, component: string, attempt = 1, { id } = k1): ContainerCommand => {
  return { type, to: `leadership:${component}`, sessionId: id, attempt };
};
export const refusesFence = (fence: Fence, { id } = k1): ContainerCommand => {
  return { type: 'register.fence-refused', to: 'election', sessionId: id, fence };
};
export const cancels = (id: string): ContainerCommand => ({ type: 'timer.cancel', to: 'clock', id });
export const sets = (id: string, afterMs: number): ContainerCommand => {
  return { type: 'timer.set', to: 'clock', id, afterMs, jitter: 0.5 };
};

/** Every state and a way to it; the fence is raised at version 5, the write in doubt (of `a`) names that version. */
const ready = [open(k1, 4n), committed(1, 5n)] as const;
export const reachedBy = {
  shut: [],
  'opening.raising': [open(k1, 4n)],
  'opening.backing-off': [open(k1, 4n), refused(1)],
  ready,
  writing: [...ready, publish('a')],
  'resolving.reading': [...ready, publish('a'), unknown(2)],
  'resolving.touching': [...ready, publish('a'), unknown(2), found(3, 5n)],
  'resolving.backing-off': [...ready, publish('a'), unknown(2), readFailed(3)],
  fenced: [...ready, publish('a'), fencedBy(2)],
} as const satisfies Record<string, readonly ContainerEvent[]>;
export type Reached = keyof typeof reachedBy;
export const allStates = Object.keys(reachedBy) as Reached[];
/** Those in which operations of the session are taken. */
export const openStates = allStates.filter((state) => state !== 'shut' && state !== 'fenced');

export function containerIn(state: Reached): ContainerRig {
  const rig = start(containerMachine, {});
  rig.send(...reachedBy[state]);
  if (rig.state !== state) throw new Error(`meant to be in ${state}, is in ${rig.state}`);
  return rig;
}
