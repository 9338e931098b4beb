import { open, rm, stat, utimes } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

export interface LockTimes {
  /** How often the holder shows that it lives. */
  readonly beatMs: number;
  /** A lock without a sign of life for so long is one whose holder was killed. */
  readonly staleMs: number;
  /** Pause between two looks at a lock that is held. */
  readonly lookMs: number;
}

const TIMES: LockTimes = { beatMs: 2_000, staleMs: 20_000, lookMs: 500 };

/**
 * Runs `work` while no other process of this machine does, by a file that only one of them can create. Two may run at
 * once in one case: both find the lock of a killed process and the slower one takes away what the faster one has just
 * made. `work` must therefore be safe to do twice; the lock saves the time.
 *
 * @param whenWaiting told once, before the first wait.
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  whenWaiting: () => void = () => {},
  times: LockTimes = TIMES,
): Promise<T> {
  for (let looks = 0; !(await create(path)); looks++) {
    if (looks === 0) whenWaiting();
    if ((await silentForMs(path)) > times.staleMs) await rm(path, { force: true });
    else await pause(times.lookMs);
  }
  const beat = setInterval(() => void touch(path), times.beatMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    await rm(path, { force: true });
  }
}

async function create(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function silentForMs(path: string): Promise<number> {
  try {
    return Date.now() - (await stat(path)).mtimeMs;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0;
    throw error;
  }
}

async function touch(path: string): Promise<void> {
  try {
    await utimes(path, new Date(), new Date());
  } catch (error) {
    // Taken away as stale while this process was frozen: the work goes on, see above.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
