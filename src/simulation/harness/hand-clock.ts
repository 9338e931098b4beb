import type { TimerCommand } from '../../../machines/vocabulary.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PostOffice, Recipient } from '../../runtime/post-office.ts';

interface Timer {
  readonly dueMs: number;
  cancel: () => void;
}

/**
 * The clock desk of one leadership. Timers elapse by themselves as time passes, or only by hand: one that is due and
 * has not been told is what a busy event loop makes of it.
 */
export class HandClock implements Recipient {
  readonly #office: PostOffice;
  readonly #clock: Clock;
  readonly #timers = new Map<string, Timer>();
  #owner = '';
  #byHand = false;

  constructor(office: PostOffice, clock: Clock) {
    this.#office = office;
    this.#clock = clock;
  }

  deliver(command: TimerCommand, from: string): void {
    this.#owner = from;
    this.#timers.get(command.id)?.cancel();
    this.#timers.delete(command.id);
    if (command.type === 'timer.cancel') return;
    const afterMs = 'afterMs' in command ? command.afterMs : command.atMs - this.#clock.nowMs();
    const timer: Timer = { dueMs: this.#clock.nowMs() + afterMs, cancel: () => {} };
    this.#timers.set(command.id, timer);
    if (!this.#byHand) this.#arm(command.id, timer);
  }

  keepBack(): void {
    this.#byHand = true;
    for (const { cancel } of this.#timers.values()) cancel();
  }

  letThrough(): void {
    this.#byHand = false;
    for (const [id, timer] of this.#timers) this.#arm(id, timer);
  }

  /** Milliseconds until the timer is due; `null` when it is not set. */
  untilDueMs(id: string): number | null {
    const timer = this.#timers.get(id);
    return timer === undefined ? null : Math.max(0, timer.dueMs - this.#clock.nowMs());
  }

  /** Tells the leadership that the timer has elapsed, also one that is not set: it was cancelled just too late. */
  elapse(id: string, owner: string): void {
    this.#timers.get(id)?.cancel();
    this.#timers.delete(id);
    const nowMs = this.#clock.nowMs();
    this.#office.post('clock', owner, { type: 'timer.elapsed', id, nowMs } as { type: string });
  }

  cancelAll(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #arm(id: string, timer: Timer): void {
    timer.cancel = this.#clock.setTimer(Math.max(0, timer.dueMs - this.#clock.nowMs()), () =>
      this.elapse(id, this.#owner),
    );
  }
}
