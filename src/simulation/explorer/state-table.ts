/**
 * Distinct rows of integers, in the order in which they were met: an open-addressing table over typed arrays, with the
 * parent and the action that led to each row beside it. No object per state.
 */
export class StateTable {
  readonly width: number;
  #rows: Int32Array;
  #parents: Int32Array;
  #actions: Int32Array;
  #slots: Int32Array;
  #mask: number;
  #size = 0;

  constructor(width: number, expected: number) {
    this.width = width;
    const capacity = Math.min(expected + 16, 1 << 20);
    this.#rows = new Int32Array(capacity * width);
    this.#parents = new Int32Array(capacity);
    this.#actions = new Int32Array(capacity);
    this.#slots = new Int32Array(1 << 21);
    this.#mask = this.#slots.length - 1;
  }

  get size(): number {
    return this.#size;
  }

  get bytesPerState(): number {
    const bytes = this.#rows.byteLength + this.#parents.byteLength + this.#actions.byteLength + this.#slots.byteLength;
    return bytes / Math.max(1, this.#size);
  }

  row(at: number): number[] {
    const start = at * this.width;
    return Array.from(this.#rows.subarray(start, start + this.width));
  }

  parent(at: number): number {
    return this.#parents[at] ?? -1;
  }

  action(at: number): number {
    return this.#actions[at] ?? 0;
  }

  /** The index of the row; parent and action are those of the first time it was met. */
  add(row: readonly number[], parent: number, action: number): number {
    if (this.#size * 2 > this.#mask) this.#growSlots();
    let slot = this.#hash(row) & this.#mask;
    for (let entry = this.#slots[slot] ?? 0; entry !== 0; entry = this.#slots[slot] ?? 0) {
      if (this.#equals(entry - 1, row)) return entry - 1;
      slot = (slot + 1) & this.#mask;
    }
    const at = this.#size++;
    if (at >= this.#parents.length) this.#growRows();
    this.#rows.set(row, at * this.width);
    this.#parents[at] = parent;
    this.#actions[at] = action;
    this.#slots[slot] = at + 1;
    return at;
  }

  #equals(at: number, row: readonly number[]): boolean {
    const start = at * this.width;
    for (let i = 0; i < this.width; i++) if (this.#rows[start + i] !== row[i]) return false;
    return true;
  }

  #hash(row: readonly number[]): number {
    let hash = 0x9e3779b9;
    for (let i = 0; i < this.width; i++) {
      hash = Math.imul(hash ^ (row[i] ?? 0), 0x85ebca6b);
      hash ^= hash >>> 13;
    }
    return Math.imul(hash, 0xc2b2ae35) >>> 0;
  }

  #growSlots(): void {
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#mask = this.#slots.length - 1;
    for (let at = 0; at < this.#size; at++) {
      let slot = this.#hash(this.row(at)) & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = at + 1;
    }
  }

  #growRows(): void {
    const grow = (array: Int32Array): Int32Array => {
      const larger = new Int32Array(array.length * 2);
      larger.set(array);
      return larger;
    };
    this.#rows = grow(this.#rows);
    this.#parents = grow(this.#parents);
    this.#actions = grow(this.#actions);
  }
}
