import type { Fence, LeaderInformation, Session, TimerCommand, TimerElapsed } from './vocabulary.ts';

/** One operation on one key. `attempt` names it among all operations of its component. */
export type ContainerOperation =
  | {
      readonly kind: 'publish';
      readonly component: string;
      readonly sessionId: string;
      readonly attempt: number;
      readonly entry: LeaderInformation;
    }
  | {
      readonly kind: 'withdraw';
      readonly component: string;
      readonly sessionId: string;
      readonly attempt: number;
    };

/** Newest first. A list and not an array: 10,000 components that publish at once must not copy 10,000² elements. */
export interface Queued {
  readonly operation: ContainerOperation;
  readonly before: Queued | null;
}

export type ContainerEvent =
  | { readonly type: 'register.open'; readonly session: Session; readonly version: bigint }
  | { readonly type: 'register.shut'; readonly sessionId: string }
  | {
      readonly type: 'register.publish';
      readonly component: string;
      readonly attempt: number;
      readonly entry: LeaderInformation;
    }
  | {
      readonly type: 'register.withdraw';
      readonly component: string;
      readonly sessionId: string;
      readonly attempt: number;
    }
  | {
      readonly type: 'register.read-back';
      readonly component: string;
      readonly sessionId: string;
      readonly attempt: number;
    }
  // from the store; `writeId` and `readId` name the request that is answered
  | { readonly type: 'write.committed'; readonly writeId: number; readonly version: bigint }
  | {
      readonly type: 'write.conflict';
      readonly writeId: number;
      readonly version: bigint;
      readonly fence: Fence | null;
    }
  | { readonly type: 'write.fenced'; readonly writeId: number; readonly fence: Fence | null }
  | {
      readonly type: 'write.refused';
      readonly writeId: number;
      readonly reason: 'unavailable' | 'too-large';
    }
  | { readonly type: 'write.unknown'; readonly writeId: number }
  | {
      readonly type: 'read.found';
      readonly readId: number;
      readonly version: bigint;
      readonly fence: Fence | null;
      readonly entries: ReadonlyMap<string, LeaderInformation | null>;
    }
  | { readonly type: 'read.failed'; readonly readId: number }
  | TimerElapsed;

type Answer = {
  readonly to: `leadership:${string}`;
  readonly sessionId: string;
  readonly attempt: number;
};
export type ContainerCommand =
  | {
      readonly type: 'container.write';
      readonly to: 'store';
      readonly writeId: number;
      readonly expectedVersion: bigint;
      readonly fence: Fence;
      readonly puts: ReadonlyMap<string, LeaderInformation>;
      readonly withdrawals: ReadonlyMap<string, string>;
    }
  | {
      readonly type: 'container.read';
      readonly to: 'store';
      readonly readId: number;
      readonly keys: readonly string[];
    }
  | (Answer & { readonly type: 'publish.committed'; readonly version: bigint })
  | (Answer & {
      readonly type:
        | 'publish.failed'
        | 'publish.unknown'
        | 'publish.dead'
        | 'publish.fenced'
        | 'publish.rejected'
        | 'withdraw.committed'
        | 'withdraw.failed'
        | 'withdraw.fenced';
    })
  | {
      readonly type: 'register.fence-refused';
      readonly to: 'election';
      readonly sessionId: string;
      readonly fence: Fence;
    }
  | TimerCommand;

export const containerEvents = [
  'register.open',
  'register.shut',
  'register.publish',
  'register.withdraw',
  'register.read-back',
  'write.committed',
  'write.conflict',
  'write.fenced',
  'write.refused',
  'write.unknown',
  'read.found',
  'read.failed',
  'timer.elapsed',
] as const satisfies readonly ContainerEvent['type'][];

export interface ContainerContext {
  readonly retryBaseMs: number;
  readonly retryCapMs: number;
  readonly session: Session | null;
  /** The newest version known; a conflict corrects it. */
  readonly version: bigint;
  readonly queue: Queued | null;
  /** What the write under way (or in doubt) carries, oldest first. */
  readonly batch: readonly ContainerOperation[];
  /** One operation a write, to find the one that is too large. */
  readonly oneByOne: boolean;
  /** Names reads, writes and waits. */
  readonly calls: number;
  readonly failures: number;
}
