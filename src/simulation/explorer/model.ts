import type { AnyMachineSnapshot } from 'xstate';
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
  /** Lost, delayed and refused calls, crashes, pauses, failing contenders, edits by hand: each costs one. */
  readonly faults: number;
}

export const TICKS = { leaseDurationMs: 3, marginMs: 1, renewMs: 1 } as const;

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

export interface Message {
  readonly type: string;
}

/** `asked`: on its way to the store. `answered`: applied, the answer is on its way back. `stray`: given up, may arrive. */
export interface Call {
  readonly state: 'asked' | 'answered' | 'stray';
  readonly request: LeaseCall | ContainerCall;
  readonly sentAtMs: number;
  readonly answer: Message | null;
  readonly to: 'driver' | 'register';
}

export interface Timer {
  readonly owner: string;
  readonly id: string;
  readonly dueIn: number;
}

export interface Contender {
  /** Session that the function runs for; `''` when it does not run. */
  readonly session: string;
  readonly toldToStop: boolean;
  readonly hasConfirmed: boolean;
  /** Confirmations whose promise is open. */
  readonly open: number;
}

export interface Local {
  readonly status: 'up' | 'paused' | 'down';
  readonly actors: Readonly<Record<string, AnyMachineSnapshot>>;
  readonly timers: readonly Timer[];
  readonly calls: readonly Call[];
  readonly contenders: readonly Contender[];
  readonly roster: readonly boolean[];
  /** The watch has news of the lease; of which entries; of the fence. */
  readonly leaseNews: boolean;
  readonly entryNews: readonly boolean[];
  readonly fenceNews: boolean;
  /** Broken by the step that led here; such a state is reported and not explored. */
  readonly broken: string | null;
}

export interface Shared {
  /** Who holds it is kept beside the shared state: the same store, seen by a holder or by another. */
  readonly lease: { readonly token: number; readonly held: boolean } | null;
  readonly fence: number;
  /** Token of the session whose entry is there; 0: none, −1: one that somebody wrote by hand. */
  readonly entries: readonly number[];
  readonly faultsLeft: number;
}

export const componentName = (at: number): string => `c${at}`;
export const componentIndex = (name: string): number => Number(name.slice(1));
export const sessionName = (token: number): string => `s${token}`;
export const tokenOf = (session: string): number => (session === '' ? 0 : Number(session.slice(1)));
