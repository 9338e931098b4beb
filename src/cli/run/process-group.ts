/** A process group, named by the id of its first process. POSIX only. */

/** Answers whether anything was there to receive it. Signal 0 only asks. */
export function signalGroup(leaderPid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leaderPid, signal);
  } catch (error) {
    // Not permitted means that something is there which we may not signal (a setuid program).
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

export function groupIsAlive(leaderPid: number): boolean {
  return signalGroup(leaderPid, 0);
}
