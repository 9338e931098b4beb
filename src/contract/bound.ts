import { inspect } from 'node:util';
import type { Clock } from '../ports/clock.ts';

/** What was waited for did not come. */
export class WaitedTooLong extends Error {
  override readonly name = 'WaitedTooLong';
}

/** One stretch of time for everything that a law waits for: no law ends by the runner's own time-out, which names nothing. */
export class Bound {
  readonly #clock: Clock;
  readonly #boundMs: number;
  readonly #waiting = new Set<() => void>();
  #isOver = false;
  #cancel: () => void = () => {};

  constructor(clock: Clock, boundMs: number) {
    this.#clock = clock;
    this.#boundMs = boundMs;
    this.renew();
  }

  /** The whole stretch from now on. */
  renew(): void {
    this.#cancel();
    this.#isOver = false;
    this.#cancel = this.#clock.setTimer(this.#boundMs, () => {
      this.#isOver = true;
      for (const give of [...this.#waiting]) give();
    });
  }

  end(): void {
    this.#cancel();
  }

  /** Settles as `work` does. @throws WaitedTooLong, which names `what` and shows what `state` answers */
  within<T>(what: string, work: Promise<T>, state?: () => unknown): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const give = (): void => {
        this.#waiting.delete(give);
        const seen = state === undefined ? '' : `; so far: ${inspect(state(), { depth: 4, breakLength: Infinity })}`;
        reject(new WaitedTooLong(`waited ${this.#boundMs} ms for ${what}${seen}`));
      };
      this.#waiting.add(give);
      const done = (): boolean => this.#waiting.delete(give);
      work.then(
        (value) => {
          if (done()) resolve(value);
        },
        (error: unknown) => {
          if (done()) reject(error);
        },
      );
      // What has been answered by now still counts: the rejection comes behind it.
      if (this.#isOver) queueMicrotask(() => queueMicrotask(() => this.#waiting.has(give) && give()));
    });
  }
}
