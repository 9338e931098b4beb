import type { LeadershipContext } from '../../../machines/leadership-context.ts';
import type { Local } from './local.ts';
import { DRIVER, ELECTION, LEADERSHIP, PAUSED, tokenOf, UP, VALIDITY } from './model.ts';
import { isPrompt } from './moves.ts';
import { isGivenUp } from './parts.ts';

/** What of a participant matters to the rules that look at several. */
export interface Traits {
  /** A contender works under a session that is still provably its own. */
  readonly isValid: boolean;
  /** A contender works and has not been told to stop. A frozen process cannot be told: its deadline must hold it. */
  readonly works: boolean;
  /** Something of it is prompt: nobody else moves before it. */
  readonly isPrompt: boolean;
  /** Time may not pass: something is due that does not wait. */
  readonly isBusy: boolean;
  /** Nothing will happen by itself but the passing of time. */
  readonly isQuiet: boolean;
  readonly leads: boolean;
  /** Token that each confirmed component stands for; 0 where it is not confirmed. */
  readonly confirmed: readonly number[];
  /** Some component of it stands in the election. */
  readonly stands: boolean;
  /** All components that stand have confirmed. */
  readonly isComplete: boolean;
  readonly openPromises: boolean;
}

export function traitsOf(local: Local): Traits {
  const { cells, calls, timers, contenders, status, news } = local;
  const up = status === UP;
  const validity = cells[VALIDITY]?.snapshot;
  const hasSession = validity?.value === 'fresh' || validity?.value === 'suspended';
  const untold = contenders.some(({ session, toldToStop }) => session !== '' && !toldToStop);
  const due = timers.some(({ dueIn }) => dueIn <= 0);
  const prompt = up && (contenders.some(isPrompt) || calls.some(({ state }) => state === 'asked'));
  const overdue = calls.some((call) => !isGivenUp(call) && call.sentAtMs < 0);
  const waiting = timers.every(({ owner, name }) => owner === DRIVER || owner === VALIDITY || name === 'calm');
  const confirmed = contenders.map((_, at) => confirmedToken(local, LEADERSHIP + at));
  const election = cells[ELECTION]?.snapshot.value;
  const rests = calls.every(isGivenUp) && news === 0 && !due && waiting;
  return {
    isValid: untold && hasSession && validity?.context.deadlineMs > 0,
    works: up && untold,
    isPrompt: prompt,
    isBusy: prompt || (up && (due || overdue)),
    isQuiet: status !== PAUSED && !prompt && rests && validity?.value !== 'suspended',
    leads: up && typeof election === 'object' && (election as { leading?: string }).leading === 'steady',
    confirmed,
    stands: up && local.roster !== 0,
    isComplete: confirmed.every((token, at) => token > 0 || (local.roster & (1 << at)) === 0),
    openPromises: contenders.some(({ open }) => open > 0),
  };
}

function confirmedToken({ cells }: Local, place: number): number {
  const cell = cells[place];
  if (cell === undefined) return 0;
  const { value, context } = cell.snapshot;
  if ((value as { readonly confirmed?: string }).confirmed !== 'settled') return 0;
  return tokenOf((context as LeadershipContext).session?.id ?? '');
}
