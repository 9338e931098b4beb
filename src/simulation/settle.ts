/**
 * Waits until every promise that can settle without time passing has settled: Node runs its next tick only once the
 * queue of microtasks is empty. No timer is involved, so the order is the same in every run.
 */
export async function settle(): Promise<void> {
  // From here on we are inside the microtask queue; a tick asked for outside of it would run before the queue.
  await undefined;
  await new Promise<void>((resolve) => process.nextTick(resolve));
}

/** The same for who is inside the microtask queue already, as everybody is behind an `await`: half the work. */
export function settleInside(): Promise<void> {
  return new Promise<void>((resolve) => process.nextTick(resolve));
}
