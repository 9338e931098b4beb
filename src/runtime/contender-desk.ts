import type { LeadershipCommand } from '../../machines/leadership-messages.ts';
import type { Session } from '../../machines/vocabulary.ts';
import type { TenureError } from '../errors.ts';
import { toTenureError } from '../errors.ts';
import type { ContenderFunction } from './api.ts';
import type { SessionWiring } from './leader-session.ts';
import { LeaderSessionHandle } from './leader-session.ts';
import type { PostOffice, Recipient } from './post-office.ts';

type ContenderCommand = Extract<LeadershipCommand, { to: `contender:${string}` }>;

export interface ContenderDeskOptions {
  readonly office: PostOffice;
  readonly component: string;
  readonly contender: ContenderFunction;
  readonly wiring: Omit<SessionWiring, 'component' | 'confirm'>;
  readonly onFailed: (error: TenureError, sessionId: string) => void;
}

/**
 * Runs the user's function, once per session. Every `contender.start` is answered by exactly one `contender.settled`,
 * and that only once the function has really settled: the lock is never given back before.
 */
export class ContenderDesk implements Recipient {
  readonly #o: ContenderDeskOptions;
  readonly #sessions = new Map<string, LeaderSessionHandle>();
  readonly #settled = new WeakMap<LeaderSessionHandle, Promise<void>>();

  constructor(options: ContenderDeskOptions) {
    this.#o = options;
  }

  deliver(command: ContenderCommand): void {
    if (command.type === 'contender.start') {
      this.#start(command.session);
      return;
    }
    const session = this.#sessions.get(command.sessionId);
    switch (command.type) {
      case 'contender.stop':
        session?.end(command.reason);
        return;
      case 'confirm.settled':
        session?.settle(command.confirmIds, command.outcome);
        return;
      case 'contender.suspended':
        session?.suspend(true);
        return;
      case 'contender.resumed':
        session?.suspend(false);
    }
  }

  /** The leadership actor is gone: end what runs, refuse what is promised. Settles once every function has settled. */
  async giveUp(): Promise<void> {
    for (const session of this.#sessions.values()) {
      session.end('failed');
      session.abandonConfirms();
    }
    await this.stillRunning()?.settled;
  }

  /** Sessions whose function has not settled yet, and when the last of them will have. */
  stillRunning(): { readonly sessionIds: readonly string[]; readonly settled: Promise<void> } | null {
    if (this.#sessions.size === 0) return null;
    const running = [...this.#sessions.values()];
    const settled = Promise.all(running.map((session) => this.#settled.get(session))).then(() => {});
    return { sessionIds: running.map(({ id }) => id), settled };
  }

  #post(message: { readonly type: string }): void {
    const { office, component } = this.#o;
    office.post(`contender:${component}`, `leadership:${component}`, message);
  }

  #start(granted: Session): void {
    const session = new LeaderSessionHandle(granted, {
      ...this.#o.wiring,
      component: this.#o.component,
      confirm: (confirmId, reachable) =>
        this.#post({ type: 'contender.confirm', sessionId: granted.id, confirmId, reachable } as { type: string }),
    });
    this.#sessions.set(granted.id, session);
    this.#post({ type: 'contender.started', sessionId: granted.id } as { type: string });
    this.#settled.set(session, this.#run(session));
  }

  /** Begins in a turn of its own, so that a function that blocks or throws holds up no other component's grant. */
  async #run(session: LeaderSessionHandle): Promise<void> {
    await undefined;
    let outcome: 'returned' | 'failed' = 'returned';
    try {
      // Revoked before it began: there is nothing to start any more.
      if (!session.signal.aborted) await this.#o.contender(session);
    } catch (thrown) {
      if (!isNormalEnd(thrown, session)) {
        outcome = 'failed';
        const error = toTenureError(thrown, 'contender-failed', { component: this.#o.component });
        this.#o.onFailed(error, session.id);
      }
    }
    this.#sessions.delete(session.id);
    this.#post({ type: 'contender.settled', sessionId: session.id, outcome } as { type: string });
    session.end(outcome === 'failed' ? 'failed' : 'resigned');
    session.abandonConfirms();
  }
}

/** A function that was told to stop and rejects because of it has simply stopped. */
function isNormalEnd(thrown: unknown, session: LeaderSessionHandle): boolean {
  if (!session.signal.aborted) return false;
  if (thrown === session.signal.reason) return true;
  const { name, code } = (thrown ?? {}) as { name?: unknown; code?: unknown };
  return name === 'AbortError' || code === 'ABORT_ERR' || code === 'session-over' || code === 'fenced';
}
