import type { Scope } from '../../simulation/explorer/index.ts';
import type { Plant } from '../../simulation/explorer/plants/index.ts';
import type { Settings } from '../settings/settings.ts';
import { nearest } from '../text/near-miss.ts';

/** What `tenure explore` looks at when it is not told otherwise; `settings/definitions.ts` says the same in words. */
export const DEFAULT_SCOPE: Scope = { participants: 2, components: 2, sessions: 3, faults: 2 };
const DEFAULT_MAX_STATES = 10_000_000;

/** Asks for the list of plants instead of a search. */
export const LIST = 'list';

export interface ExplorePlan {
  readonly scope: Scope;
  readonly maxStates: number;
  readonly plant: Plant | null;
  /** Of the recording: the plant's, or the scope in numbers. */
  readonly name: string;
}

/** Complains about a plant that nobody knows. */
export function planExplore(settings: Settings, plants: readonly Plant[]): ExplorePlan {
  const wanted = settings.text('plant');
  const plant = plants.find(({ name }) => name === wanted) ?? null;
  if (wanted !== undefined && wanted !== LIST && plant === null)
    settings.complain('plant', unknownRule(wanted, plants));
  const base = plant?.scope ?? DEFAULT_SCOPE;
  const scope = {
    participants: settings.count('participants') ?? base.participants,
    components: settings.count('components') ?? base.components,
    sessions: settings.count('sessions') ?? base.sessions,
    faults: settings.count('faults') ?? base.faults,
  };
  const name = plant?.name ?? `${scope.participants}x${scope.components}x${scope.sessions}x${scope.faults}`;
  return { scope, plant, name, maxStates: settings.count('maxStates') ?? DEFAULT_MAX_STATES };
}

function unknownRule(wanted: string, plants: readonly Plant[]): string {
  const names = plants.map(({ name }) => name);
  const near = nearest(wanted, names);
  const hint = near === null ? '' : `did you mean ${near}? `;
  return `is not a planted bug; ${hint}known are ${names.join(', ')}`;
}
