import type { Clock } from '../../ports/clock.ts';

/** The two raw scales of a machine, both in milliseconds from any origin. */
export interface RawTime {
  /** Never steps; stands still while the machine sleeps. */
  monotonicMs(): number;
  /** Counts machine sleep; may be stepped either way at any time. */
  wallMs(): number;
}

/**
 * How far the two spans may differ before that means something. Reading them is two calls (a thread switch can fall
 * between), the wall clock counts whole milliseconds, and time daemons slew it by up to 0.05 %. The price: between any
 * two readings up to twice this much of a sleep can go unseen, which the margin of a lease (at least 1 s) covers.
 */
export const CLOCK_TOLERANCE_MS = 50;

/** Longest delay that Node's timers keep; a longer one fires after 1 ms. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * The scale for our own deadlines: monotonic time plus an offset that only grows, by what the wall clock says the
 * monotonic clock has slept through. A wall clock set forward counts as sleep: a lease given up too early is safe.
 */
export function deadlineClock(raw: RawTime, toleranceMs: number = CLOCK_TOLERANCE_MS): () => number {
  let monotonicBase = raw.monotonicMs();
  let wallBase = raw.wallMs();
  let offsetMs = 0;

  return () => {
    const monotonic = raw.monotonicMs();
    const wall = raw.wallMs();
    const gap = wall - wallBase - (monotonic - monotonicBase);
    if (gap > toleranceMs) offsetMs += gap;
    // The base moves on a step back too. Without that: wall clock set back by 1 h, laptop sleeps for 10 min, and the
    // sleep is hidden behind the 50 minutes that the wall clock still lacks. Inside the tolerance the base stays, so
    // that many short sleeps add up until they are seen.
    if (Math.abs(gap) > toleranceMs) {
      monotonicBase = monotonic;
      wallBase = wall;
    }
    return monotonic + offsetMs;
  };
}

/** The clock of this machine. */
export function systemClock(): Clock {
  const deadlineNowMs = deadlineClock({ monotonicMs: () => performance.now(), wallMs: () => Date.now() });
  return {
    nowMs: () => performance.now(),
    deadlineNowMs,
    isoNow: () => new Date().toISOString(),
    setTimer: startTimer,
  };
}

function startTimer(delayMs: number, fire: () => void): () => void {
  if (!Number.isFinite(delayMs) || delayMs < 0 || delayMs > MAX_DELAY_MS) {
    throw new RangeError(`a timer needs a finite delay of 0 to ${MAX_DELAY_MS} ms, received ${delayMs}`);
  }
  const dueMs = performance.now() + delayMs;
  // Node counts from the start of the loop turn in whole milliseconds, so its timers may fire up to 1 ms early. A lease
  // that is tested 0.4 ms before it has run out would be found alive, and nothing would test it again.
  const wake = (): void => {
    if (performance.now() < dueMs) timer = setTimeout(wake, 1);
    else fire();
  };
  let timer = setTimeout(wake, delayMs);
  return () => clearTimeout(timer);
}
