import type { Following } from '../../runtime/api.ts';
import { settleInside } from '../settle.ts';
import type { Participant } from './participant.ts';
import { ELECTION } from './participant.ts';
import type { World } from './world.ts';

/** The longest rest after failures in a row. */
const LONGEST_REST_MS = 30_000;

/**
 * What keeps a world from being well, `null` when nothing does: one leads by the newest session, all its components are
 * confirmed and stored, every follower sees them, nobody else works, and every promise has settled.
 */
export function lacking(world: World): string | null {
  const { server, seats, parameters } = world;
  const { lease, register } = server.election(ELECTION);
  const { record } = lease;
  if (record === null || record.holder === '') return 'nobody holds the lease';
  const up = seats.flatMap(({ now }) => (now === null ? [] : [now]));
  const leader = up.find(({ identity }) => identity === record.holder);
  if (leader === undefined) return 'the lease is held by one that has gone';
  if (leader.tenure?.state.sessionId !== record.sessionId) return `${leader.name} does not lead by the lease it holds`;
  for (const component of parameters.components) {
    const phase = leader.leadings.get(component)?.state.phase ?? 'not registered';
    if (phase !== 'confirmed') return `${component} of ${leader.name} is ${phase}`;
    if (register.entry(component)?.sessionId !== record.sessionId) return `${component} is not stored`;
    const blind = up.find(({ followings }) => isBlind(followings.get(component), record.sessionId));
    if (blind !== undefined) return `${blind.name} does not see who leads ${component}`;
  }
  return unfinished(world, record.sessionId, up);
}

function isBlind(following: Following | undefined, sessionId: string): boolean {
  return following !== undefined && following.current?.sessionId !== sessionId;
}

function unfinished({ everyone }: World, sessionId: string, up: readonly Participant[]): string | null {
  for (const one of everyone) {
    if (one.isDead) continue;
    const [promise] = one.openPromises;
    if (promise !== undefined) return `${one.name}: ${promise} has not settled`;
    for (const session of one.running.values()) {
      if (session.id !== sessionId || !up.includes(one)) return `${one.name} still works for ${session.component}`;
    }
  }
  return null;
}

/** How long a world may take to be well again when its faults have ended. */
export function recoveryBoundMs({ parameters, contender }: World): number {
  const { leaseDurationMs, callTimeoutMs, stopBoundMs } = parameters.timing;
  const mayRest = contender !== null || parameters.happenings.includes('manners');
  // A lease that nobody can give back runs out; one that is given up makes its holder wait for another one.
  return 4 * leaseDurationMs + stopBoundMs + 10 * callTimeoutMs + (mayRest ? LONGEST_REST_MS : 0);
}

/**
 * Lets time pass until the world is well and stays so: well for a moment it may be by chance, while something is still
 * on its way. Answers how long it took to become well, `null` when it did not come to it.
 */
export async function recover(world: World): Promise<number | null> {
  const { clock, book, parameters } = world;
  const quietMs = 1.1 * parameters.timing.leaseDurationMs;
  const beganMs = clock.nowMs();
  const boundMs = beganMs + recoveryBoundMs(world);
  let missing = lacking(world);
  let wellSinceMs = beganMs;
  while (missing !== null || clock.nowMs() < wellSinceMs + quietMs) {
    if (missing !== null && clock.nowMs() >= boundMs) {
      book.violated('recovers', `${missing}, ${boundMs - beganMs} ms after the last fault`);
      return null;
    }
    const nextMs = Math.min(clock.nextAtMs ?? boundMs, missing === null ? wellSinceMs + quietMs : boundMs);
    await clock.advance(nextMs - clock.nowMs(), settleInside);
    const before = missing;
    missing = lacking(world);
    if (missing === null && before !== null) wellSinceMs = clock.nowMs();
  }
  return wellSinceMs - beganMs;
}

/** The last look at what is stored; then everybody goes, and nothing may be left behind. */
export async function restAndClose(world: World): Promise<void> {
  const { book, everyone, parameters, clock } = world;
  const { leaseDurationMs, stopBoundMs, callTimeoutMs } = parameters.timing;
  observeRest(world);
  for (const one of everyone) if (one.isUp) one.close();
  await world.advance(stopBoundMs + 2 * leaseDurationMs + 20 * callTimeoutMs);
  if (clock.pending > 0) book.violated('ends', `${clock.pending} timers are left when all have closed`);
}

function observeRest({ book, everyone, server, parameters }: World): void {
  const confirmed = new Map<string, string>();
  for (const one of everyone) {
    if (one.isDead) continue;
    for (const { state } of one.leadings.values()) {
      if (state.phase === 'confirmed' && state.sessionId !== null) confirmed.set(state.component, state.sessionId);
    }
  }
  const { register } = server.election(ELECTION);
  const stored = new Map(parameters.components.map((key) => [key, register.entry(key)?.sessionId ?? '']));
  book.observations.push({ kind: 'rest', confirmed, stored });
}
