import type { Bound } from './bound.ts';
import { holds } from './expect.ts';

/** What one watch has reported. */
export class Watching<T> {
  readonly items: T[] = [];
  readonly #bound: Bound;
  readonly #waiting = new Set<() => void>();
  readonly #stop: () => void;

  constructor(watch: (listener: (item: T) => void) => () => void, bound: Bound, onItem: (item: T) => void = () => {}) {
    this.#bound = bound;
    this.#stop = watch((item) => {
      this.items.push(item);
      onItem(item);
      for (const look of [...this.#waiting]) look();
    });
    // A listener that runs before it has the function that stops it cannot stop anything.
    holds(this.items.length === 0, 'what a watch reports inside of the call that starts it', 'nothing', this.items);
  }

  get last(): T | undefined {
    return this.items.at(-1);
  }

  /** Idempotent, as the function of the port is. */
  stop(): void {
    this.#stop();
  }

  /** Settles once the items satisfy `wanted`, which `what` puts into words. */
  until(what: string, wanted: (items: readonly T[]) => boolean): Promise<void> {
    const met = new Promise<void>((resolve) => {
      const look = (): void => {
        if (!wanted(this.items)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
    return this.#bound.within(`a watch to report ${what}`, met, () => this.items.slice(-3));
  }

  first(): Promise<void> {
    return this.until('what there is, after it was started', (items) => items.length > 0);
  }
}
