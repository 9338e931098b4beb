import type { RevokeReason, Session } from '../../machines/vocabulary.ts';
import { TenureError } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { LeaderSession } from './api.ts';

/** Until when the session of that id is provably ours; below every clock when it is not the current one. */
export interface ValidityView {
  deadlineOf(sessionId: string): number;
  /** Tells the validity actor the time, so that a deadline which a stalled event loop missed takes effect now. */
  check(nowMs: number): void;
}

export interface SessionWiring {
  readonly component: string;
  readonly clock: Clock;
  readonly validity: ValidityView;
  /** Posts the confirmation; the answer comes back through `settle`. */
  readonly confirm: (confirmId: string, reachable: { address: string; metadata: Record<string, string> }) => void;
  /** A callback of the user threw: told, and without effect on anything else. */
  readonly onListenerFailed: (thrown: unknown, sessionId: string) => void;
}

type Outcome = 'committed' | 'session-over' | 'fenced' | 'publish-rejected';

const WHY: Record<RevokeReason, string> = {
  lost: 'the lock was lost to another participant or deleted',
  deadline: 'the lease could not be renewed before the local deadline',
  fenced: 'a newer session has fenced this one off',
  'stepped-down': 'this participant stepped down',
  superseded: 'a newer session was granted to this participant',
  closing: 'the component or the tenure is being closed',
  resigned: 'the contender returned',
  failed: 'the contender failed',
};

export class LeaderSessionHandle implements LeaderSession {
  readonly id: string;
  readonly component: string;
  readonly fencingToken: bigint;
  readonly #wiring: SessionWiring;
  readonly #abort = new AbortController();
  readonly #confirms = new Map<string, { resolve: () => void; reject: (error: TenureError) => void }>();
  readonly #suspensions = new Set<(suspended: boolean) => void>();
  #confirmCount = 0;

  constructor(session: Session, wiring: SessionWiring) {
    this.id = session.id;
    this.fencingToken = session.fencingToken;
    this.component = wiring.component;
    this.#wiring = wiring;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get deadlineMs(): number {
    return this.#wiring.validity.deadlineOf(this.id);
  }

  get remainingMs(): number {
    return Math.max(0, this.deadlineMs - this.#wiring.clock.deadlineNowMs());
  }

  get isCurrent(): boolean {
    if (this.#abort.signal.aborted) return false;
    const now = this.#wiring.clock.deadlineNowMs();
    if (now < this.deadlineMs) return true;
    this.#wiring.validity.check(now);
    return false;
  }

  assertCurrent(): void {
    if (!this.isCurrent) throw this.#overError();
  }

  confirm(reachable: {
    readonly address: string;
    readonly metadata?: Readonly<Record<string, string>>;
  }): Promise<void> {
    const checked = checkReachable(reachable, this.component);
    if (checked instanceof TenureError) return Promise.reject(checked);
    if (!this.isCurrent) return quiet(Promise.reject(this.#overError()));
    const confirmId = `${this.id}/${++this.#confirmCount}`;
    const promise = new Promise<void>((resolve, reject) => this.#confirms.set(confirmId, { resolve, reject }));
    this.#wiring.confirm(confirmId, checked);
    return quiet(promise);
  }

  onSuspension(listener: (suspended: boolean) => void): () => void {
    this.#suspensions.add(listener);
    return () => this.#suspensions.delete(listener);
  }

  /** Answers confirmations. */
  settle(confirmIds: readonly string[], outcome: Outcome): void {
    for (const id of confirmIds) {
      const promise = this.#confirms.get(id);
      this.#confirms.delete(id);
      if (outcome === 'committed') promise?.resolve();
      else promise?.reject(outcome === 'session-over' ? this.#overError() : this.#refusal(outcome));
    }
  }

  suspend(suspended: boolean): void {
    for (const listener of [...this.#suspensions]) {
      try {
        listener(suspended);
      } catch (thrown) {
        this.#wiring.onListenerFailed(thrown, this.id);
      }
    }
  }

  /** The session is over: the signal aborts and whatever was still promised is refused. */
  end(reason: RevokeReason): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort(
      new TenureError('session-over', `The leadership session of ${this.component} is over: ${WHY[reason]}.`, {
        component: this.component,
        next: reason === 'resigned' || reason === 'closing' ? undefined : 'The component stands again by itself.',
      }),
    );
    this.#suspensions.clear();
  }

  /** Refuses what nobody will answer any more. */
  abandonConfirms(): void {
    this.settle([...this.#confirms.keys()], 'session-over');
  }

  #overError(): TenureError {
    const { reason } = this.#abort.signal;
    if (reason instanceof TenureError) return reason;
    return new TenureError('session-over', `The leadership session of ${this.component} is past its deadline.`, {
      component: this.component,
      next: 'The component stands again by itself.',
    });
  }

  #refusal(code: 'fenced' | 'publish-rejected'): TenureError {
    const what =
      code === 'fenced'
        ? 'a newer session has fenced it off'
        : 'the backend will not accept this address and metadata (too large?)';
    return new TenureError(code, `The confirmation of ${this.component} was refused: ${what}.`, {
      component: this.component,
      next: code === 'fenced' ? 'The session ends; the component stands again.' : 'The former address stays, if any.',
    });
  }
}

/** A contender may well leave the promise alone; its refusal must not end the process as an unhandled rejection. */
function quiet(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}

function checkReachable(
  reachable: unknown,
  component: string,
): { address: string; metadata: Record<string, string> } | TenureError {
  const { address, metadata = {} } = (reachable ?? {}) as { address?: unknown; metadata?: unknown };
  if (typeof address !== 'string' || address === '') {
    return new TenureError('invalid-options', 'confirm({ address }): the address must be a text that is not empty.', {
      component,
    });
  }
  const isText = (value: unknown): boolean => typeof value === 'string';
  if (typeof metadata !== 'object' || metadata === null || !Object.values(metadata).every(isText)) {
    return new TenureError('invalid-options', 'confirm({ metadata }): must be an object whose values are texts.', {
      component,
    });
  }
  return { address, metadata: { ...(metadata as Record<string, string>) } };
}
