import type { AnyStateMachine } from 'xstate';
import { describe, expect, it, vi } from 'vitest';
import { type Plant, plants } from '../../src/simulation/explorer/plants/index.ts';

/** Where the runtime takes its machines from, by the names that the plants use. */
const HOMES = {
  leadership: ['../../machines/leadership.ts', 'leadershipMachine'],
  election: ['../../machines/election.ts', 'electionMachine'],
  driver: ['../../machines/lease.ts', 'leaseMachine'],
  validity: ['../../machines/validity.ts', 'validityMachine'],
  register: ['../../machines/container.ts', 'containerMachine'],
} as const;

async function firstFailure(plant: Plant): Promise<string | undefined> {
  vi.resetModules();
  for (const [name, machine] of Object.entries(plant.machines?.() ?? {}) as [keyof typeof HOMES, AnyStateMachine][]) {
    const [home, exported] = HOMES[name];
    vi.doMock(home, async (original) => ({ ...(await original<object>()), [exported]: machine }));
  }
  const { runOnce } = await import('../../src/simulation/simulator/run.ts');
  const { scheduleOf } = await import('../../src/simulation/simulator/simulate.ts');
  let found: string | undefined;
  let seed = 0;
  while (seed < 150 && found === undefined) {
    seed += 1;
    const { violations } = await runOnce(scheduleOf(seed));
    found = violations[0]?.invariant;
  }
  for (const [home] of Object.values(HOMES)) vi.doUnmock(home);
  console.log(plant.name, plant.breaks, found, seed, plant.store !== undefined);
  return found;
}

describe('x', () => {
  it.each(plants.filter(({ machines }) => machines !== undefined).map((plant) => [plant.name, plant] as const))(
    '%s',
    async (_, plant) => {
      expect(await firstFailure(plant)).toBeDefined();
    },
  );
});
