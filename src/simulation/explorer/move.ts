import type { Local, Message, Shared } from './model.ts';
import type { Moved } from './store.ts';

/** What one participant (or somebody at the store, through it) can do next. */
export interface Move {
  readonly label: string;
  readonly local: Local;
  readonly shared: Shared;
  readonly takesLease: boolean;
  readonly moved: Moved | null;
  readonly isFault: boolean;
  /** The others hear of the change later. */
  readonly othersLate: boolean;
  readonly broken: string | null;
}

export type TurnFrom = (local: Local, change: Partial<Local>, from: string, to: string, message: Message) => Local;
export type Emit = (move: Partial<Move> & { readonly label: string; readonly local: Local }) => void;
