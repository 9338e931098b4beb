import type { Clock } from '../ports/clock.ts';
import { TimerQueue } from './timer-queue.ts';

const LONGEST_MS = 2 ** 31 - 1;

/**
 * Time that only moves when it is told to. Timers run at their own times, ties in the order in which they were set, and
 * a timer that is set while time moves still runs at its time.
 */
export class VirtualClock implements Clock {
  readonly #timers = new TimerQueue();
  #now = 0;
  #sleptMs = 0;

  nowMs(): number {
    return this.#now;
  }

  deadlineNowMs(): number {
    return this.#now + this.#sleptMs;
  }

  isoNow(): string {
    return new Date(this.deadlineNowMs()).toISOString();
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    if (!(delayMs >= 0 && delayMs <= LONGEST_MS))
      throw new RangeError(`delay ${delayMs} ms is not in 0 to ${LONGEST_MS}`);
    const timer = this.#timers.add(this.#now + delayMs, fire);
    return () => this.#timers.cancel(timer);
  }

  /** The machine slept: the wall clock went on, the monotonic clock and all timers stood still. */
  sleep(ms: number): void {
    this.#sleptMs += ms;
  }

  get pending(): number {
    return this.#timers.size;
  }

  /** When the next timer is due; `null` when there is none. */
  get nextAtMs(): number | null {
    return this.#timers.first()?.atMs ?? null;
  }

  /**
   * Moves time forward. `settle` is awaited at the start and after every timer, so that promises which a timer set off
   * come to rest before the next one runs: the order is then the same in every run.
   */
  async advance(ms: number, settle: () => Promise<void>): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#timers.first(); timer !== null && timer.atMs <= end; timer = this.#timers.first()) {
      this.#timers.cancel(timer);
      this.#now = Math.max(this.#now, timer.atMs);
      timer.fire();
      await settle();
    }
    this.#now = end;
  }
}
