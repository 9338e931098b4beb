import type { ActorRefFrom } from 'xstate';
import type { leadershipMachine } from '../../machines/leadership.ts';
import type { LeaderInformation, RevokeReason } from '../../machines/vocabulary.ts';
import type { TenureError } from '../errors.ts';
import type { Backend } from '../ports/backend.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { TraceSink } from '../ports/trace.ts';
import type { Stream } from './stream.ts';

/** Durations of an election, all in milliseconds; `src/runtime/timing.ts` holds the inequalities between them. */
export interface TimingOptions {
  /** How long a lease is promised to its holder. Default 15 000. */
  readonly leaseDurationMs?: number;
  /** How often the holder renews. Default 5 000. */
  readonly renewMs?: number;
  /** Bound of one call to the backend. Default 2 000. */
  readonly callTimeoutMs?: number;
  /** Safety distance between our own deadline and the moment others may take over. Default 2 000. */
  readonly marginMs?: number;
  /** How long a contender may take to settle after its signal aborted before that is reported. Default 10 000. */
  readonly stopBoundMs?: number;
  /** Rest after a contender failed, doubled with each failure in a row up to 30 s. Default 1 000. */
  readonly restMs?: number;
}

export interface TenureOptions {
  /** 1 to 200 of a-z, 0-9, '-', '.', starting with a letter or digit. */
  readonly election: string;
  /** A backend, or the name of one that needs no options: `'sqlite'`, `'memory'`. */
  readonly backend: Backend | 'sqlite' | 'memory';
  /** Name of this participant for people; default: the host's name. A random UUID is added per start. */
  readonly name?: string;
  readonly timing?: TimingOptions;
  /** Receives every delivered message. */
  readonly trace?: TraceSink;
  /** Receives what people should know: overstays, failures, undeclared messages. Must not throw. */
  readonly onFinding?: (finding: Finding) => void;
  /** Closes the tenure when it aborts. */
  readonly signal?: AbortSignal;
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface Finding {
  readonly code: string;
  readonly component: string | null;
  readonly sessionId: string | null;
  readonly detail: string;
  readonly error: TenureError | null;
}

/** What a contender function gets: one grant, from its start to its end. */
export interface LeaderSession {
  readonly id: string;
  readonly component: string;
  /** Grows with every session of the election; hand it to whatever you write to. */
  readonly fencingToken: bigint;
  /** Local time (scale of `Clock.deadlineNowMs`) until which leadership is provably ours; moves with each renewal. */
  readonly deadlineMs: number;
  /** Milliseconds left until `deadlineMs`, never below 0. */
  readonly remainingMs: number;
  /** Aborts when the session ends, at the local deadline at the latest; `reason` is a TenureError. */
  readonly signal: AbortSignal;
  /** Compares clocks at the call: a stalled event loop cannot make it true after the deadline. */
  readonly isCurrent: boolean;
  /** @throws TenureError `session-over` when not current. */
  assertCurrent(): void;
  /**
   * Says "ready, reachable here". Settles once the write is acknowledged. The same address again is fine, another
   * address is an update. While the backend is suspended the confirmation is held until it is back.
   * @throws TenureError `session-over`, `fenced`, `closed` or `publish-rejected`.
   */
  confirm(reachable: { readonly address: string; readonly metadata?: Readonly<Record<string, string>> }): Promise<void>;
  /** Calls back on suspension and resumption while the session lasts; returns the function that stops it. */
  onSuspension(listener: (suspended: boolean) => void): () => void;
}

export type ContenderFunction = (session: LeaderSession) => unknown;

/** The five states of a component's leadership, and the way out. */
export type LeadershipPhase =
  | 'standby'
  | 'grant-pending'
  | 'confirm-pending'
  | 'confirmed'
  | 'revoked'
  | 'withdrawing'
  | 'resting'
  | 'closed';

export interface LeadershipState {
  readonly component: string;
  readonly phase: LeadershipPhase;
  /** `confirm-pending.publishing`, `confirmed.settled`, …; equals `phase` where a state has no substates. */
  readonly state: string;
  readonly sessionId: string | null;
  readonly fencingToken: bigint | null;
  readonly suspended: boolean;
}

export interface LeadOptions {
  /** After a throw: stand again after a rest (default), or stay out. */
  readonly onFailure?: 'stand-again' | 'resign';
  /** Closes this component when it aborts. */
  readonly signal?: AbortSignal;
}

export interface Leading extends AsyncDisposable {
  readonly component: string;
  readonly state: LeadershipState;
  /** The newest states, oldest first, at most 64. */
  readonly history: readonly LeadershipState[];
  /** Every change of state. A slow iterator sees each one (bounded at 1 024, then the oldest are dropped). */
  readonly states: Stream<LeadershipState>;
  /** The statechart actor itself. A fresh one takes its place should it fail. */
  readonly actor: ActorRefFrom<typeof leadershipMachine>;
  /** Settles when the component is closed: resigned, closed, or failed with `onFailure: 'resign'`. Never rejects. */
  readonly closed: Promise<void>;
  /** Ends the contender, deletes this session's entry, deregisters. Idempotent; settles within the bounds. */
  close(): Promise<void>;
}

/** A confirmed leader as followers see it. */
export type Leader = LeaderInformation & { readonly component: string };

export interface Following extends Stream<Leader | null>, AsyncDisposable {
  readonly component: string;
  /** The leader now; `null` while none is confirmed (also while a newer session has not confirmed yet). */
  readonly current: Leader | null;
  /** `unknown` before the first reading, `superseded` when a newer session has fenced but not yet confirmed. */
  readonly state: 'unknown' | 'vacant' | 'known' | 'superseded';
  /** Fence that superseded the known leader. */
  readonly supersededBy: bigint | null;
  close(): Promise<void>;
}

export type ElectionPhase = 'idle' | 'contending' | 'leading' | 'suspended' | 'ceding' | 'closed';

export interface ElectionState {
  readonly phase: ElectionPhase;
  readonly sessionId: string | null;
  readonly fencingToken: bigint | null;
  readonly deadlineMs: number | null;
}

export interface Tenure extends AsyncDisposable {
  readonly election: string;
  readonly identity: string;
  /** Where the election lives, for people. */
  readonly place: string;
  readonly protection: 'lease' | 'none';
  readonly state: ElectionState;
  readonly states: Stream<ElectionState>;
  /** Registers a contender. @throws TenureError `component-taken`, `closed`, `invalid-options`. */
  lead(component: string, contender: ContenderFunction, options?: LeadOptions): Leading;
  /** Sees who leads a component, from outside. @throws TenureError `closed`, `invalid-options`. */
  follow(component: string, options?: { readonly signal?: AbortSignal }): Following;
  /**
   * Stops the work of this participant's session, then gives the lock back and lets others go first.
   * @throws TenureError `not-leading` when there is nothing to step down from.
   */
  stepDown(): Promise<void>;
  /** Stops work, withdraws the entries, releases the lock, closes the backend. Idempotent; settles within the bounds. */
  close(): Promise<void>;
}

export type { RevokeReason };
