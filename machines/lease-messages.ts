import type { Session, TimerCommand, TimerElapsed } from './vocabulary.ts';

/** The record of a lease, as far as decisions need it. */
export interface LeaseView {
  readonly version: bigint;
  readonly holder: string;
  readonly sessionId: string;
  readonly durationMs: number;
  readonly stepDownFor: string;
}

/** Answers carry when their request was sent (deadline scale) or when they came (waiting scale): machines have no clock. */
export type LeaseEvent =
  // from the election
  | { readonly type: 'contend'; readonly yielding: boolean }
  | { readonly type: 'stop' }
  | { readonly type: 'release'; readonly sessionId: string }
  | { readonly type: 'abandon'; readonly sessionId: string }
  // from the store: watch events and the answers to commands
  | { readonly type: 'record.seen'; readonly record: LeaseView | null; readonly nowMs: number }
  | { readonly type: 'read.failed' }
  | {
      readonly type: 'acquire.committed';
      readonly record: LeaseView;
      readonly session: Session;
      readonly sentAtMs: number;
      /** When the answer came, on the scale of `sentAtMs`. */
      readonly answeredAtMs: number;
      readonly nowMs: number;
    }
  | { readonly type: 'acquire.conflict'; readonly record: LeaseView | null; readonly nowMs: number }
  | { readonly type: 'acquire.refused' }
  | { readonly type: 'acquire.unknown' }
  | {
      readonly type: 'renew.committed';
      readonly sessionId: string;
      readonly record: LeaseView;
      readonly sentAtMs: number;
      readonly nowMs: number;
    }
  | {
      readonly type: 'renew.conflict';
      readonly sessionId: string;
      readonly record: LeaseView | null;
      readonly nowMs: number;
    }
  | { readonly type: 'renew.refused'; readonly sessionId: string }
  | { readonly type: 'renew.unknown'; readonly sessionId: string }
  | {
      readonly type: 'release.committed';
      readonly sessionId: string;
      readonly record: LeaseView;
      readonly nowMs: number;
    }
  | {
      readonly type: 'release.conflict';
      readonly sessionId: string;
      readonly record: LeaseView | null;
      readonly nowMs: number;
    }
  | { readonly type: 'release.refused'; readonly sessionId: string }
  | { readonly type: 'release.unknown'; readonly sessionId: string }
  // from validity and the clock
  | { readonly type: 'lapsed'; readonly sessionId: string }
  | TimerElapsed;

export type LeaseCommand =
  | { readonly type: 'lease.read'; readonly to: 'store' }
  | { readonly type: 'lease.acquire'; readonly to: 'store'; readonly expectedVersion: bigint | null }
  | {
      readonly type: 'lease.renew';
      readonly to: 'store';
      readonly sessionId: string;
      readonly expectedVersion: bigint;
    }
  | {
      readonly type: 'lease.release';
      readonly to: 'store';
      readonly sessionId: string;
      readonly expectedVersion: bigint;
    }
  | {
      readonly type: 'validity.begin';
      readonly to: 'validity';
      readonly sessionId: string;
      readonly sentAtMs: number;
    }
  | {
      readonly type: 'heartbeat.acknowledged';
      readonly to: 'validity';
      readonly sessionId: string;
      readonly sentAtMs: number;
    }
  | { readonly type: 'heartbeat.missed'; readonly to: 'validity'; readonly sessionId: string }
  | { readonly type: 'validity.end'; readonly to: 'validity'; readonly sessionId: string }
  | { readonly type: 'lease.acquired'; readonly to: 'election'; readonly session: Session }
  | { readonly type: 'lease.lost'; readonly to: 'election'; readonly sessionId: string }
  | {
      readonly type: 'lease.released';
      readonly to: 'election';
      readonly sessionId: string;
      readonly outcome: 'released' | 'abandoned' | 'lost' | 'unreleased';
    }
  | { readonly type: 'lease.stopped'; readonly to: 'election' }
  | { readonly type: 'step-down.requested'; readonly to: 'election'; readonly sessionId: string }
  | TimerCommand;

export const leaseEvents = [
  'contend',
  'stop',
  'release',
  'abandon',
  'record.seen',
  'read.failed',
  'acquire.committed',
  'acquire.conflict',
  'acquire.refused',
  'acquire.unknown',
  'renew.committed',
  'renew.conflict',
  'renew.refused',
  'renew.unknown',
  'release.committed',
  'release.conflict',
  'release.refused',
  'release.unknown',
  'lapsed',
  'timer.elapsed',
] as const satisfies readonly LeaseEvent['type'][];

export interface LeaseInput {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly marginMs: number;
  readonly renewMs: number;
  /** Pause after a read or write that the backend could not do. */
  readonly retryMs: number;
  /** How often a release is tried before the lease is left to expire. */
  readonly releaseTries: number;
}

export interface LeaseContext extends LeaseInput {
  /** `undefined`: never read. `null`: there is none. */
  readonly record: LeaseView | null | undefined;
  /** When this version was first seen (waiting scale). The same version seen again does not move it. */
  readonly seenAtMs: number;
  readonly session: Session | null;
  /** The version that the acquisition under way replaces. */
  readonly asked: bigint | null;
  readonly tries: number;
  /** Counts waits, so that a timer of an earlier wait matches nothing. */
  readonly waits: number;
}
