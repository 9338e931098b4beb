import type { Backend } from '../ports/backend.ts';

/** One store, empty at first and used by one law only. What is optional belongs to the capability of the same name. */
export interface StoreUnderTest {
  /** Opened several times at once, each time as another participant would. */
  readonly backend: Backend;
  /** Deletes the store. Called when the law is over and everything that it opened has been closed. */
  dispose?(): void | Promise<void>;
  /** Nothing gets through to the store until the function that it answers is called. */
  interrupt?(): (() => void | Promise<void>) | Promise<() => void | Promise<void>>;
  /** Deletes the lease of an election as an operator would, by hand. */
  removeLease?(election: string): void | Promise<void>;
  /** Something of somebody else in the place that the backend writes, such as another key of the same document. */
  readonly foreign?: {
    put(): void | Promise<void>;
    /** What is there now; compared deeply with what was there right after `put`. */
    look(): unknown;
  };
  /** The same kind of backend, pointed at something that it cannot use. */
  readonly unusable?: Backend;
  /** An address of that many characters is more than the store takes. */
  readonly tooLargeCharacters?: number;
}
