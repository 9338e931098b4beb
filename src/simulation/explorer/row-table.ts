/** A list of small integers that grows. */
export class Ints {
  #values = new Int32Array(1 << 10);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#values.byteLength;
  }

  at(index: number): number {
    return this.#values[index] as number;
  }

  push(value: number): void {
    if (this.#size === this.#values.length) {
      const larger = new Int32Array(this.#size * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#size++] = value;
  }
}

/**
 * Distinct rows of integers, in the order in which they were met: an open-addressing table over typed arrays. No object
 * per row. A row is written into `probe` and then added.
 */
export class RowTable {
  readonly width: number;
  readonly probe: Int32Array;
  #rows: Int32Array;
  #slots: Int32Array;
  #mask: number;
  #size = 0;
  #capacity: number;

  constructor(width: number) {
    this.width = width;
    this.probe = new Int32Array(width);
    this.#capacity = 1 << 12;
    this.#rows = new Int32Array(this.#capacity * width);
    this.#slots = new Int32Array(1 << 13);
    this.#mask = this.#slots.length - 1;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#rows.byteLength + this.#slots.byteLength;
  }

  get(at: number, column: number): number {
    return this.#rows[at * this.width + column] as number;
  }

  /** The index of what `probe` holds; −1 when it was never added. */
  find(): number {
    const { width, probe } = this;
    let slot = this.#hash(probe, 0) & this.#mask;
    for (let entry = this.#slots[slot] as number; entry !== 0; entry = this.#slots[slot] as number) {
      const start = (entry - 1) * width;
      if (probe.every((value, i) => this.#rows[start + i] === value)) return entry - 1;
      slot = (slot + 1) & this.#mask;
    }
    return -1;
  }

  /** Adds what `probe` holds. The index of the row, as its complement when it was there already. */
  add(): number {
    const { width, probe } = this;
    let slot = this.#hash(probe, 0) & this.#mask;
    for (let entry = this.#slots[slot] as number; entry !== 0; entry = this.#slots[slot] as number) {
      const start = (entry - 1) * width;
      let i = 0;
      while (i < width && this.#rows[start + i] === probe[i]) i += 1;
      if (i === width) return ~(entry - 1);
      slot = (slot + 1) & this.#mask;
    }
    if (this.#size === this.#capacity) this.#growRows();
    const at = this.#size++;
    this.#rows.set(probe, at * width);
    this.#slots[slot] = at + 1;
    if (this.#size * 2 > this.#mask) this.#growSlots();
    return at;
  }

  #hash(values: Int32Array, start: number): number {
    let hash = 0x9e3779b9;
    for (let i = start; i < start + this.width; i++) {
      hash = Math.imul(hash ^ (values[i] as number), 0x85ebca6b);
      hash ^= hash >>> 13;
    }
    hash = Math.imul(hash, 0xc2b2ae35);
    return hash ^ (hash >>> 16);
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#mask = this.#slots.length - 1;
    for (let at = 0; at < this.#size; at++) {
      let slot = this.#hash(this.#rows, at * this.width) & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = at + 1;
    }
  }

  #growRows(): void {
    this.#capacity *= 2;
    const larger = new Int32Array(this.#capacity * this.width);
    larger.set(this.#rows);
    this.#rows = larger;
  }
}
