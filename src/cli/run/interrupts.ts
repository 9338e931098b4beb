import type { Signals } from '../command.ts';

export interface InterruptTarget {
  /** SIGINT or SIGTERM; `again` for every one after the first. */
  stop(signal: NodeJS.Signals, again: boolean): void;
  /** A signal that means something to the child and nothing to `tenure run`. */
  pass(signal: NodeJS.Signals): void;
}

/** The signals that reach `tenure run`, handed to the child that runs at the moment. */
export class Interrupts {
  readonly #controller = new AbortController();
  readonly #remove: () => void;
  #target: InterruptTarget | null = null;
  #first: NodeJS.Signals | null = null;

  constructor(signals: Signals) {
    const removeStop = signals.on(['SIGINT', 'SIGTERM'], (name) => this.#stop(name));
    const removePass = signals.on(['SIGHUP', 'SIGUSR1', 'SIGUSR2'], (name) => {
      if (this.#target !== null) this.#target.pass(name);
      // Nobody is there to take it: a closed terminal ends a process that only waits.
      else if (name === 'SIGHUP') this.#stop(name);
    });
    this.#remove = () => {
      removeStop();
      removePass();
    };
  }

  /** Aborts with the first signal that ends `tenure run`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ending(): boolean {
    return this.#first !== null;
  }

  get first(): NodeJS.Signals | null {
    return this.#first;
  }

  /** Signals go to `target` from now on, also one that came earlier. Returns the function that ends this. */
  to(target: InterruptTarget): () => void {
    this.#target = target;
    if (this.#first !== null) target.stop(this.#first, false);
    return () => {
      if (this.#target === target) this.#target = null;
    };
  }

  close(): void {
    this.#remove();
  }

  #stop(name: NodeJS.Signals): void {
    const again = this.#first !== null;
    this.#first ??= name;
    this.#target?.stop(name, again);
    this.#controller.abort();
  }
}
