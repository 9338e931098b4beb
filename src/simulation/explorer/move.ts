import type { Local } from './local.ts';
import type { Change, Store } from './stores.ts';

/** What one participant (or somebody at the store, through it) can do next. */
export interface Move {
  readonly label: string;
  readonly local: Local;
  readonly store: Store;
  /** The lease changes hands. */
  readonly takesLease: boolean;
  /** Nobody that lives holds the lease from now on, whatever its record says. */
  readonly leavesLease: boolean;
  /** Done by a person: what needs it does not end well by itself. */
  readonly isByUser: boolean;
  readonly change: Change | null;
  /** The others hear of the change later. */
  readonly othersLate: boolean;
  readonly broken: string | null;
}

type Made = Partial<Move> & { readonly local: Local };

/** Collects moves of one kind: the prompt course of things, or deviations from it. The other kind is not even made. */
export class MoveList {
  readonly moves: Move[] = [];
  readonly #wantsFaults: boolean;
  readonly #store: Store;

  constructor(store: Store, wantsFaults: boolean) {
    this.#store = store;
    this.#wantsFaults = wantsFaults;
  }

  add(label: string, make: () => Made): void {
    if (!this.#wantsFaults) this.#take(label, make());
  }

  addFault(label: string, make: () => Made): void {
    if (this.#wantsFaults) this.#take(label, make());
  }

  #take(label: string, made: Made): void {
    this.moves.push({
      label,
      local: made.local,
      store: made.store ?? this.#store,
      takesLease: made.takesLease ?? false,
      leavesLease: made.leavesLease ?? false,
      isByUser: made.isByUser ?? false,
      change: made.change ?? null,
      othersLate: made.othersLate ?? false,
      broken: made.broken ?? null,
    });
  }
}
