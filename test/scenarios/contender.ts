import type { LeaderSession } from '../../src/runtime/api.ts';
import type { Participant } from './participant.ts';

/** What a scripted contender is told to be like, as words of the `lead` command. */
export interface Manner {
  /** Does not settle when its signal aborts. */
  ignoresStop: boolean;
  throwsAtGrant: boolean;
  throwsAtStop: boolean;
  /** Confirms with this address at every grant. */
  confirms: string | null;
}

/** A contender that does what the story says, and notes what it is told. */
export class ScriptedContender {
  readonly component: string;
  readonly manner: Manner;
  readonly sessions = new Map<string, LeaderSession>();
  readonly #participant: Participant;
  #current: LeaderSession | null = null;
  #working: LeaderSession | null = null;
  #end: (how: 'return' | 'throw') => void = () => {};

  constructor(participant: Participant, component: string, manner: Manner) {
    this.#participant = participant;
    this.component = component;
    this.manner = manner;
  }

  get current(): LeaderSession {
    if (this.#current === null) throw new Error(`${this.component} has had no session yet`);
    return this.#current;
  }

  /** Told to stop, and still at work. */
  get hasOverstayed(): boolean {
    return this.#working?.signal.aborted === true;
  }

  end(how: 'return' | 'throw'): void {
    this.#end(how);
  }

  readonly run = async (session: LeaderSession): Promise<void> => {
    this.#current = session;
    this.#working = session;
    this.sessions.set(session.id, session);
    this.#observe('contender.started', session);
    try {
      await this.#work(session);
    } finally {
      this.#working = null;
      this.#observe('contender.settled', session);
    }
  };

  async #work(session: LeaderSession): Promise<void> {
    const { component, manner } = this;
    this.#note(`${component} leads ${this.#name(session)} token ${session.fencingToken}`);
    if (manner.throwsAtGrant) throw new Error('thrown at grant');
    const asked = new Promise<'return' | 'throw'>((resolve) => {
      this.#end = resolve;
    });
    const told = new Promise<'told'>((resolve) =>
      session.signal.addEventListener('abort', () => {
        this.#observe('contender.told-to-stop', session);
        this.#note(`${component} is told to stop ${this.#name(session)}: ${reasonOf(session)}`);
        if (!manner.ignoresStop) resolve('told');
      }),
    );
    session.onSuspension((suspended) => this.#note(`${component} is ${suspended ? 'suspended' : 'resumed'}`));
    if (manner.confirms !== null) this.confirm(session, manner.confirms);
    const how = await Promise.race([asked, told]);
    if (how === 'throw') throw new Error('thrown by the story');
    if (how === 'told' && manner.throwsAtStop) throw new Error('thrown at stop');
  }

  confirm(session: LeaderSession, address: string): void {
    this.#participant.promise(`confirm ${this.component} ${address}`, session.confirm({ address }));
  }

  #observe(kind: 'contender.started' | 'contender.told-to-stop' | 'contender.settled', session: LeaderSession): void {
    this.#participant.observe({ kind, component: this.component, sessionId: session.id });
  }

  #name(session: LeaderSession): string {
    return this.#participant.world.text.session(session.id);
  }

  #note(text: string): void {
    this.#participant.note(text);
  }
}

function reasonOf({ signal }: LeaderSession): string {
  return String(signal.reason?.message).replace(/^.* is over: /, '');
}
