import type { Local } from './model.ts';
import type { Change, Store } from './stores.ts';

/** What one participant (or somebody at the store, through it) can do next. */
export interface Move {
  readonly label: string;
  readonly local: Local;
  readonly store: Store;
  readonly takesLease: boolean;
  readonly change: Change | null;
  readonly isFault: boolean;
  /** The others hear of the change later. */
  readonly othersLate: boolean;
  readonly broken: string | null;
}

export type Emit = (move: Partial<Move> & { readonly label: string; readonly local: Local }) => void;

export const FAULT = { isFault: true } as const;
