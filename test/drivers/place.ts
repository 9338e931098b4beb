import { systemClock } from '../../src/drivers/system/clock.ts';
import { systemRandom } from '../../src/drivers/system/random.ts';
import type { BackendContext } from '../../src/ports/backend.ts';
import type { Clock } from '../../src/ports/clock.ts';

export function testContext(options: { readonly election?: string; readonly identity?: string } = {}): BackendContext {
  const { election = 'billing', identity = 'participant-1' } = options;
  return { election, identity, clock: systemClock(), random: systemRandom() };
}

/** A clock whose timers fire when the test says so. */
export function handClock() {
  const timers: { readonly delayMs: number; readonly fire: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => 0,
    deadlineNowMs: () => 0,
    isoNow: () => '',
    setTimer: (delayMs, fire) => {
      const timer = { delayMs, fire };
      timers.push(timer);
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
  };
  return { clock, timers, fire: () => timers.shift()?.fire() };
}

/** Records what a watch reports, and waits for what it should report. */
export function record<T>(watch: (listener: (item: T) => void) => () => void): Recording<T> {
  const items: T[] = [];
  const waiting = new Set<() => void>();
  const stop = watch((item) => {
    items.push(item);
    for (const look of [...waiting]) look();
  });
  const until = (wanted: (items: readonly T[]) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!wanted(items)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { items, stop, until };
}

export interface Recording<T> {
  readonly items: readonly T[];
  readonly stop: () => void;
  /** Settles once the recorded items satisfy `wanted`. */
  until(wanted: (items: readonly T[]) => boolean): Promise<void>;
}
