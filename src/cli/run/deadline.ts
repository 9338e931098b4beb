import type { Clock } from '../../ports/clock.ts';
import { isoToMs } from '../text/iso-time.ts';

/**
 * A moment that two processes of one machine agree on. `process.hrtime` reads CLOCK_MONOTONIC, which Linux and macOS
 * count from the start of the machine, so its values can be compared between processes. It stands still while the
 * machine sleeps; the wall clock does not. The earlier of the two counts: stopping too early is safe.
 */
export interface Deadline {
  readonly monotonicNs: string;
  readonly wallMs: number;
}

const NS_PER_MS = 1e6;

export function deadlineIn(remainingMs: number, clock: Clock): Deadline {
  const ahead = BigInt(Math.floor(remainingMs * NS_PER_MS));
  return { monotonicNs: String(process.hrtime.bigint() + ahead), wallMs: wallNowMs(clock) + remainingMs };
}

/** Milliseconds left; negative once it has passed. */
export function leftMs(deadline: Deadline, clock: Clock): number {
  const monotonic = Number(BigInt(deadline.monotonicNs) - process.hrtime.bigint()) / NS_PER_MS;
  return Math.min(monotonic, deadline.wallMs - wallNowMs(clock));
}

function wallNowMs(clock: Clock): number {
  return isoToMs(clock.isoNow()) ?? Number.POSITIVE_INFINITY;
}
