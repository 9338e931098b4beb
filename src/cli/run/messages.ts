import type { Deadline } from './deadline.ts';

/** What the wrapper (`tenure run`) tells its guard. */
export type ToGuard =
  | {
      readonly kind: 'start';
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string | undefined>>;
      readonly deadline: Deadline;
      /** Between SIGTERM and SIGKILL. */
      readonly graceMs: number;
      /** SIGKILL comes this long before the deadline. */
      readonly killLeadMs: number;
    }
  | { readonly kind: 'deadline'; readonly deadline: Deadline }
  | { readonly kind: 'stop'; readonly signal: NodeJS.Signals; readonly graceMs: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

/** What the guard tells the wrapper. */
export type FromGuard =
  | { readonly kind: 'spawned'; readonly pid: number }
  | { readonly kind: 'not-spawned'; readonly reason: string; readonly detail: string }
  /** The guard stops the group by itself because the deadline comes near. */
  | { readonly kind: 'stopping'; readonly leftMs: number }
  | { readonly kind: 'killed'; readonly leftMs: number }
  | ({ readonly kind: 'ended' } & ChildEnd);

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** `own`: it ended by itself. `told`: after a stop. `deadline`: the guard stopped it before the lease ran out. */
  readonly why: 'own' | 'told' | 'deadline' | 'guard-died';
}

/** How a shell would say how the child ended: its code, or 128 + the number of the signal. */
export function exitCodeOfChild(end: ChildEnd, numbers: Readonly<Record<string, number>>): number {
  if (end.signal !== null) return 128 + (numbers[end.signal] ?? 0);
  return end.code ?? 1;
}
