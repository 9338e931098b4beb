import type { LeaderInformation } from '../../../machines/vocabulary.ts';

/**
 * The world that is explored, in small numbers.
 *
 * - Time counts in ticks and is always 0 now: what lies ahead is positive, what has passed is negative.
 * - A version is 0 for what the store holds now and −1, −2 … for the older ones that a participant still knows, by rank:
 *   machines only ask whether a version is the newest and which of two is newer, so ranks keep every answer the same.
 * - A session is named after its token (`s3`), a participant calls itself `me` and everybody else `other`. Participants
 *   that behave alike are then the same participant, and the search visits one order of them only.
 */
export interface Scope {
  readonly participants: number;
  readonly components: number;
  /** How many sessions may be granted in all. */
  readonly sessions: number;
  /**
   * How many deviations from the prompt course of things, anywhere in the run. Without any, calls, answers, watches and
   * contenders are handled at once and in order; each delay, loss, refusal, repetition, slow or failing contender, crash,
   * pause and edit by hand costs one. Every run with at most so many of them, in every combination, is visited.
   */
  readonly faults: number;
}

export const TICKS = { leaseDurationMs: 3, marginMs: 1, renewMs: 1 } as const;

export type MachineName = 'election' | 'driver' | 'validity' | 'register' | 'leadership';

/** Places of the actors in a participant; the leaderships follow, one per component. */
export const ELECTION = 0;
export const DRIVER = 1;
export const VALIDITY = 2;
export const REGISTER = 3;
export const LEADERSHIP = 4;

export const machineAt = (place: number): MachineName =>
  (['election', 'driver', 'validity', 'register'] as const)[place] ?? 'leadership';

export interface Message {
  readonly type: string;
}

export interface LeaseCall {
  readonly port: 'lease';
  readonly kind: 'read' | 'acquire' | 'renew' | 'release';
  readonly sessionId: string;
  /** `null`: only if there is no record. */
  readonly expected: bigint | null;
}

export interface ContainerCall {
  readonly port: 'container';
  readonly kind: 'read' | 'write';
  readonly id: number;
  readonly expected: bigint;
  readonly token: bigint;
  readonly puts: readonly (readonly [string, LeaderInformation])[];
  readonly withdrawals: readonly (readonly [string, string])[];
  readonly keys: readonly string[];
  /** The session that was current for the election when the write left (I4). */
  readonly current: string;
}

export const UP = 0;
export const PAUSED = 1;
export const DOWN = 2;

/** News that the watch has not reported yet: of the lease, of the fence, and of each component's entry. */
export const LEASE_NEWS = 1;
export const FENCE_NEWS = 2;
export const entryNews = (component: number): number => 4 << component;

export interface Shared {
  /** Who holds it is kept beside the shared state: the same store, seen by a holder or by another. */
  readonly lease: { readonly token: number; readonly held: boolean; readonly isAskedFor: boolean } | null;
  readonly fence: number;
  /** Newest token that has read the register without having raised its fence first; 0: none. */
  readonly read: number;
  /** Token of the session whose entry is there; 0: none, −1: one that somebody wrote by hand. */
  readonly entries: readonly number[];
}

export const componentName = (at: number): string => `c${at}`;
export const componentIndex = (name: string): number => Number(name.slice(1));
export const sessionName = (token: number): string => `s${token}`;
export const tokenOf = (session: string): number => (session === '' ? 0 : Number(session.slice(1)));
