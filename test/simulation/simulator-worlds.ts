import type { Action } from '../../src/simulation/simulator/actions.ts';
import type { Parameters } from '../../src/simulation/simulator/parameters.ts';
import { runOnce } from '../../src/simulation/simulator/run.ts';
import type { Tamper } from '../../src/simulation/simulator/stage.ts';

/** A plain world: two participants, one component, default timing, clocks in step. */
export function plainWorld(other: Partial<Parameters> = {}): Parameters {
  return {
    seed: 1,
    participants: ['alpha', 'beta'],
    following: [false, false],
    components: ['restserver'],
    timing: {
      leaseDurationMs: 15_000,
      renewMs: 5_000,
      callTimeoutMs: 2_000,
      marginMs: 2_000,
      stopBoundMs: 10_000,
      restMs: 1_000,
    },
    latencyMs: { least: 1, most: 10 },
    revisions: 'own',
    rates: [1, 1, 1],
    happenings: [],
    actions: 0,
    gapMs: 0,
    lagMs: 0,
    ...other,
  };
}

export interface Story {
  readonly actions: readonly Action[];
  readonly world?: Partial<Parameters>;
  readonly tamper?: Tamper;
}

export const play = ({ actions, world, tamper }: Story) =>
  runOnce({ parameters: plainWorld(world), actions, tamper, keepsEntries: true });

/** Names of what was violated, each once. */
export async function violated(story: Story): Promise<string[]> {
  const { violations } = await play(story);
  return [...new Set(violations.map(({ invariant }) => invariant))];
}
