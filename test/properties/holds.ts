import fc from 'fast-check';
import { expect } from 'vitest';

/** Fixed, so that a run is repeated by running it again; `PROPERTY_SEED=n` tries others. */
const FIXED = 20_241_117;
const SEED = Number(process.env.PROPERTY_SEED ?? FIXED);

type Property<T> = fc.IAsyncPropertyWithHooks<T> | fc.IPropertyWithHooks<T>;

/** Fails with the shortest counterexample that shrinking finds, and with seed and path to run just that one again. */
export async function holds<T>(property: Property<T>, numRuns: number): Promise<void> {
  await fc.assert(property, { seed: SEED, numRuns });
}

/** The property can fail: on something broken it does, and says why. Always of the same seed; nothing is shrunk. */
export async function isBroken<T>(property: Property<T>, says: RegExp, numRuns = 300): Promise<void> {
  const { failed, errorInstance } = await fc.check(property, { seed: FIXED, numRuns, endOnFailure: true });
  expect(failed, `a counterexample in ${numRuns} runs`).toBe(true);
  expect(String(errorInstance)).toMatch(says);
}
