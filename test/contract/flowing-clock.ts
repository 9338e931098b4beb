import type { Clock } from '../../src/ports/clock.ts';
import { settle } from '../../src/simulation/settle.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

/**
 * Virtual time that flows by itself, but only while nothing else can happen: a wait for what never comes takes no real
 * time, and a bound is never met early. For stores that live in this process.
 */
export function flowingClock(): Clock {
  const clock = new VirtualClock();
  let flows = false;
  const flow = async (): Promise<void> => {
    for (let at = clock.nextAtMs; at !== null; at = clock.nextAtMs) {
      await settle();
      // What has settled may have cancelled the timer, or set an earlier one.
      if (clock.nextAtMs === at) await clock.advance(Math.max(0, at - clock.nowMs()), settle);
    }
    flows = false;
  };
  return {
    nowMs: () => clock.nowMs(),
    deadlineNowMs: () => clock.deadlineNowMs(),
    isoNow: () => clock.isoNow(),
    setTimer(delayMs, fire) {
      const cancel = clock.setTimer(delayMs, fire);
      if (!flows) {
        flows = true;
        queueMicrotask(() => void flow());
      }
      return cancel;
    },
  };
}
