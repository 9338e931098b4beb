import { systemClock } from '../../drivers/system/clock.ts';
import type { Clock } from '../../ports/clock.ts';
import { settle } from '../settle.ts';
import { VirtualClock } from '../virtual-clock.ts';

/** The fake timers of a test runner: `vi` of Vitest and `jest` of Jest have these. */
export interface FakeTimers {
  useFakeTimers(): unknown;
  useRealTimers(): unknown;
  advanceTimersByTimeAsync(ms: number): Promise<unknown>;
  getTimerCount(): number;
}

/** The time of one world. It moves only when told to. */
export interface Time {
  readonly clock: Clock;
  advance(ms: number): Promise<void>;
  /** Lets everything run that needs no time to pass; real I/O gets one turn of the event loop. */
  turn(): Promise<void>;
  /** Timers that are set and have not run; `null` where the timers of the contender are not under control. */
  timersLeft(): number | null;
  end(): void;
}

/** By a message, not by a timer: a test may have faked those without telling the world. */
async function turnOfTheLoop(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  await new Promise<void>((resolve) => {
    port1.addEventListener('message', () => resolve(), { once: true });
    port1.start();
    port2.postMessage(null);
  });
  port1.close();
}

/** Tenure's own time only: a contender's `setTimeout` stays real. */
class VirtualTime implements Time {
  readonly clock = new VirtualClock();

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms, settle);
    await settle();
  }

  async turn(): Promise<void> {
    await turnOfTheLoop();
    await settle();
  }

  timersLeft(): null {
    return null;
  }

  end(): void {}
}

/** One time for Tenure and for the contender: the system clock, read and set while the globals are faked. */
class FakedTime implements Time {
  readonly clock: Clock;
  readonly #timers: FakeTimers;

  constructor(timers: FakeTimers) {
    this.#timers = timers;
    timers.useFakeTimers();
    this.clock = systemClock();
  }

  async advance(ms: number): Promise<void> {
    await this.#timers.advanceTimersByTimeAsync(ms);
    await settle();
  }

  turn(): Promise<void> {
    return this.advance(0);
  }

  timersLeft(): number {
    return this.#timers.getTimerCount();
  }

  end(): void {
    this.#timers.useRealTimers();
  }
}

export function timeOf(timers: FakeTimers | undefined): Time {
  return timers === undefined ? new VirtualTime() : new FakedTime(timers);
}
