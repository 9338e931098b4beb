import { systemClock } from '../../../src/drivers/system/clock.ts';
import type { Clock } from '../../../src/ports/clock.ts';

/** Real time that passes so many times faster: back-offs and limits of seconds are met in a test, over real sockets. */
export function hurriedClock(times: number): Clock {
  const clock = systemClock();
  return {
    nowMs: () => clock.nowMs() * times,
    deadlineNowMs: () => clock.deadlineNowMs() * times,
    isoNow: () => clock.isoNow(),
    setTimer: (delayMs, fire) => clock.setTimer(delayMs / times, fire),
  };
}
