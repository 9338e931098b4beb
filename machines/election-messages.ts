import type {
  Fence,
  FindingCommand,
  LeaderInformation,
  RevokeReason,
  Session,
  TimerCommand,
  TimerElapsed,
} from './vocabulary.ts';

export type ElectionEvent =
  // from the leaderships. Each `granted` that leaves here is answered by exactly one `component.drained`.
  | { readonly type: 'component.joined'; readonly component: string }
  | { readonly type: 'component.left'; readonly component: string }
  | {
      readonly type: 'component.drained';
      readonly component: string;
      readonly sessionId: string;
      readonly overstayed: boolean;
    }
  | { readonly type: 'component.overstayed'; readonly component: string; readonly sessionId: string }
  | { readonly type: 'session.fenced'; readonly component: string; readonly sessionId: string }
  // from the lease
  | { readonly type: 'lease.acquired'; readonly session: Session }
  | { readonly type: 'lease.lost'; readonly sessionId: string }
  | {
      readonly type: 'lease.released';
      readonly sessionId: string;
      readonly outcome: 'released' | 'abandoned' | 'lost' | 'unreleased';
    }
  | { readonly type: 'lease.stopped' }
  | { readonly type: 'step-down.requested'; readonly sessionId: string }
  // from validity
  | { readonly type: 'suspended'; readonly sessionId: string }
  | { readonly type: 'resumed'; readonly sessionId: string }
  | { readonly type: 'lapsed'; readonly sessionId: string }
  // from the register
  | {
      readonly type: 'register.observed';
      readonly version: bigint;
      readonly fence: Fence | null;
      readonly changed: ReadonlyMap<string, LeaderInformation | null>;
    }
  | { readonly type: 'register.fence-refused'; readonly sessionId: string; readonly fence: Fence }
  // from the shell
  | { readonly type: 'step-down'; readonly requestId: string }
  | { readonly type: 'close' }
  | TimerElapsed;

/** `leadership:*` reaches exactly the components whose `component.joined` was handled and whose `left` was not. */
export type ElectionCommand =
  | { readonly type: 'granted'; readonly to: `leadership:${string}`; readonly session: Session }
  | {
      readonly type: 'revoked';
      readonly to: 'leadership:*';
      readonly sessionId: string;
      readonly reason: RevokeReason;
    }
  | { readonly type: 'suspended'; readonly to: `leadership:${string}`; readonly sessionId: string }
  | { readonly type: 'resumed'; readonly to: 'leadership:*'; readonly sessionId: string }
  | {
      readonly type: 'register.changed';
      readonly to: `leadership:${string}`;
      readonly version: bigint;
      readonly entry: LeaderInformation | null;
    }
  | { readonly type: 'contend'; readonly to: 'driver'; readonly yielding: boolean }
  | { readonly type: 'stop'; readonly to: 'driver' }
  | { readonly type: 'release'; readonly to: 'driver'; readonly sessionId: string }
  | { readonly type: 'abandon'; readonly to: 'driver'; readonly sessionId: string }
  | {
      readonly type: 'register.open';
      readonly to: 'register';
      readonly session: Session;
      /** Newest version seen: saves the first write of a session a conflict. */
      readonly version: bigint;
    }
  | { readonly type: 'register.shut'; readonly to: 'register'; readonly sessionId: string }
  | {
      readonly type: 'step-down.settled';
      readonly to: 'tenure';
      readonly requestIds: readonly string[];
      readonly outcome: 'done' | 'not-leading' | 'unreleased';
    }
  | { readonly type: 'election.closed'; readonly to: 'tenure' }
  | FindingCommand
  | TimerCommand;

export const electionEvents = [
  'component.joined',
  'component.left',
  'component.drained',
  'component.overstayed',
  'session.fenced',
  'lease.acquired',
  'lease.lost',
  'lease.released',
  'lease.stopped',
  'step-down.requested',
  'suspended',
  'resumed',
  'lapsed',
  'register.observed',
  'register.fence-refused',
  'step-down',
  'close',
  'timer.elapsed',
] as const satisfies readonly ElectionEvent['type'][];

export interface ElectionContext {
  /** Components that stand: joined and not left. */
  readonly standing: number;
  /** Grants sent minus grants drained: at 0 no contender of any session runs in this participant. */
  readonly undrained: number;
  /** How many of the undrained have been reported as overstaying. */
  readonly overstaying: number;
  readonly session: Session | null;
  readonly closing: boolean;
  /** Newest version of the register that was seen. */
  readonly registerVersion: bigint;
  /** Given up on purpose: let others go first. */
  readonly yielding: boolean;
  readonly requests: readonly string[];
  readonly reason: RevokeReason;
}
