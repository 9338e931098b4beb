import type { RevokeReason } from '../../../machines/vocabulary.ts';
import { describe, TenureError } from '../../errors.ts';
import type { LeaderSession } from '../../runtime/api.ts';
import { type BrokenRule, type ContenderRule, secondsText } from './rules.ts';

/** Says that something begins which only a leader may do. */
export type Work = (what?: string) => void;

/**
 * The function under test. In a world it gets a second argument, `work`: hand it to the fakes of whatever only a leader
 * may do, and the world sees work that begins after the signal has aborted.
 */
export type TestedContender = (session: LeaderSession, work: Work) => unknown;

interface Confirm {
  readonly address: unknown;
  outcome: 'pending' | 'committed' | string;
}

interface Seen {
  readonly session: LeaderSession;
  readonly confirms: Confirm[];
  /** Whether something happened since the last confirmation that is a reason for another one. */
  hasReason: boolean;
  told: { readonly atMs: number; readonly reason: RevokeReason } | null;
  isSettled: boolean;
}

export interface WatchOptions {
  readonly allow: ReadonlySet<ContenderRule>;
  readonly stopBoundMs: number;
  readonly nowMs: () => number;
  readonly say: (line: string) => void;
}

/** Watches one contender through all its sessions, and notes which rules it breaks. */
export class ContenderWatch {
  readonly broken: BrokenRule[] = [];
  readonly #contender: TestedContender;
  readonly #o: WatchOptions;
  readonly #seen = new Map<string, Seen>();

  constructor(contender: TestedContender, options: WatchOptions) {
    this.#contender = contender;
    this.#o = options;
  }

  /** What the runtime runs in place of the contender. The session is the runtime's own, only `confirm` is overheard. */
  readonly run = async (session: LeaderSession): Promise<void> => {
    const seen: Seen = { session, confirms: [], hasReason: false, told: null, isSettled: false };
    // The same session may be granted once more after a rest: it is the newest then.
    this.#seen.delete(session.id);
    this.#seen.set(session.id, seen);
    this.#overhear(seen);
    session.onSuspension(() => {
      seen.hasReason = true;
    });
    const work: Work = (what = 'work') => this.#work(seen, what);
    try {
      await this.#contender(session, work);
      this.#returned(seen);
    } catch (thrown) {
      this.#o.say(`contender throws ${text(thrown)} (${session.id})`);
      throw thrown;
    } finally {
      seen.isSettled = true;
    }
  };

  /** Sessions whose contender has begun, oldest first. */
  get sessions(): readonly LeaderSession[] {
    return [...this.#seen.values()].map(({ session }) => session);
  }

  toldToStop(sessionId: string, reason: RevokeReason): void {
    const seen = this.#seen.get(sessionId);
    if (seen !== undefined && !seen.isSettled) seen.told ??= { atMs: this.#o.nowMs(), reason };
  }

  /** The runtime counts the end of this contender as a failure. */
  failed(sessionId: string, error: TenureError): void {
    const seen = this.#seen.get(sessionId);
    if (seen === undefined) return;
    const cause = text(error.cause ?? error);
    if (seen.told !== null) this.note('stops-without-throwing', sessionId, `told to stop, it threw ${cause}`);
    else if (!wasRefused(seen)) this.note('does-not-throw', sessionId, `it threw ${cause} while it led`);
  }

  listenerFailed(sessionId: string, thrown: unknown): void {
    this.note('listeners-do-not-throw', sessionId, `the callback threw ${text(thrown)}`);
  }

  /** Those that were told to stop, and have had their time. */
  checkStopped(): void {
    for (const { session, told, isSettled } of this.#seen.values()) {
      if (told === null || isSettled) continue;
      const sinceMs = this.#o.nowMs() - told.atMs;
      if (sinceMs < this.#o.stopBoundMs) continue;
      const rule = told.reason === 'closing' ? 'settles-on-close' : 'stops-when-revoked';
      const why = told.reason === 'closing' ? 'the component is being closed' : `revoked: ${told.reason}`;
      this.note(rule, session.id, `told to stop ${secondsText(sinceMs)} ago (${why}), it has not settled`);
    }
  }

  /** The contender of this session has had all the time it needs, and nothing was in its way. */
  checkLeads(sessionId: string): void {
    const seen = this.#seen.get(sessionId);
    if (seen === undefined || seen.told !== null || seen.isSettled) return;
    if (wasRejected(seen)) {
      this.note('handles-rejected-confirm', sessionId, 'its confirmation was rejected, and it just goes on');
    } else if (seen.confirms.length === 0) {
      this.#neverConfirmed(sessionId);
    }
  }

  checkTimers(left: number): void {
    if (left <= 0) return;
    const what = left === 1 ? 'one timer is' : `${left} timers are`;
    this.note('leaves-no-timer', null, `${what} still set after all sessions have ended`);
  }

  note(rule: ContenderRule, sessionId: string | null, seen: string): void {
    if (this.#o.allow.has(rule)) return;
    // Once for a session: an interval that goes on would say the same a thousand times.
    if (this.broken.some((one) => one.rule === rule && one.sessionId === sessionId)) return;
    this.broken.push({ rule, sessionId, seen, atMs: this.#o.nowMs() });
    this.#o.say(`! ${rule}: ${seen}`);
  }

  #neverConfirmed(sessionId: string): void {
    const earlier = [...this.#seen.values()].find((one) => one.confirms.length > 0);
    if (earlier === undefined) this.note('confirms', sessionId, 'it leads and has not confirmed');
    else this.note('leads-again', sessionId, `it confirmed in ${earlier.session.id}, and has not in ${sessionId}`);
  }

  #returned(seen: Seen): void {
    const { id, signal } = seen.session;
    this.#o.say(`contender returns (${id})`);
    if (signal.aborted || wasRefused(seen)) return;
    const earlier = [...this.#seen.values()].find((one) => one !== seen && one.told !== null);
    if (earlier !== undefined && seen.confirms.length === 0) {
      const before = `it led until it was told to stop in ${earlier.session.id}`;
      this.note('leads-again', id, `${before}, and returned at once in ${id}`);
    } else this.note('leads-until-told', id, 'it returned while it led');
  }

  #work(seen: Seen, what: string): void {
    const { session } = seen;
    if (!session.signal.aborted) return;
    const later = this.sessions.at(-1);
    if (later !== undefined && later !== session) {
      this.note('one-session-at-a-time', session.id, `${what} of ${session.id} began while ${later.id} was leading`);
    } else this.note('no-work-after-stop', session.id, `${what} began after the signal of ${session.id} had aborted`);
  }

  #overhear(seen: Seen): void {
    const { session } = seen;
    const { confirm } = session;
    const before = (reachable: unknown): Confirm => this.#beforeConfirm(seen, reachable);
    const after = (own: Confirm, error: unknown): void => this.#afterConfirm(seen, own, error);
    // A function of its own `this`: who takes the method off its session must fail here as it would in production.
    const overheard = function (this: LeaderSession, reachable: Parameters<typeof confirm>[0]): Promise<void> {
      const own = before(reachable);
      const answer = confirm.call(this, reachable);
      answer.then(
        () => after(own, null),
        (error: unknown) => after(own, error),
      );
      return answer;
    };
    Object.defineProperty(session, 'confirm', { value: overheard, configurable: true });
  }

  #beforeConfirm(seen: Seen, reachable: unknown): Confirm {
    const { session, confirms, hasReason } = seen;
    const address: unknown = (reachable as { address?: unknown } | undefined)?.address;
    this.#o.say(`contender confirms ${typeof address === 'string' ? address : describe(address)} (${session.id})`);
    if (!session.isCurrent) {
      this.note('confirms-current-session-only', session.id, `it confirmed in ${session.id}, which was over`);
    } else if (confirms.at(-1)?.address === address && !hasReason) {
      this.note('confirms-once', session.id, `it confirmed ${describe(address)} again`);
    }
    const own: Confirm = { address, outcome: 'pending' };
    confirms.push(own);
    seen.hasReason = false;
    return own;
  }

  #afterConfirm(seen: Seen, own: Confirm, error: unknown): void {
    own.outcome = error === null ? 'committed' : error instanceof TenureError ? error.code : 'failed';
    if (error === null) return;
    seen.hasReason = true;
    if (own.outcome === 'invalid-options') this.note('confirms-an-address', seen.session.id, text(error));
  }
}

/** The newest confirmation was refused for good by the store. */
function wasRejected({ confirms }: Seen): boolean {
  return confirms.at(-1)?.outcome === 'publish-rejected';
}

/** As above, or because it was no confirmation at all: then that is what is told. */
function wasRefused(seen: Seen): boolean {
  return wasRejected(seen) || seen.confirms.at(-1)?.outcome === 'invalid-options';
}

function text(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message.split('\n')[0]}` : describe(thrown);
}
