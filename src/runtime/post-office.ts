/**
 * Delivers every message of a participant: one queue, one message at a time, in the order in which they were posted.
 * A message posted while another is being handled waits for its turn, so no actor is ever entered twice.
 */

export interface Message {
  readonly type: string;
}

export interface Letter {
  readonly from: string;
  readonly to: string;
  readonly message: Message;
  /** Trace number of the message whose handling posted this one. */
  readonly cause: number | null;
}

export interface Recipient {
  deliver(message: never, from: string): void;
}

/** Sees every delivery when a recording is on; costs nothing when it is not. */
export interface Tap {
  /** Called before the letter is handed over; returns its trace number. */
  before(letter: Letter, recipient: Recipient | null): number;
  after(seq: number): void;
}

const EVERY_LEADERSHIP = 'leadership:*';
const EVERY_RETRIEVAL = 'retrieval:*';

export class PostOffice {
  readonly #recipients = new Map<string, Recipient>();
  /** Components that the election knows of: exactly those a broadcast reaches, and exactly those it counts. */
  readonly #roster = new Set<string>();
  readonly #retrievals = new Set<string>();
  #queue: Letter[] = [];
  #next = 0;
  #busy = false;
  #current: number | null = null;
  #tap: Tap | null = null;
  readonly #onFault: (error: unknown, letter: Letter) => void;

  /** `onFault` hears of a recipient that threw; the letters behind it are delivered all the same. */
  constructor(onFault: (error: unknown, letter: Letter) => void) {
    this.#onFault = onFault;
  }

  set tap(tap: Tap | null) {
    this.#tap = tap;
  }

  register(address: string, recipient: Recipient): void {
    this.#recipients.set(address, recipient);
    if (address.startsWith('retrieval:')) this.#retrievals.add(address);
  }

  /** Only while it is still the one registered: a late farewell must not remove its successor. */
  unregister(address: string, recipient: Recipient): void {
    if (this.#recipients.get(address) !== recipient) return;
    this.#recipients.delete(address);
    this.#retrievals.delete(address);
  }

  post(from: string, to: string, message: Message): void {
    if (to === EVERY_LEADERSHIP) for (const address of this.#roster) this.#enqueue(from, address, message);
    else if (to === EVERY_RETRIEVAL) for (const address of this.#retrievals) this.#enqueue(from, address, message);
    else this.#enqueue(from, to, message);
    if (!this.#busy) this.#drain();
  }

  /**
   * Runs work that posts, and delivers only once it is done: an actor that is being started is not ready for answers,
   * they would be handled inside of its own start.
   */
  hold(work: () => void): void {
    if (this.#busy) {
      work();
      return;
    }
    this.#busy = true;
    try {
      work();
    } finally {
      this.#drain();
    }
  }

  #enqueue(from: string, to: string, message: Message): void {
    this.#queue.push({ from, to, message, cause: this.#current });
  }

  #drain(): void {
    this.#busy = true;
    while (this.#next < this.#queue.length) {
      const letter = this.#queue[this.#next++];
      if (letter !== undefined) this.#deliver(letter);
    }
    this.#queue = [];
    this.#next = 0;
    this.#busy = false;
    this.#current = null;
  }

  #deliver(letter: Letter): void {
    const recipient = this.#recipients.get(letter.to) ?? null;
    this.#keepRoster(letter);
    if (this.#tap !== null) this.#current = this.#tap.before(letter, recipient);
    try {
      recipient?.deliver(letter.message as never, letter.from);
    } catch (error) {
      this.#onFault(error, letter);
    }
    if (this.#tap !== null && this.#current !== null) this.#tap.after(this.#current);
    if (recipient === null) this.#answerUndeliverable(letter);
  }

  /**
   * The roster follows what the election handles, not what exists: a component whose `joined` is still under way gets
   * no broadcast (it is granted when `joined` is handled), and one whose `left` is under way still gets it (the
   * election has counted it). Otherwise the election's count of undrained grants would drift, and with it the release.
   */
  #keepRoster({ to, message }: Letter): void {
    if (to !== 'election') return;
    const { component } = message as { readonly component?: string };
    if (message.type === 'component.joined') this.#roster.add(`leadership:${component}`);
    if (message.type === 'component.left') this.#roster.delete(`leadership:${component}`);
  }

  /** A grant for a component that has gone meanwhile is drained at once, by the office itself. */
  #answerUndeliverable({ to, message }: Letter): void {
    if (message.type !== 'granted' || !to.startsWith('leadership:')) return;
    const { session } = message as unknown as { readonly session: { readonly id: string } };
    this.post('office', 'election', {
      type: 'component.drained',
      component: to.slice('leadership:'.length),
      sessionId: session.id,
      overstayed: false,
    } as Message);
  }
}
