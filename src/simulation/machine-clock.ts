import { deadlineClock } from '../drivers/system/clock.ts';
import type { Clock } from '../ports/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly fire: () => void;
  cancel: (() => void) | null;
}

export interface MachineClockOptions {
  /** Local milliseconds per millisecond of the world, of the monotonic and of the wall clock alike. Default 1. */
  readonly rate?: number;
}

/** Smallest step of a clock: a timer that is set for less would be due at the very instant at which it was set. */
const TICK_MS = 2 ** -20;

/**
 * The clock of one machine in a world with several: it ticks at a rate of its own, and its wall clock can be set.
 *
 * - Asleep (`sleep`, `wake`): its monotonic time and its timers stand still, its wall clock does not. Asleep for ever is
 *   what a crashed machine is to the others.
 * - Frozen (`freeze`, `thaw`): the process stands still, the clocks do not; what came due meanwhile fires on thaw.
 * - Stopped (`stop`): the process is dead. No timer fires any more.
 */
export class MachineClock implements Clock {
  readonly #world: Clock;
  readonly #rate: number;
  readonly #timers = new Set<Timer>();
  readonly #beganMs: number;
  readonly #deadlineNowMs: () => number;
  #asleepSinceMs: number | null = null;
  #sleptMs = 0;
  #wallSetByMs = 0;
  /** Time that timers have shown already: rounding must not make it go back. */
  #floorMs = Number.NEGATIVE_INFINITY;
  /** Every line of a trace asks for it, many of them in one millisecond. */
  #isoOfMs = Number.NaN;
  #iso = '';
  #isFrozen = false;
  #isStopped = false;

  constructor(world: Clock, { rate = 1 }: MachineClockOptions = {}) {
    this.#world = world;
    this.#rate = rate;
    this.#beganMs = world.nowMs();
    this.#deadlineNowMs = deadlineClock({ monotonicMs: () => this.nowMs(), wallMs: () => this.#wallMs() });
  }

  get isAsleep(): boolean {
    return this.#asleepSinceMs !== null;
  }
  get isFrozen(): boolean {
    return this.#isFrozen;
  }
  get isStopped(): boolean {
    return this.#isStopped;
  }

  nowMs(): number {
    const awakeMs = (this.#asleepSinceMs ?? this.#world.nowMs()) - this.#sleptMs;
    return Math.max(this.#floorMs, this.#local(awakeMs));
  }

  deadlineNowMs(): number {
    return this.#deadlineNowMs();
  }

  isoNow(): string {
    const ms = Math.trunc(this.#wallMs());
    if (ms !== this.#isoOfMs) {
      this.#isoOfMs = ms;
      this.#iso = new Date(ms).toISOString();
    }
    return this.#iso;
  }

  setTimer(delayMs: number, fire: () => void): () => void {
    if (this.#isStopped) return () => {};
    const now = this.nowMs();
    const timer: Timer = { atMs: delayMs > 0 ? now + Math.max(TICK_MS, delayMs) : now, fire, cancel: null };
    if (this.#runs) this.#arm(timer, delayMs);
    this.#timers.add(timer);
    return () => {
      this.#timers.delete(timer);
      timer.cancel?.();
    };
  }

  sleep(): void {
    if (this.isAsleep) return;
    this.#asleepSinceMs = this.#world.nowMs();
    this.#disarm();
  }

  wake(): void {
    if (this.#asleepSinceMs === null) return;
    this.#sleptMs += this.#world.nowMs() - this.#asleepSinceMs;
    this.#asleepSinceMs = null;
    this.#rearm();
  }

  freeze(): void {
    this.#isFrozen = true;
    this.#disarm();
  }

  thaw(): void {
    this.#isFrozen = false;
    this.#rearm();
  }

  stop(): void {
    this.#isStopped = true;
    this.#disarm();
    this.#timers.clear();
  }

  /** Somebody sets the wall clock, forward or back. */
  setWallClockBy(ms: number): void {
    this.#wallSetByMs += ms;
  }

  get #runs(): boolean {
    return !this.isAsleep && !this.#isFrozen;
  }

  #local(worldMs: number): number {
    return this.#beganMs + (worldMs - this.#beganMs) * this.#rate;
  }

  #wallMs(): number {
    return this.#local(this.#world.deadlineNowMs()) + this.#wallSetByMs;
  }

  #disarm(): void {
    for (const timer of this.#timers) timer.cancel?.();
  }

  #rearm(): void {
    if (!this.#runs || this.#timers.size === 0) return;
    const now = this.nowMs();
    for (const timer of [...this.#timers].sort((a, b) => a.atMs - b.atMs)) {
      this.#arm(timer, Math.max(0, timer.atMs - now));
    }
  }

  #arm(timer: Timer, delayMs: number): void {
    timer.cancel = this.#world.setTimer(delayMs / this.#rate, () => {
      this.#timers.delete(timer);
      this.#floorMs = Math.max(this.#floorMs, timer.atMs);
      timer.fire();
    });
  }
}
