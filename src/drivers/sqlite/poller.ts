import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../ports/clock.ts';

/** Reads and reports. False: it could not read now (locked, damaged), so ask again at the next tick. */
export type Refresh = () => boolean;

interface Subscriber {
  readonly refresh: Refresh;
  /** The stamp of the file when `refresh` last succeeded. */
  seen: string | null;
}

/** First wait after a sign of change; doubled at each tick until it has reached the interval. */
const EAGER_MS = 1;

/**
 * One timer for all watches of an open backend; it runs only while there is a watch. Each tick asks SQLite for a stamp,
 * which costs microseconds, and only a new stamp makes the subscribers read.
 */
export class ChangePoller {
  readonly #clock: Clock;
  readonly #file: string;
  readonly #pollMs: number;
  readonly #stamp: () => string | null;
  readonly #subscribers = new Set<Subscriber>();
  #files: FSWatcher | null = null;
  #cancel: (() => void) | null = null;
  #delayMs = EAGER_MS;
  #eager = false;
  #closed = false;

  /** `stamp` answers null when it cannot tell. */
  constructor(options: { clock: Clock; file: string; pollMs: number; stamp: () => string | null }) {
    this.#clock = options.clock;
    this.#file = options.file;
    this.#pollMs = options.pollMs;
    this.#stamp = options.stamp;
  }

  /** Whether a timer runs. */
  get active(): boolean {
    return this.#cancel !== null;
  }

  /** Never calls `refresh` inside of this call, nor after the function that it returns was called. */
  subscribe(refresh: Refresh): () => void {
    if (this.#closed) return () => {};
    const subscriber: Subscriber = { refresh, seen: null };
    this.#subscribers.add(subscriber);
    this.#files ??= this.#watchFiles();
    this.wake();
    return () => {
      if (this.#subscribers.delete(subscriber) && this.#subscribers.size === 0) this.#rest();
    };
  }

  /** Something may have changed: look now, and again soon. */
  wake(): void {
    if (this.#subscribers.size === 0) return;
    this.#delayMs = EAGER_MS;
    // Not again while one is due at once: signs that come in faster than timers fire would put it off for ever.
    if (this.#eager) return;
    this.#eager = true;
    this.#schedule(0);
  }

  close(): void {
    this.#closed = true;
    this.#subscribers.clear();
    this.#rest();
  }

  #rest(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#eager = false;
    this.#files?.close();
    this.#files = null;
  }

  #schedule(delayMs: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.setTimer(delayMs, () => this.#tick());
  }

  #tick(): void {
    this.#cancel = null;
    this.#eager = false;
    try {
      this.#refreshAll();
    } finally {
      // Also when a listener has thrown. A wake in between has set a timer of its own.
      if (this.#subscribers.size > 0 && this.#cancel === null) {
        this.#schedule(this.#delayMs);
        this.#delayMs = Math.min(this.#pollMs, this.#delayMs * 2);
      }
    }
  }

  #refreshAll(): void {
    // The stamp first. A commit that falls between the two is then read twice; the other way round it would be missed.
    const stamp = this.#stamp();
    if (stamp === null) return;
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

  /**
   * Wakes the poller early, nothing more: the event comes when the log grows, which is before the commit can be read, and
   * some systems have no events at all. Hence the doubling delays after a wake, and the interval.
   */
  #watchFiles(): FSWatcher | null {
    const name = basename(this.#file);
    try {
      const watcher = watch(dirname(this.#file), { persistent: false }, (_event, changed) => {
        if (changed === null || changed.startsWith(name)) this.wake();
      });
      watcher.on('error', () => watcher.close());
      return watcher;
    } catch {
      return null;
    }
  }
}
