import { SeededRandom } from '../seeded-random.ts';

/** One named stream of a seed, with the draws that a simulation needs. */
export class Draw {
  readonly #random: SeededRandom;
  readonly #stream: string;

  constructor(seed: number, stream: string) {
    this.#random = new SeededRandom(seed);
    this.#stream = stream;
  }

  /** In [0, 1). */
  next(): number {
    return this.#random.next(this.#stream);
  }

  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  }

  /** Mostly short, sometimes long: exponential around `mean`, at most ten times that. */
  span(mean: number): number {
    return Math.round(Math.min(10 * mean, -mean * Math.log(1 - this.next())));
  }
}
