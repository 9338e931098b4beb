import { monotonicNs, NS_PER_MS } from '../../drivers/system/monotonic.ts';
import type { Clock } from '../../ports/clock.ts';
import { isoToMs } from '../text/iso-time.ts';

/**
 * A moment that two processes of one machine agree on. The monotonic clock stands still while the machine sleeps, the
 * wall clock may be set. The earlier of the two counts: stopping too early is safe.
 */
export interface Deadline {
  readonly monotonicNs: string;
  readonly wallMs: number;
}

export function deadlineIn(remainingMs: number, clock: Clock): Deadline {
  const ahead = BigInt(Math.floor(remainingMs * NS_PER_MS));
  return { monotonicNs: String(monotonicNs() + ahead), wallMs: wallNowMs(clock) + remainingMs };
}

/** Milliseconds left; negative once it has passed. */
export function leftMs(deadline: Deadline, clock: Clock): number {
  const monotonic = Number(BigInt(deadline.monotonicNs) - monotonicNs()) / NS_PER_MS;
  return Math.min(monotonic, deadline.wallMs - wallNowMs(clock));
}

function wallNowMs(clock: Clock): number {
  return isoToMs(clock.isoNow()) ?? Number.POSITIVE_INFINITY;
}
