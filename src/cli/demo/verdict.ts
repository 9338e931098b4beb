import type { LeaderInformation } from '../../../machines/vocabulary.ts';

/** One session as its participant lived it, in CLOCK_MONOTONIC. */
export interface Reign {
  readonly participant: string;
  readonly beganNs: bigint;
  /** When its work had stopped; for a killed participant when its process was found dead. */
  readonly endedNs: bigint;
}

/** How long two participants led at once, over all pairs. */
export function overlapNs(reigns: readonly Reign[]): bigint {
  let total = 0n;
  for (const [index, one] of reigns.entries()) {
    for (const other of reigns.slice(index + 1)) {
      if (one.participant === other.participant) continue;
      const [, from = 0n] = inOrder(one.beganNs, other.beganNs);
      const [to = 0n] = inOrder(one.endedNs, other.endedNs);
      if (to > from) total += to - from;
    }
  }
  return total;
}

function inOrder(...moments: bigint[]): bigint[] {
  return moments.sort((a, b) => (a < b ? -1 : 1));
}

export interface Deletion {
  readonly component: string;
  /** The entry that was there before. */
  readonly entry: LeaderInformation;
}

/** Entries that were deleted without a withdrawal by their own session. */
export function erased(deletions: readonly Deletion[], withdrawals: ReadonlySet<string>): Deletion[] {
  return deletions.filter(({ component, entry }) => !withdrawals.has(withdrawalKey(component, entry.sessionId)));
}

export function withdrawalKey(component: string, sessionId: string): string {
  return `${sessionId}/${component}`;
}
