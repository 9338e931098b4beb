// FNV-1a, chosen for being small: nothing here has to withstand anybody.
const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** A time is mixed in by its bits: two runs must agree in the last of them. */
const TIME = new Float64Array(1);
const TIME_BITS = new Uint32Array(TIME.buffer);

/**
 * A whole trace in a few bytes per line: two runs of one seed are compared by it, and the first line in which they
 * differ is known without keeping the text.
 */
export class Digest {
  #hashes = new Uint32Array(1_024);
  #length = 0;
  /** Depends on every line and on their order. */
  #whole = OFFSET;
  #line = 0;
  readonly #words = new Map<string, number>();

  begin(atMs: number, who: string): void {
    TIME[0] = atMs;
    this.#line = (TIME_BITS[0] ?? 0) ^ Math.imul(TIME_BITS[1] ?? 0, PRIME);
    this.mix(who);
  }

  mix(text: string): this {
    this.#line = Math.imul(this.#line ^ this.#hashOf(text), PRIME) ^ (this.#line >>> 13);
    return this;
  }

  /** For text that comes once only, and is not worth remembering. */
  mixOnce(text: string): this {
    this.#line = Math.imul(this.#line ^ hashOf(text), PRIME) ^ (this.#line >>> 13);
    return this;
  }

  end(): void {
    if (this.#length === this.#hashes.length) this.#grow();
    this.#hashes[this.#length++] = this.#line;
    this.#whole = Math.imul(this.#whole ^ this.#line, PRIME) ^ (this.#whole >>> 15);
  }

  /** Most words of a trace come again and again. */
  #hashOf(text: string): number {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    const hash = hashOf(text);
    this.#words.set(text, hash);
    return hash;
  }

  get length(): number {
    return this.#length;
  }

  /** Number of lines and hash of all of them. */
  toString(): string {
    return `${this.#length}:${(this.#whole >>> 0).toString(16).padStart(8, '0')}`;
  }

  /** Index of the first line that differs; `null` when all are the same. */
  firstDifference(other: Digest): number | null {
    const longest = Math.max(this.#length, other.#length);
    for (let at = 0; at < longest; at += 1) {
      if (at >= this.#length || at >= other.#length || this.#hashes[at] !== other.#hashes[at]) return at;
    }
    return null;
  }

  #grow(): void {
    const larger = new Uint32Array(this.#hashes.length * 2);
    larger.set(this.#hashes);
    this.#hashes = larger;
  }
}

function hashOf(text: string): number {
  let hash = OFFSET;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash;
}
