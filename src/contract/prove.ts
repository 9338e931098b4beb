import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Capabilities } from './capabilities.ts';
import { lawBroken } from './expect.ts';
import type { Law } from './law.ts';
import type { StoreUnderTest } from './store.ts';
import { Trial } from './trial.ts';

export interface ProofOptions {
  /** Makes an empty store. Called once for each law. */
  readonly emptyStore: () => StoreUnderTest | Promise<StoreUnderTest>;
  readonly capabilities: Capabilities;
  readonly clock: Clock;
  readonly random: Random;
  readonly boundMs: number;
  readonly manyEntries: number;
}

/** Tries one law on a store of its own. Rejects with an AssertionError that tells the whole story when it is broken. */
export async function proveLaw(law: Law, { emptyStore, capabilities, ...options }: ProofOptions): Promise<void> {
  const trial = new Trial(await emptyStore(), { ...options, protection: capabilities.protection });
  const failures: unknown[] = [];
  await law.prove(trial).catch((error: unknown) => failures.push(error));
  // Also after a failure: what a broken law leaves open would disturb the next one. The first failure is the one to tell.
  await trial.clearUp().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw lawBroken(law, failures[0]);
}
