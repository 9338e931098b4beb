import type { Found, Search, Told } from '../../simulation/explorer/index.ts';
import { participantName } from './counterexample.ts';
import { type Counts, perSecond } from './lines.ts';
import type { ExplorePlan } from './plan.ts';

interface Violation {
  readonly found: Found;
  readonly told: readonly Told[];
  readonly recording: string | null;
}

/** Everything that was found out, for programs. */
export function reportOf(search: Search, plan: ExplorePlan, counts: Counts, violation: Violation | null) {
  const { scope, plant, maxStates } = plan;
  return {
    scope,
    plant: plant?.name ?? null,
    maxStates,
    complete: search.isComplete,
    states: counts.states,
    unexplored: counts.frontier,
    depth: counts.depth,
    elapsedMs: Math.round(counts.elapsedMs),
    statesPerSecond: Math.round(perSecond(counts)),
    memoryBytes: counts.memoryBytes,
    bytesPerState: Math.round(search.bytes / counts.states),
    machines: search.coverage().map(({ machine, states, transitions, pairs, missing }) => {
      return { machine, states: of(states), transitions: of(transitions), pairs: of(pairs), missing };
    }),
    violation: violation && {
      invariant: violation.found.invariant,
      detail: violation.found.detail,
      steps: violation.told.map(stepOf),
      recording: violation.recording,
    },
  };
}

const of = ([covered, total]: readonly [number, number]) => ({ covered, total });

function stepOf({ label, who, deliveries, store }: Told) {
  return {
    label,
    participant: who < 0 ? null : participantName(who),
    deliveries: deliveries.map(({ participant, from, to, message, before, after, commands }) => {
      return { participant: participantName(participant), from, to, event: message.type, before, after, commands };
    }),
    store,
  };
}
