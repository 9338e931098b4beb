import type { Clock } from '../../ports/clock.ts';
import { type Board, NotStored, Unsynced } from './board.ts';
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
  #eager = false;
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
    this.#stopListening ??= this.#board.listen(() => this.#wake());
    this.#wake();
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
    } catch (thrown) {
      // What may be out there counts as published: its token is never granted again.
      if (thrown instanceof Unsynced) this.#newest = published;
      throw thrown;
    }
    this.#newest = published;
    this.#wake();
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
    const { name } = this.#board;
    if (this.#closed) {
      return { done: false, certain: true, detail: `${name} has been closed by this process. Open the backend again.` };
    }
    try {
      return { done: true, value: work() };
    } catch (thrown) {
      if (thrown instanceof Unreadable) return { done: false, certain: true, detail: unreadable(name, thrown) };
      if (thrown instanceof NotStored || isSystemError(thrown)) {
        return { done: false, certain: true, detail: `${name} cannot be used: ${thrown.message}` };
      }
      if (thrown instanceof Unsynced) {
        const detail = `${name} was written, but may not be on the disk: ${thrown.message}`;
        return { done: false, certain: false, detail };
      }
      throw thrown;
    }
  }

  #wake(): void {
    // Not again while one is due at once: events that come in faster than timers fire would put it off for ever.
    if (this.#eager || this.#subscribers.size === 0) return;
    this.#eager = true;
    this.#schedule(0);
  }

  #schedule(delayMs: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.setTimer(delayMs, () => this.#tick());
  }

  #tick(): void {
    this.#cancel = null;
    this.#eager = false;
    try {
      // The stamp first: a change that falls between the two is read twice, and never missed.
      const answer = this.#guarded(() => this.#board.stamp());
      if (!answer.done) return;
      this.#refreshAll(answer.value);
    } finally {
      if (this.#subscribers.size > 0 && this.#cancel === null) this.#schedule(POLL_MS);
    }
  }

  #refreshAll(stamp: unknown): void {
    const thrown: unknown[] = [];
    for (const subscriber of [...this.#subscribers]) {
      // A listener may have stopped another watch, or all of them.
      if (subscriber.seen === stamp || !this.#subscribers.has(subscriber)) continue;
      try {
        if (subscriber.refresh()) subscriber.seen = stamp;
      } catch (error) {
        // A listener's own fault: it goes up, and the other watches are served all the same.
        subscriber.seen = stamp;
        thrown.push(error);
      }
    }
    if (thrown.length > 0) throw thrown[0];
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#eager = false;
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
