/**
 * The words that all machines share. One word per idea, the same in code, diagrams, traces and metrics.
 *
 * Envelope: every command that leaves a machine carries `to`, the address of its recipient. The post office of the
 * runtime (or of the simulator, the explorer, a user's own shell) delivers it there as an event.
 */

/** One grant. `fencingToken` only grows from one session of an election to the next. */
export interface Session {
  readonly id: string;
  readonly fencingToken: bigint;
}

/** What a contender says when it is ready: reachable here. */
export interface Reachable {
  readonly address: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What followers see of a confirmed component. */
export interface LeaderInformation extends Reachable {
  readonly sessionId: string;
  readonly fencingToken: bigint;
}

/** Stored in a container; writes of an older session are refused there. */
export interface Fence {
  readonly fencingToken: bigint;
  readonly sessionId: string;
}

/** Why a session ended. */
export type RevokeReason =
  | 'lost' // the lease was taken, deleted or given to somebody else
  | 'deadline' // not renewed in time: no longer provably ours
  | 'fenced' // a newer session has written its fence
  | 'stepped-down'
  | 'superseded' // a newer session was granted to this same participant
  | 'closing'
  | 'resigned'
  | 'failed';

/** Why a write was not done. `retry` tells whether the same write can succeed later. */
export type RefusalReason = 'unavailable' | 'fenced' | 'too-large' | 'read-only';

/** Addresses of recipients. `leadership:*` reaches every registered component of the election. */
export type Address =
  | 'election'
  | 'driver' // the lease (or queue) machine: owns the lock
  | 'validity'
  | 'register' // the container machine of the leader information
  | 'store' // the ports of the backend
  | 'clock'
  | 'observer' // findings, for people
  | 'tenure' // the shell that holds the user's promises
  | `leadership:${string}`
  | `contender:${string}`
  | `retrieval:${string}`
  | `follower:${string}` // the shell behind a retrieval actor
  | 'retrieval:*'
  | 'leadership:*';

/** Starts (or restarts) the timer `id`. Exactly one of `atMs` and `afterMs` is given. */
export type TimerCommand =
  | {
      readonly type: 'timer.set';
      readonly to: 'clock';
      readonly id: string;
      /** Absolute time on the scale that `scale` names. */
      readonly atMs: number;
      /** `deadline` counts machine sleep (for our own validity), `waiting` does not (for waiting on others). */
      readonly scale: 'deadline' | 'waiting';
      /** Up to so much is added at random. Never used on the `deadline` scale. */
      readonly jitterMs?: number;
    }
  | {
      readonly type: 'timer.set';
      readonly to: 'clock';
      readonly id: string;
      readonly afterMs: number;
      /** Up to this share of `afterMs` is added at random, so that participants do not march in step. */
      readonly jitter: number;
    }
  | { readonly type: 'timer.cancel'; readonly to: 'clock'; readonly id: string };

export interface TimerElapsed {
  readonly type: 'timer.elapsed';
  readonly id: string;
  /** The time on the timer's own scale at which it fired. */
  readonly nowMs: number;
}

/** A finding is something that a person should know; it never changes what a machine does. */
export interface FindingCommand {
  readonly type: 'finding';
  readonly to: 'observer';
  readonly code: string;
  readonly component?: string;
  readonly sessionId?: string;
  readonly detail: string;
}

export function sameReachable(a: Reachable, b: Reachable): boolean {
  if (a.address !== b.address) return false;
  const keys = Object.keys(a.metadata);
  return keys.length === Object.keys(b.metadata).length && keys.every((key) => a.metadata[key] === b.metadata[key]);
}

export function sameInformation(a: LeaderInformation | null, b: LeaderInformation | null): boolean {
  if (a === null || b === null) return a === b;
  return a.sessionId === b.sessionId && a.fencingToken === b.fencingToken && sameReachable(a, b);
}

/** Exponential back-off without randomness (jitter belongs to the clock): `baseMs × 2^n`, never above `capMs`. */
export function backOffMs(failures: number, baseMs: number, capMs: number): number {
  return Math.min(capMs, baseMs * 2 ** Math.min(failures, 30));
}
