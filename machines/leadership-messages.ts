import type {
  FindingCommand,
  LeaderInformation,
  Reachable,
  RevokeReason,
  Session,
  TimerCommand,
  TimerElapsed,
} from './vocabulary.ts';

/** The message contract of one component's leadership: who says what to it, and what it says to whom. */
export type LeadershipEvent =
  // from the election
  | { readonly type: 'granted'; readonly session: Session }
  | { readonly type: 'revoked'; readonly sessionId: string; readonly reason: RevokeReason }
  | { readonly type: 'suspended'; readonly sessionId: string }
  | { readonly type: 'resumed'; readonly sessionId: string }
  | { readonly type: 'register.changed'; readonly version: bigint; readonly entry: LeaderInformation | null }
  // from the contender; exactly one `contender.settled` answers each `contender.start`
  | { readonly type: 'contender.started'; readonly sessionId: string }
  | {
      readonly type: 'contender.confirm';
      readonly sessionId: string;
      readonly confirmId: string;
      readonly reachable: Reachable;
    }
  | { readonly type: 'contender.settled'; readonly sessionId: string; readonly outcome: 'returned' | 'failed' }
  // from the register; each publish gets exactly one final answer, `unknown` is not final
  | {
      readonly type: 'publish.committed';
      readonly sessionId: string;
      readonly attempt: number;
      readonly version: bigint;
    }
  | { readonly type: 'publish.failed'; readonly sessionId: string; readonly attempt: number }
  | { readonly type: 'publish.unknown'; readonly sessionId: string; readonly attempt: number }
  | { readonly type: 'publish.dead'; readonly sessionId: string; readonly attempt: number }
  | { readonly type: 'publish.fenced'; readonly sessionId: string; readonly attempt: number }
  | { readonly type: 'publish.rejected'; readonly sessionId: string; readonly attempt: number }
  | { readonly type: 'withdraw.committed'; readonly sessionId: string; readonly attempt: number }
  | { readonly type: 'withdraw.failed'; readonly sessionId: string; readonly attempt: number }
  | { readonly type: 'withdraw.fenced'; readonly sessionId: string; readonly attempt: number }
  // from the clock and from the shell
  | TimerElapsed
  | { readonly type: 'close' };

export type LeadershipCommand =
  | { readonly type: 'contender.start'; readonly to: `contender:${string}`; readonly session: Session }
  | {
      readonly type: 'contender.stop';
      readonly to: `contender:${string}`;
      readonly sessionId: string;
      readonly reason: RevokeReason;
    }
  | { readonly type: 'contender.suspended'; readonly to: `contender:${string}`; readonly sessionId: string }
  | { readonly type: 'contender.resumed'; readonly to: `contender:${string}`; readonly sessionId: string }
  | {
      readonly type: 'confirm.settled';
      readonly to: `contender:${string}`;
      readonly sessionId: string;
      readonly confirmIds: readonly string[];
      readonly outcome: 'committed' | 'session-over' | 'fenced' | 'publish-rejected';
    }
  | {
      readonly type: 'register.publish';
      readonly to: 'register';
      readonly component: string;
      readonly attempt: number;
      readonly entry: LeaderInformation;
    }
  | {
      readonly type: 'register.read-back';
      readonly to: 'register';
      readonly component: string;
      readonly sessionId: string;
      readonly attempt: number;
    }
  | {
      readonly type: 'register.withdraw';
      readonly to: 'register';
      readonly component: string;
      readonly sessionId: string;
      readonly attempt: number;
    }
  | { readonly type: 'component.joined'; readonly to: 'election'; readonly component: string }
  | { readonly type: 'component.left'; readonly to: 'election'; readonly component: string }
  | {
      readonly type: 'component.drained';
      readonly to: 'election';
      readonly component: string;
      readonly sessionId: string;
      /** True when `component.overstayed` was said of this session before. */
      readonly overstayed: boolean;
    }
  | {
      readonly type: 'component.overstayed';
      readonly to: 'election';
      readonly component: string;
      readonly sessionId: string;
    }
  | { readonly type: 'session.fenced'; readonly to: 'election'; readonly component: string; readonly sessionId: string }
  | { readonly type: 'leadership.closed'; readonly to: 'tenure'; readonly component: string }
  | TimerCommand
  | FindingCommand;

/** Every event type that may reach the machine; the totality test walks it. */
export const leadershipEvents = [
  'granted',
  'revoked',
  'suspended',
  'resumed',
  'register.changed',
  'contender.started',
  'contender.confirm',
  'contender.settled',
  'publish.committed',
  'publish.failed',
  'publish.unknown',
  'publish.dead',
  'publish.fenced',
  'publish.rejected',
  'withdraw.committed',
  'withdraw.failed',
  'withdraw.fenced',
  'timer.elapsed',
  'close',
] as const satisfies readonly LeadershipEvent['type'][];
