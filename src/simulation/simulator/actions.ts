import type { StrikeFault } from './link.ts';
import type { NewsFault } from './news.ts';

/** Families of what can happen. Each seed enables a part of them: what always happens hides what it leads to. */
export const HAPPENINGS = [
  'crash',
  'pause',
  'sleep',
  'partition',
  'outage',
  'calls',
  'news',
  'clock',
  'step-down',
  'leave',
  'close',
  'erase',
  'manners',
] as const;
export type Happening = (typeof HAPPENINGS)[number];

/**
 * The participant in that seat, or whoever holds the lease when the time comes. Where nobody does, it is the next one
 * that acquires it, `lagMs` later: that meets grants and confirmations while they are under way.
 */
export type Who = number | 'leader';

/** How a contender behaves from its next session on. */
export interface Manner {
  /** `null`: not before the faults are over. */
  readonly confirmAfterMs: number | null;
  /** Goes on only once it is confirmed, as most do. */
  readonly awaitsConfirm: boolean;
  /** Says the same once more at once. */
  readonly confirmsTwice: boolean;
  /** Moves to another address after so long. */
  readonly movesAfterMs: number | null;
  readonly ends: 'stays' | 'returns' | 'throws';
  readonly endsAfterMs: number;
  /** Goes on for so long after it was told to stop. */
  readonly overstaysMs: number;
}

export const GOOD_MANNERS: Manner = {
  confirmAfterMs: 0,
  awaitsConfirm: true,
  confirmsTwice: false,
  movesAfterMs: null,
  ends: 'stays',
  endsAfterMs: 0,
  overstaysMs: 0,
};

export type Act =
  | { readonly do: 'crash'; readonly who: Who; readonly forMs: number }
  /** The process stands still: SIGSTOP, a long collection of garbage. */
  | { readonly do: 'pause'; readonly who: Who; readonly forMs: number; readonly timersFirst: boolean }
  /** The machine sleeps: its monotonic clock stands still too. */
  | { readonly do: 'sleep'; readonly who: Who; readonly forMs: number; readonly timersFirst: boolean }
  | {
      readonly do: 'partition';
      readonly who: Who;
      readonly forMs: number;
      readonly way: 'both' | 'to' | 'from';
      readonly holds: boolean;
    }
  | { readonly do: 'outage'; readonly forMs: number; readonly how: 'refusing' | 'silent' }
  | {
      readonly do: 'calls';
      readonly who: Who;
      readonly fault: StrikeFault;
      readonly calls: string;
      readonly times: number;
      readonly delayMs: number;
    }
  | {
      readonly do: 'news';
      readonly who: Who;
      readonly of: 'lease' | 'register';
      readonly fault: NewsFault;
      readonly times: number;
      readonly delayMs: number;
    }
  | { readonly do: 'clock'; readonly who: Who; readonly byMs: number }
  | { readonly do: 'step-down'; readonly who: Who }
  /** An operator asks through the store. */
  | { readonly do: 'ask-step-down' }
  | { readonly do: 'leave'; readonly who: Who; readonly component: string; readonly forMs: number }
  | { readonly do: 'close'; readonly who: Who; readonly forMs: number }
  /** An operator deletes an entry with a tool of his own. */
  | { readonly do: 'erase'; readonly component: string }
  | { readonly do: 'manners'; readonly who: Who; readonly component: string; readonly manner: Manner };

/** A schedule is a list of these: data, so that one can be left out and the rest run again. */
export type Action = Act & { readonly atMs: number; readonly lagMs?: number };

export function actionText(action: Action): string {
  const { atMs: _, do: what, lagMs: __, ...rest } = action;
  const fields = Object.entries(rest).map(
    ([key, value]) => `${key} ${typeof value === 'object' ? mannerText(value) : value}`,
  );
  return [what, ...fields].join(', ');
}

function mannerText(manner: Manner): string {
  const fields = Object.entries(manner).filter(([key, value]) => value !== GOOD_MANNERS[key as keyof Manner]);
  return fields.length === 0 ? 'good' : `{ ${fields.map(([key, value]) => `${key} ${value}`).join(', ')} }`;
}
