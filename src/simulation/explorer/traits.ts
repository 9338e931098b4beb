import type { LeadershipContext } from '../../../machines/leadership-context.ts';
import type { Local } from './model.ts';
import { componentName } from './model.ts';

/** What of a participant matters to the rules that look at several. */
export interface Traits {
  /** A contender works under a session that is still provably its own. */
  readonly isValid: boolean;
  /** A contender works and has not been told to stop. A frozen process cannot be told: its deadline must hold it. */
  readonly works: boolean;
  /** Time may not pass: something is due that does not wait. */
  readonly isBusy: boolean;
  /** Nothing will happen by itself but the passing of time. */
  readonly isQuiet: boolean;
  readonly leads: boolean;
  /** Token that each confirmed component stands for; 0 where it is not confirmed. */
  readonly confirmed: readonly number[];
  /** All contenders of the session have confirmed. */
  readonly isComplete: boolean;
  readonly openPromises: boolean;
}

export function traitsOf(local: Local): Traits {
  const { actors, calls, timers, contenders, status } = local;
  const up = status === 'up';
  const validity = actors.validity;
  const hasSession = validity?.value === 'fresh' || validity?.value === 'suspended';
  const untold = contenders.some(({ session, toldToStop }) => session !== '' && !toldToStop);
  const due = timers.some((timer) => timer.dueIn <= 0);
  const news = local.leaseNews || local.fenceNews || local.entryNews.includes(true);
  const resting = timers.every(({ owner, id }) => owner === 'driver' || owner === 'validity' || id.startsWith('calm'));
  const confirmed = contenders.map((_, at) => {
    const snapshot = actors[`leadership:${componentName(at)}`];
    const isSettled = (snapshot?.value as { confirmed?: string } | undefined)?.confirmed === 'settled';
    const session = (snapshot?.context as LeadershipContext | undefined)?.session?.id ?? 's0';
    return isSettled ? Number(session.slice(1)) : 0;
  });
  const election = actors.election?.value;
  return {
    isValid: untold && hasSession && validity.context.deadlineMs > 0,
    works: up && untold,
    isBusy: up && (calls.some((call) => call.state === 'asked') || due),
    isQuiet: status !== 'paused' && calls.length === 0 && !due && !news && resting && validity?.value !== 'suspended',
    leads: typeof election === 'object' && (election as { leading?: string }).leading === 'steady',
    confirmed,
    isComplete: confirmed.every((token) => token > 0),
    openPromises: contenders.some(({ open }) => open > 0),
  };
}
