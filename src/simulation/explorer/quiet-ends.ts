import { Ints } from './row-table.ts';

/**
 * Bounded liveness: from every world some course without further faults ends well. The steps without faults are kept
 * while the search goes on, and walked backwards from the good ends once it is complete.
 */
export class QuietEnds {
  readonly #from = new Ints();
  readonly #to = new Ints();
  readonly #ends = new Ints();

  get bytes(): number {
    return this.#from.bytes + this.#to.bytes + this.#ends.bytes;
  }

  step(from: number, to: number): void {
    this.#from.push(from);
    this.#to.push(to);
  }

  end(state: number): void {
    this.#ends.push(state);
  }

  /** The first world from which no good end can be reached; −1 when there is none. */
  firstHopeless(states: number): number {
    const { starts, sources } = this.#backwards(states);
    const hopeful = new Uint8Array(states);
    const queue = new Int32Array(states);
    let size = 0;
    const add = (state: number): void => {
      if (hopeful[state] === 1) return;
      hopeful[state] = 1;
      queue[size++] = state;
    };
    for (let at = 0; at < this.#ends.size; at++) add(this.#ends.at(at));
    for (let at = 0; at < size; at++) {
      const state = queue[at] as number;
      for (let i = starts[state] as number; i < (starts[state + 1] as number); i++) add(sources[i] as number);
    }
    return hopeful.indexOf(0);
  }

  /** The worlds that lead to each world, one after the other. */
  #backwards(states: number): { readonly starts: Int32Array; readonly sources: Int32Array } {
    const starts = new Int32Array(states + 1);
    for (let at = 0; at < this.#to.size; at++) {
      const after = this.#to.at(at) + 1;
      starts[after] = (starts[after] as number) + 1;
    }
    for (let state = 0; state < states; state++)
      starts[state + 1] = (starts[state] as number) + (starts[state + 1] as number);
    const next = starts.slice();
    const sources = new Int32Array(this.#from.size);
    for (let at = 0; at < this.#from.size; at++) {
      const to = this.#to.at(at);
      const place = next[to] as number;
      sources[place] = this.#from.at(at);
      next[to] = place + 1;
    }
    return { starts, sources };
  }
}
