import { describe, expect, it } from 'vitest';
import { CLOCK_TOLERANCE_MS, deadlineClock, systemClock } from '../../src/drivers/system/clock.ts';
import { systemRandom } from '../../src/drivers/system/random.ts';

/** A machine whose two clocks the test moves. */
function machine() {
  const raw = { monotonic: 1000, wall: 1_700_000_000_000 };
  const now = deadlineClock({ monotonicMs: () => raw.monotonic, wallMs: () => raw.wall });
  return {
    now,
    run: (ms: number) => {
      raw.monotonic += ms;
      raw.wall += ms;
    },
    sleep: (ms: number) => {
      raw.wall += ms;
    },
    stepWall: (ms: number) => {
      raw.wall += ms;
    },
  };
}

describe('deadlineClock', () => {
  it('follows the monotonic clock while both agree', () => {
    const { now, run } = machine();
    const start = now();
    for (let n = 0; n < 100; n += 1) run(10);
    expect(now() - start).toBe(1000);
  });

  it('counts a machine sleep', () => {
    const { now, run, sleep } = machine();
    const start = now();
    run(500);
    sleep(60_000);
    run(500);
    expect(now() - start).toBe(61_000);
    run(1000);
    expect(now() - start).toBe(62_000);
  });

  it('never goes back when the wall clock does', () => {
    const { now, run, stepWall } = machine();
    const start = now();
    stepWall(-3_600_000);
    expect(now()).toBe(start);
    run(1000);
    expect(now() - start).toBe(1000);
  });

  it('sees a sleep that comes after the wall clock was set back', () => {
    const { now, run, stepWall, sleep } = machine();
    const start = now();
    stepWall(-3_600_000);
    run(1000);
    now();
    sleep(600_000);
    expect(now() - start).toBe(601_000);
  });

  it('takes a wall clock set forward for a sleep, and keeps that when it is set back', () => {
    const { now, stepWall } = machine();
    const start = now();
    stepWall(5000);
    expect(now() - start).toBe(5000);
    stepWall(-5000);
    expect(now() - start).toBe(5000);
  });

  it('ignores what both clocks differ by all the time, yet adds up short sleeps', () => {
    const { now, sleep } = machine();
    const start = now();
    sleep(CLOCK_TOLERANCE_MS);
    expect(now()).toBe(start);
    sleep(1);
    expect(now() - start).toBe(CLOCK_TOLERANCE_MS + 1);
  });

  it('hides at most twice the tolerance of a sleep', () => {
    const { now, run, stepWall, sleep } = machine();
    stepWall(-CLOCK_TOLERANCE_MS);
    const start = now();
    sleep(10_000);
    run(1);
    expect(now() - start).toBeGreaterThanOrEqual(10_000 - 2 * CLOCK_TOLERANCE_MS);
  });
});

describe('systemClock', () => {
  const clock = systemClock();

  it('moves forward on both scales', () => {
    const [first, deadline] = [clock.nowMs(), clock.deadlineNowMs()];
    expect(clock.nowMs()).toBeGreaterThanOrEqual(first);
    expect(clock.deadlineNowMs()).toBeGreaterThanOrEqual(deadline);
    expect(clock.isoNow()).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('fires once, in order, and never early', async () => {
    const fired: string[] = [];
    const start = clock.nowMs();
    await new Promise<void>((done) => {
      clock.setTimer(5, () => {
        fired.push('late');
        done();
      });
      clock.setTimer(0, () => fired.push('soon'));
    });
    expect(fired).toEqual(['soon', 'late']);
    expect(clock.nowMs() - start).toBeGreaterThanOrEqual(5);
  });

  it('does not fire early where Node would: at a fraction of a millisecond', async () => {
    const early: number[] = [];
    const timer = (delayMs: number): Promise<void> =>
      new Promise((done) => {
        const dueMs = clock.nowMs() + delayMs;
        clock.setTimer(delayMs, () => {
          if (clock.nowMs() < dueMs - 0.01) early.push(dueMs - clock.nowMs());
          done();
        });
      });
    await Promise.all(Array.from({ length: 60 }, (_, n) => timer(2.9 + n / 10)));
    expect(early).toEqual([]);
  });

  it('does not fire what was cancelled', async () => {
    const fired: string[] = [];
    const cancel = clock.setTimer(1, () => fired.push('cancelled'));
    cancel();
    await new Promise<void>((done) => clock.setTimer(5, done));
    cancel();
    expect(fired).toEqual([]);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])('refuses a delay of %s', (delay) => {
    expect(() => clock.setTimer(delay, () => {})).toThrow(RangeError);
  });

  it('takes the longest delay that Node keeps', () => {
    clock.setTimer(2 ** 31 - 1, () => {})();
  });
});

describe('systemRandom', () => {
  it('draws different UUIDs of version 4 and numbers in [0, 1)', () => {
    const random = systemRandom();
    const uuids = Array.from({ length: 100 }, () => random.uuid());
    expect(new Set(uuids).size).toBe(100);
    for (const uuid of uuids)
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const numbers = Array.from({ length: 100 }, () => random.next('any'));
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBeGreaterThan(90);
  });
});
