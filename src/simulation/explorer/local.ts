import type { Cell } from './cells.ts';
import type { DOWN, PAUSED, UP } from './model.ts';
import type { Call, Contender, Note, Timer } from './parts.ts';

/** One message that a participant handled. */
export interface Delivery {
  readonly from: number;
  readonly to: number;
  readonly note: Note;
  readonly before: Cell | null;
  readonly after: Cell | null;
  /** What the actor said because of it. */
  readonly said: readonly Note[];
}

/** What a participant handled, newest last; kept only while a counterexample is told. */
export interface Story {
  readonly before: Story | null;
  readonly deliveries: readonly Delivery[];
}

/** One participant. */
export interface Local {
  readonly status: typeof UP | typeof PAUSED | typeof DOWN;
  readonly cells: readonly Cell[];
  readonly timers: readonly Timer[];
  readonly calls: readonly Call[];
  readonly contenders: readonly Contender[];
  /** One bit for each component that stands in the election. */
  readonly roster: number;
  readonly news: number;
  /** Broken by the step that led here; such a state is reported and not explored. */
  readonly broken: string | null;
  /** Not part of what a participant is. */
  readonly story: Story | null;
}
