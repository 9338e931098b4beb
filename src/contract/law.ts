import type { Need } from './capabilities.ts';
import type { Trial } from './trial.ts';

/** One promise of the ports, and how a backend shows that it keeps it. */
export interface Law {
  /** A sentence about the port; unique in the suite. */
  readonly name: string;
  /** Where the promise is made, and in which words. */
  readonly rule: string;
  /** Not tried on a backend that does not declare it. */
  readonly needs?: Need;
  /** Rejects when the law is broken. The store is empty. */
  readonly prove: (trial: Trial) => Promise<void>;
}

export interface Chapter {
  readonly title: string;
  readonly laws: readonly Law[];
}
