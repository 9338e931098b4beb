import { randomUUID } from 'node:crypto';
import type { Random } from '../../ports/random.ts';

/** Randomness of this machine. Streams exist for seeded runs; here every draw is independent anyway. */
export function systemRandom(): Random {
  return { uuid: () => randomUUID(), next: () => Math.random() };
}
