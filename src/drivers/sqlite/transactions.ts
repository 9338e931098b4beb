import { statSync } from 'node:fs';
import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { Connection } from './engine.ts';
import { classify, detailOf, type Failure, type FailureKind } from './failures.ts';

/** `certain`: nothing was changed. Otherwise a write may yet turn out to have happened. */
export type Answer<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly certain: boolean; readonly kind: FailureKind; readonly detail: string };

/** Waits between attempts grow to this; they are drawn at random so that processes do not meet again and again. */
const LONGEST_PAUSE_MS = 16;

/**
 * Every access to the file. SQLite's own waiting blocks the thread, so it is switched off: a locked file answers at once
 * and the next attempt comes from a timer, while heartbeats and deadlines of the process go on.
 */
export class Transactions {
  /** Counts our commits, because `PRAGMA data_version` leaves exactly those out. */
  commits = 0;
  /** Called after each of our commits. */
  onCommit: () => void = () => {};

  readonly #connection: Connection;
  readonly #file: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #opened: string | null;
  readonly #pauses = new Set<() => void>();
  #stuck = false;
  #closed = false;

  constructor(connection: Connection, file: string, clock: Clock, random: Random) {
    this.#connection = connection;
    this.#file = file;
    this.#clock = clock;
    this.#random = random;
    this.#opened = identityOf(file);
  }

  /** Repeats while the file is locked, until `timeoutMs` have passed. */
  read<T>(work: (connection: Connection) => T, timeoutMs: number): Promise<Answer<T>> {
    return this.#repeat(() => this.attemptRead(work), timeoutMs);
  }

  write<T>(work: (connection: Connection) => T, timeoutMs: number): Promise<Answer<T>> {
    return this.#repeat(() => this.#attemptWrite(work), timeoutMs);
  }

  /** One attempt at a consistent reading. */
  attemptRead<T>(work: (connection: Connection) => T): Answer<T> {
    return this.#attempt('BEGIN', work, () => true);
  }

  /** A text that differs whenever something may have been committed since. */
  stamp(): Answer<string> {
    return this.#guarded(() => {
      const [row] = this.#connection.all('PRAGMA data_version');
      return `${Object.values(row ?? {}).join()}/${this.commits}`;
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const resume of [...this.#pauses]) resume();
    try {
      this.#connection.close();
    } catch (thrown) {
      // The last one out moves the WAL into the file; where that fails, the next one to open it does the same.
      if (classify(thrown) === null) throw thrown;
    }
  }

  async #repeat<T>(once: () => Answer<T>, timeoutMs: number): Promise<Answer<T>> {
    const endMs = this.#clock.nowMs() + timeoutMs;
    for (let attempt = 0; ; attempt += 1) {
      const answer = once();
      if (answer.done || answer.kind !== 'busy') return answer;
      const leftMs = endMs - this.#clock.nowMs();
      if (leftMs <= 0) return answer;
      await this.#pause(Math.min(leftMs, 1 + this.#random.next('sqlite') * Math.min(2 ** attempt, LONGEST_PAUSE_MS)));
    }
  }

  #attemptWrite<T>(work: (connection: Connection) => T): Answer<T> {
    const answer = this.#attempt('BEGIN IMMEDIATE', work, commitChangedNothing);
    if (answer.done) {
      this.commits += 1;
      this.onCommit();
    }
    return answer;
  }

  #attempt<T>(begin: string, work: (c: Connection) => T, certainAfterCommit: (f: Failure) => boolean): Answer<T> {
    let committing = false;
    return this.#guarded(
      () => {
        if (this.#stuck) this.#rollBack();
        this.#connection.exec(begin);
        try {
          const value = work(this.#connection);
          committing = true;
          this.#connection.exec('COMMIT');
          return value;
        } catch (thrown) {
          // Also after COMMIT: one that was answered "busy" leaves the transaction open, and the write lock with it.
          this.#rollBack();
          throw thrown;
        }
      },
      (failure) => !committing || certainAfterCommit(failure),
    );
  }

  #rollBack(): void {
    try {
      this.#connection.exec('ROLLBACK');
      this.#stuck = false;
    } catch (thrown) {
      // SQLite has rolled back by itself after some failures (full disk, I/O); then there is nothing left to undo.
      this.#stuck = !/no transaction is active/.test(String(thrown));
    }
  }

  #guarded<T>(work: () => T, certain: (failure: Failure) => boolean = () => true): Answer<T> {
    if (this.#closed) return this.#failed({ kind: 'closed', message: '' }, true);
    // A deleted file lives on for those who have it open. Without this: the file is deleted, a second process creates a
    // new one and is granted there, and both lead for as long as the first can renew in the file that nobody else sees.
    if (identityOf(this.#file) !== this.#opened) return this.#failed({ kind: 'replaced', message: '' }, true);
    try {
      return { done: true, value: work() };
    } catch (thrown) {
      const failure = classify(thrown);
      if (failure === null) throw thrown;
      return this.#failed(failure, certain(failure));
    }
  }

  #failed(failure: Failure, certain: boolean): Answer<never> {
    return { done: false, certain, kind: failure.kind, detail: detailOf(this.#file, failure) };
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const resume = (): void => {
        cancel();
        this.#pauses.delete(resume);
        resolve();
      };
      const cancel = this.#clock.setTimer(delayMs, resume);
      this.#pauses.add(resume);
    });
  }
}

/**
 * After a failed COMMIT. Busy, full and read-only are found before the commit record is complete. Any other failure,
 * such as an fsync that failed, may leave a complete record in the WAL: nobody sees it now, but after a power cut the
 * recovery replays it. So the outcome is unknown.
 */
function commitChangedNothing(failure: Failure): boolean {
  return failure.kind === 'busy' || failure.kind === 'full' || failure.kind === 'read-only';
}

/** Which file the path leads to, null when to none. By `stat`, for the reason given at `adviceByLooking`. */
function identityOf(file: string): string | null {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.dev}:${found.ino}`;
  } catch {
    return null;
  }
}
