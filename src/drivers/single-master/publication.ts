import type { Clock } from '../../ports/clock.ts';
import { type Board, NotStored } from './board.ts';
import { NOTHING, type Published, readPublished, Unreadable, withPublished } from './document.ts';

export type Answer<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly certain: boolean; readonly detail: string };

/** How often watches look at the board at the latest. */
const POLL_MS = 20;

interface Subscriber {
  readonly refresh: () => boolean;
  /** The stamp of the board when `refresh` last succeeded; before that a value that no stamp equals. */
  seen: unknown;
}

/** What one election has on the board: read, changed and watched by this process. */
export class Publication {
  readonly #board: Board;
  readonly #election: string;
  readonly #clock: Clock;
  readonly #subscribers = new Set<Subscriber>();
  #newest: Published = NOTHING;
  #cancel: (() => void) | null = null;
  #stopListening: (() => void) | null = null;
  #closed = false;

  constructor(board: Board, election: string, clock: Clock) {
    this.#board = board;
    this.#election = election;
    this.#clock = clock;
  }

  /** @throws what the board throws, for `open`; later calls answer instead */
  check(): void {
    this.#board.probe();
    this.#load();
  }

  read<T>(work: (published: Published) => T): Answer<T> {
    return this.#guarded(() => work(this.#load()));
  }

  /** `work` answers null in `after` when there is nothing to store. */
  change<T>(work: (published: Published) => { readonly after: Published | null; readonly result: T }): Answer<T> {
    return this.#guarded(() => {
      const { after, result } = work(this.#load());
      if (after !== null) this.#store(after);
      return result;
    });
  }

  /** Never calls `refresh` inside of this call, nor after the function that it returns was called. */
  subscribe(refresh: () => boolean): () => void {
    if (this.#closed) return () => {};
    const subscriber: Subscriber = { refresh, seen: subscriberIsNew };
    this.#subscribers.add(subscriber);
    this.#stopListening ??= this.#board.listen(() => this.#schedule(0));
    this.#schedule(0);
    return () => {
      if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#rest();
    };
  }

  close(): void {
    this.#closed = true;
    this.#subscribers.clear();
    this.#rest();
  }

  #store(published: Published): void {
    const document = withPublished(this.#board.load() ?? {}, this.#election, published);
    try {
      this.#board.store(document);
    } finally {
      // Also when it is not known whether it was stored: a token that may be out there is never granted again.
      this.#newest = published;
      if (this.#subscribers.size > 0) this.#schedule(0);
    }
  }

  /**
   * The newer of what the board says and what this process knows. Without that: somebody deletes the file, or restores
   * an old copy, and the next session gets a token that was granted before.
   */
  #load(): Published {
    const document = this.#board.load();
    const found = document === null ? NOTHING : readPublished(document, this.#election);
    const { lease, register } = this.#newest;
    this.#newest = {
      lease: (found.lease?.version ?? -1n) >= (lease?.version ?? -1n) ? found.lease : lease,
      register: found.register.version >= register.version ? found.register : register,
    };
    return this.#newest;
  }

  #guarded<T>(work: () => T): Answer<T> {
    const failed = (certain: boolean, detail: string): Answer<T> => ({ done: false, certain, detail });
    if (this.#closed)
      return failed(true, `${this.#board.name} has been closed by this process. Open the backend again.`);
    try {
      return { done: true, value: work() };
    } catch (thrown) {
      if (thrown instanceof Unreadable) return failed(true, unreadable(this.#board.name, thrown));
      if (thrown instanceof NotStored) return failed(true, `${this.#board.name} cannot be written: ${thrown.message}`);
      // The file system failed: while reading, before a write, or after the new file was already in place.
      if (isSystemError(thrown)) return failed(false, `${this.#board.name} cannot be used: ${thrown.message}`);
      throw thrown;
    }
  }

  #schedule(delayMs: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.setTimer(delayMs, () => this.#tick());
  }

  #tick(): void {
    this.#cancel = null;
    try {
      // The stamp first: a change that falls between the two is read twice, and never missed.
      const answer = this.#guarded(() => this.#board.stamp());
      if (!answer.done) return;
      for (const subscriber of [...this.#subscribers]) {
        if (subscriber.seen === answer.value || !this.#subscribers.has(subscriber)) continue;
        if (subscriber.refresh()) subscriber.seen = answer.value;
      }
    } finally {
      if (this.#subscribers.size > 0 && this.#cancel === null) this.#schedule(POLL_MS);
    }
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#stopListening?.();
    this.#stopListening = null;
  }
}

const subscriberIsNew = Symbol('new');

export function unreadable(name: string, reason: Unreadable): string {
  return `${name} does not hold what Tenure writes (${reason.message}). It was left untouched; repair it or move it away.`;
}

function isSystemError(thrown: unknown): thrown is NodeJS.ErrnoException {
  return thrown instanceof Error && 'syscall' in thrown;
}
