import type { Clock } from '../ports/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
  cancel: (() => void) | null;
}

/**
 * The clock of one machine in a world with several. It can sleep while the world goes on: its monotonic time and its
 * timers stand still, its wall clock does not. Asleep for ever is what a crashed machine is to the others.
 */
export class MachineClock implements Clock {
  readonly #world: Clock;
  readonly #timers = new Set<Timer>();
  #asleepSinceMs: number | null = null;
  #sleptMs = 0;

  constructor(world: Clock) {
    this.#world = world;
  }

  get isAsleep(): boolean {
    return this.#asleepSinceMs !== null;
  }

  nowMs(): number {
    return (this.#asleepSinceMs ?? this.#world.nowMs()) - this.#sleptMs;
  }

  deadlineNowMs(): number {
    return this.#world.deadlineNowMs();
  }

  isoNow(): string {
    return this.#world.isoNow();
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    const timer: Timer = { atMs: this.nowMs() + delayMs, fire, cancel: null };
    if (!this.isAsleep) this.#arm(timer, delayMs);
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      timer.cancel?.();
    };
  }

  sleep(): void {
    if (this.isAsleep) return;
    this.#asleepSinceMs = this.#world.nowMs();
    for (const timer of this.#timers) timer.cancel?.();
  }

  wake(): void {
    if (this.#asleepSinceMs === null) return;
    this.#sleptMs += this.#world.nowMs() - this.#asleepSinceMs;
    this.#asleepSinceMs = null;
    for (const timer of [...this.#timers].sort((a, b) => a.atMs - b.atMs)) {
      this.#arm(timer, Math.max(0, timer.atMs - this.nowMs()));
    }
  }

  #arm(timer: Timer, delayMs: number): void {
    timer.cancel = this.#world.setTimer(delayMs, () => {
      this.#timers.delete(timer);
      timer.fire();
    });
  }
}
