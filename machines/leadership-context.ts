import type { LeadershipEvent } from './leadership-messages.ts';
import type { LeaderInformation, Reachable, RevokeReason, Session } from './vocabulary.ts';
import { backOffMs, sameReachable } from './vocabulary.ts';

export interface LeadershipPolicy {
  /** First pause after a refused write; doubled with each one in a row up to `retryCapMs`. */
  readonly retryBaseMs: number;
  readonly retryCapMs: number;
  /** A repair within this span of the previous one counts as "in a row": two writers must not play ping-pong. */
  readonly calmMs: number;
  /** How long a contender may take to settle before that is reported. */
  readonly stopBoundMs: number;
  /** How long the deletion of the own entry is tried when leaving. */
  readonly withdrawBoundMs: number;
  /** First rest after a contender failed; doubled with each one in a row up to `restCapMs`. */
  readonly restBaseMs: number;
  readonly restCapMs: number;
  /** What a throwing contender means for its component. */
  readonly onFailure: 'stand-again' | 'resign';
}

export const defaultLeadershipPolicy: LeadershipPolicy = {
  retryBaseMs: 100,
  retryCapMs: 5_000,
  calmMs: 10_000,
  stopBoundMs: 10_000,
  withdrawBoundMs: 5_000,
  restBaseMs: 1_000,
  restCapMs: 30_000,
  onFailure: 'stand-again',
};

export interface LeadershipInput {
  readonly component: string;
  readonly policy?: Partial<LeadershipPolicy>;
  /**
   * The last attempt of the actor that led this component before, in this process; 0 when there was none. A component may
   * come back within one session, and answers to its former actor may still be on their way:
   *
   *   attempt 1 in doubt … the component leaves and comes back, its new attempt 1 waits … the first one turns out committed
   */
  readonly attempt?: number;
}

export interface LeadershipContext {
  readonly component: string;
  readonly policy: LeadershipPolicy;
  /** The session whose contender runs or still has to settle. */
  readonly session: Session | null;
  /** A grant that waits for the former contender to settle; the last one wins. */
  readonly next: Session | null;
  /** Counts writes over all sessions, so that an answer names exactly one write. */
  readonly attempt: number;
  /** What the contender said last. */
  readonly wanted: Reachable | null;
  /** What the newest write of this session carries; `null` means that this session never wrote. */
  readonly sent: Reachable | null;
  /** What was acknowledged last in this session. */
  readonly published: { readonly reachable: Reachable; readonly version: bigint } | null;
  /** Confirmations whose promises are still open. */
  readonly confirms: readonly string[];
  /** How many of them, counted from the oldest, the newest write answers; later ones may want another address. */
  readonly covered: number;
  /** The entry that a change event showed last. Looked at only once a write has been acknowledged. */
  readonly seen: { readonly entry: LeaderInformation | null; readonly version: bigint } | null;
  readonly suspended: boolean;
  /** Refused writes and repairs in a row. */
  readonly failures: number;
  /** Failed contenders in a row. */
  readonly rests: number;
  readonly leaving: 'resign' | 'rest' | 'close' | null;
  readonly reason: RevokeReason;
  /** The session was taken away while the component was leaving: nothing may be deleted any more. */
  readonly lost: boolean;
  readonly overstayed: boolean;
}

export function initialLeadership(input: LeadershipInput): LeadershipContext {
  return {
    component: input.component,
    policy: { ...defaultLeadershipPolicy, ...input.policy },
    session: null,
    next: null,
    attempt: input.attempt ?? 0,
    wanted: null,
    sent: null,
    published: null,
    confirms: [],
    covered: 0,
    seen: null,
    suspended: false,
    failures: 0,
    rests: 0,
    leaving: null,
    reason: 'lost',
    lost: false,
    overstayed: false,
  };
}

export interface At<E = LeadershipEvent> {
  readonly context: LeadershipContext;
  readonly event: E;
}

/** A session starts with nothing of the former one but the attempt counter. */
export function beginSession(context: LeadershipContext, session: Session): Partial<LeadershipContext> {
  return {
    session,
    next: null,
    wanted: null,
    sent: null,
    published: null,
    confirms: [],
    covered: 0,
    seen: null,
    suspended: false,
    failures: 0,
    rests: context.rests,
    leaving: null,
    lost: false,
    overstayed: false,
  };
}

export const isCurrent = ({ context, event }: At<{ readonly sessionId: string }>): boolean =>
  context.session?.id === event.sessionId;

export const isNext = ({ context, event }: At<{ readonly sessionId: string }>): boolean =>
  context.next?.id === event.sessionId;

export const isSameGrant = ({ context, event }: At<{ readonly session: Session }>): boolean =>
  context.session?.id === event.session.id || context.next?.id === event.session.id;

/** The answer belongs to the newest write of the current session; any other answer matches nothing. */
export const isCurrentAttempt = ({
  context,
  event,
}: At<{ readonly sessionId: string; readonly attempt: number }>): boolean =>
  context.session?.id === event.sessionId && context.attempt === event.attempt;

/** The contender said something newer while the write was under way. */
export const isOutdated = (at: At<{ readonly sessionId: string; readonly attempt: number }>): boolean =>
  isCurrentAttempt(at) &&
  at.context.wanted !== null &&
  at.context.sent !== null &&
  !sameReachable(at.context.wanted, at.context.sent);

export const isSameAddress = (at: At<{ readonly sessionId: string; readonly reachable: Reachable }>): boolean =>
  isCurrent(at) && at.context.published !== null && sameReachable(at.context.published.reachable, at.event.reachable);

export const isCurrentAndSuspended = (at: At<{ readonly sessionId: string }>): boolean =>
  isCurrent(at) && at.context.suspended;

/** An entry that is missing, or somebody's with a token that is not above ours, has to be written again. */
function isForeign(context: LeadershipContext, entry: LeaderInformation | null): boolean {
  return entry === null || entry.sessionId !== context.session?.id;
}

export const isNewerEntry = ({ context, event }: At<{ readonly entry: LeaderInformation | null }>): boolean =>
  event.entry !== null && context.session !== null && event.entry.fencingToken > context.session.fencingToken;

/** A change event that was on its way while our own write was acknowledged shows the world before that write. */
export const isBeforeOwnWrite = ({ context, event }: At<{ readonly version: bigint }>): boolean =>
  context.published !== null && event.version <= context.published.version;

export const mustRepair = ({ context, event }: At<{ readonly entry: LeaderInformation | null }>): boolean =>
  !context.suspended && context.failures === 0 && isForeign(context, event.entry);

export const mustRepairLater = ({ context, event }: At<{ readonly entry: LeaderInformation | null }>): boolean =>
  !context.suspended && context.failures > 0 && isForeign(context, event.entry);

/** The write was acknowledged at `version`, but a later change has already removed or replaced the entry. */
export const isUndoneAlready = (
  at: At<{ readonly sessionId: string; readonly attempt: number; readonly version: bigint }>,
): boolean => {
  const { seen } = at.context;
  return isCurrentAttempt(at) && seen !== null && seen.version > at.event.version && isForeign(at.context, seen.entry);
};

/** A later change has removed or replaced what was acknowledged last. */
function isUndone({ published, seen, session }: LeadershipContext): boolean {
  if (published === null || seen === null || seen.version <= published.version) return false;
  return seen.entry === null || seen.entry.sessionId !== session?.id;
}

/** Something was left unwritten while the backend was suspended. */
export const owesWrite = (at: At<{ readonly sessionId: string }>): boolean => {
  const { published, wanted } = at.context;
  if (!isCurrent(at) || published === null || wanted === null) return false;
  return !sameReachable(wanted, published.reachable) || isUndone(at.context);
};

/** The refused update was the newest wish, and what had been accepted before it is missing: that comes back. */
export const isRejectedWhileUndone = (at: At<{ readonly sessionId: string; readonly attempt: number }>): boolean =>
  isCurrentAttempt(at) && isUndone(at.context);

/** The refused write only repeated what had been accepted before: worth trying again later. */
export const isRejectedRepair = (at: At<{ readonly sessionId: string; readonly attempt: number }>): boolean => {
  const { published, sent } = at.context;
  return isCurrentAttempt(at) && published !== null && sent !== null && sameReachable(published.reachable, sent);
};

type OfTimer = At<{ readonly id: string }>;
const isTimer = (name: string, at: OfTimer): boolean => at.event.id === timerId(name, at.context);
export const isRetryTimer = (at: OfTimer): boolean => isTimer('retry', at);
export const isRetryTimerWhileSuspended = (at: At<{ readonly id: string }>): boolean =>
  at.context.suspended && isRetryTimer(at);
export const isStopTimer = (at: OfTimer): boolean => isTimer('stop', at);
export const isStopTimerOfClosing = (at: At<{ readonly id: string }>): boolean =>
  at.context.leaving === 'close' && isStopTimer(at);
export const isWithdrawTimer = (at: OfTimer): boolean => isTimer('withdraw', at);
export const isWithdrawTimerThenRest = (at: At<{ readonly id: string }>): boolean =>
  isWithdrawTimer(at) && at.context.leaving === 'rest';
export const isRestTimer = (at: OfTimer): boolean => isTimer('rest', at);
export const isCalmTimer = (at: OfTimer): boolean => isTimer('calm', at);

/** Timers carry what they were set for, so that one which fired just before it was cancelled matches nothing. */
export function timerId(name: string, context: LeadershipContext): string {
  if (name === 'retry' || name === 'calm') return `${name}:${context.attempt}`;
  if (name === 'rest') return `rest:${context.rests}`;
  return `${name}:${context.session?.id ?? ''}`;
}

export function retryAfterMs(context: LeadershipContext): number {
  return backOffMs(Math.max(0, context.failures - 1), context.policy.retryBaseMs, context.policy.retryCapMs);
}

export function restAfterMs(context: LeadershipContext): number {
  return backOffMs(Math.max(0, context.rests - 1), context.policy.restBaseMs, context.policy.restCapMs);
}

/** How a settled contender ends its component: `rest` and stand again, or leave for good. */
export function leavingAfter(
  context: LeadershipContext,
  outcome: 'returned' | 'failed',
): NonNullable<LeadershipContext['leaving']> {
  if (context.leaving === 'close') return 'close';
  return outcome === 'failed' && context.policy.onFailure === 'stand-again' ? 'rest' : 'resign';
}

type Settled = { readonly sessionId: string; readonly outcome: 'returned' | 'failed' };

export const settledHavingWritten = (at: At<Settled>): boolean =>
  isCurrent(at) && at.context.sent !== null && !at.context.lost;

export const settledThenRest = (at: At<Settled>): boolean =>
  isCurrent(at) && !settledHavingWritten(at) && leavingAfter(at.context, at.event.outcome) === 'rest';

export const isCurrentAttemptThenRest = (at: At<{ readonly sessionId: string; readonly attempt: number }>): boolean =>
  isCurrentAttempt(at) && at.context.leaving === 'rest';

export const isCurrentThenRest = (at: At<{ readonly sessionId: string }>): boolean =>
  isCurrent(at) && at.context.leaving === 'rest';

export const isCurrentAndClosing = (at: At<{ readonly sessionId: string }>): boolean =>
  isCurrent(at) && at.context.leaving === 'close';

export const isCurrentWithNext = (at: At<{ readonly sessionId: string }>): boolean =>
  isCurrent(at) && at.context.next !== null;

export const hasNext = ({ context }: At<unknown>): boolean => context.next !== null;

export const isClosing = ({ context }: At<unknown>): boolean => context.leaving === 'close';
