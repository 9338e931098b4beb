import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MachineClock } from '../../src/simulation/machine-clock.ts';
import { settle } from '../../src/simulation/settle.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

describe('timers of the virtual clock', () => {
  it('run in the order of their times, ties in the order of their setting, cancelled ones never', async () => {
    const timer = fc.record({ delayMs: fc.integer({ min: 0, max: 20 }), cancelled: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(timer, { maxLength: 60 }), async (timers) => {
        const clock = new VirtualClock();
        const ran: number[] = [];
        timers.forEach(({ delayMs, cancelled }, at) => {
          const cancel = clock.setTimer(delayMs, () => ran.push(at));
          if (cancelled) cancel();
          cancel();
          if (!cancelled) clock.setTimer(delayMs, () => ran.push(at));
        });
        const left = timers.flatMap(({ delayMs, cancelled }, at) => (cancelled ? [] : [{ delayMs, at }]));
        expect(clock.pending).toBe(left.length);
        await clock.advance(20, settle);
        expect(ran).toEqual(left.sort((a, b) => a.delayMs - b.delayMs || a.at - b.at).map(({ at }) => at));
        expect([clock.pending, clock.nextAtMs]).toEqual([0, null]);
      }),
    );
  });
});

describe('the clock of a machine', () => {
  const machine = (rate: number) => {
    const world = new VirtualClock();
    return { world, clock: new MachineClock(world, { rate }), advance: (ms: number) => world.advance(ms, settle) };
  };

  it('ticks at its own rate, and its timers with it', async () => {
    const { world, clock, advance } = machine(0.5);
    const firedAt: number[] = [];
    clock.setTimer(100, () => firedAt.push(clock.nowMs(), world.nowMs()));
    await advance(150);
    expect([clock.nowMs(), firedAt]).toEqual([75, []]);
    await advance(150);
    expect(firedAt).toEqual([100, 200]);
  });

  it('has reached the time of a timer when that fires, whatever the rounding', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.9, max: 1.1, noNaN: true }),
        fc.array(fc.double({ min: 0, max: 1_000, noNaN: true }), { maxLength: 20 }),
        async (rate, delays) => {
          const { clock, advance } = machine(rate);
          for (const delayMs of delays) {
            const atMs = clock.nowMs() + delayMs;
            clock.setTimer(delayMs, () => expect(clock.nowMs()).toBeGreaterThanOrEqual(atMs));
            await advance(7.3);
          }
          await advance(2_000);
        },
      ),
    );
  });

  it('goes on while the process is frozen; what came due meanwhile fires on thaw, in its order', async () => {
    const { clock, advance } = machine(1);
    const fired: string[] = [];
    clock.setTimer(30, () => fired.push(`third at ${clock.nowMs()}`));
    clock.setTimer(20, () => fired.push(`second at ${clock.nowMs()}`));
    clock.setTimer(5, () => fired.push(`first at ${clock.nowMs()}`));
    await advance(10);
    clock.freeze();
    clock.setTimer(1, () => fired.push(`set while frozen at ${clock.nowMs()}`));
    await advance(15);
    expect(clock.nowMs()).toBe(25);
    clock.thaw();
    await advance(0);
    expect(fired).toEqual(['first at 5', 'set while frozen at 25', 'second at 25']);
    await advance(5);
    expect(fired.at(-1)).toBe('third at 30');
  });

  it('asleep it stands still, and its deadline scale catches up', async () => {
    const { clock, advance } = machine(1);
    await advance(100);
    clock.sleep();
    await advance(1_000);
    expect([clock.nowMs(), clock.deadlineNowMs()]).toEqual([100, 1_100]);
    clock.wake();
    await advance(10);
    expect([clock.nowMs(), clock.deadlineNowMs()]).toEqual([110, 1_110]);
  });

  it('set forward it is late for its own deadlines and waits for others as before; set back it changes nothing', () => {
    const { clock } = machine(1);
    clock.setWallClockBy(-3_600_000);
    expect([clock.nowMs(), clock.deadlineNowMs()]).toEqual([0, 0]);
    clock.setWallClockBy(60_000);
    expect([clock.nowMs(), clock.deadlineNowMs()]).toEqual([0, 60_000]);
    expect(clock.isoNow()).toBe('1969-12-31T23:01:00.000Z');
  });

  it('stopped it fires nothing any more', async () => {
    const { clock, world, advance } = machine(1);
    clock.setTimer(5, () => expect.unreachable());
    clock.stop();
    clock.setTimer(5, () => expect.unreachable());
    expect(world.pending).toBe(0);
    await advance(10);
  });
});
