/** Time, as the only door to it. Two scales, because a sleeping machine and a stepped wall clock are different dangers. */
export interface Clock {
  /**
   * Monotonic milliseconds that neither count machine sleep nor follow the wall clock. For waiting on others: a wall
   * clock that jumps forward must not make a standby believe that another participant's lease has run out.
   */
  nowMs(): number;
  /**
   * Milliseconds that take the larger of the monotonic and the wall-clock span. For our own deadline: after a machine
   * sleep the lease is older than the monotonic clock says, and too early is safe.
   */
  deadlineNowMs(): number;
  /** Wall-clock time as ISO text with milliseconds. For people only. */
  isoNow(): string;
  /**
   * Runs `fire` once after `delayMs` (finite, 0 to 2^31-1; a RangeError otherwise, because Node fires at once).
   * Returns the function that cancels it.
   */
  setTimer(delayMs: number, fire: () => void): () => void;
}
