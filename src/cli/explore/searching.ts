import type { Clock } from '../../ports/clock.ts';

/** What of a search this needs. */
export interface Advancing {
  /** Looks at so many more worlds; true when nothing is left to do. */
  advance(worlds: number): boolean;
}

/** How long the search may hold up signals and the screen at a time. */
const TURN_MS = 50;
const FIRST_TURN = 256;

/**
 * Runs a search in turns of about equal length. True when it came to its end, false when `isStopped` ended it before.
 */
export async function searchInTurns(
  search: Advancing,
  clock: Clock,
  isStopped: () => boolean,
  onTurn: () => void,
): Promise<boolean> {
  let worlds = FIRST_TURN;
  while (!isStopped()) {
    const beganMs = clock.nowMs();
    if (search.advance(worlds)) return true;
    const tookMs = clock.nowMs() - beganMs;
    // The first worlds of a kind take longest, so a turn grows slowly and shrinks at once.
    if (tookMs > TURN_MS) worlds = Math.max(FIRST_TURN, worlds >> 1);
    else if (tookMs < TURN_MS / 2) worlds *= 2;
    onTurn();
    await new Promise<void>((resolve) => clock.setTimer(0, resolve));
  }
  return false;
}
