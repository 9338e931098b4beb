import type { Random } from '../ports/random.ts';

/** Randomness decided by one seed. Each stream has its own sequence: a new draw in one place does not shift the others. */
export class SeededRandom implements Random {
  readonly #seed: number;
  readonly #states = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed >>> 0;
  }

  next(stream: string): number {
    // mulberry32, chosen for being small and good enough: nothing here is a secret.
    const state = ((this.#states.get(stream) ?? hash(stream, this.#seed)) + 0x6d2b79f5) >>> 0;
    this.#states.set(stream, state);
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.next('uuid') * 16).toString(16));
    digits[12] = '4';
    digits[16] = (8 + Math.floor(this.next('uuid') * 4)).toString(16);
    const text = digits.join('');
    return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
  }
}

function hash(text: string, seed: number): number {
  let value = (0x811c9dc5 ^ seed) >>> 0;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}
