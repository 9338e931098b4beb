/**
 * CLOCK_MONOTONIC in nanoseconds. Linux and macOS count it from the start of the machine, so several processes can
 * compare it; a `Clock` counts from the start of its own process and cannot serve for that.
 */
export function monotonicNs(): bigint {
  return process.hrtime.bigint();
}

export const NS_PER_MS = 1e6;
