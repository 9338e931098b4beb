import { describe, expect, it } from 'vitest';
import { Search, tell } from '../../src/simulation/explorer/index.ts';
import { planted, plants } from '../../src/simulation/explorer/plants/index.ts';

/** What issue 4 asks for by name; there may be more. */
const DEMANDED = [
  'erase-in-grant-pending',
  'erase-in-confirm-pending',
  'late-committed-accepted',
  'confirmed-before-acknowledged',
  'unknown-treated-as-failed',
  'next-session-before-settled',
  'release-before-settled',
  'validity-from-answer',
  'expiry-restarted-by-repeated-record',
  'takeover-by-other-clock',
  'write-without-fence',
  'fence-after-first-read',
  'withdraw-without-session',
  'captured-grant-late',
  'acquired-after-deadline',
];

/** A search that needs more has lost its way. */
const maxStates = 200_000;

describe('a planted bug', () => {
  it('has a name of its own, and all that are demanded are there', () => {
    const names = plants.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(DEMANDED));
    for (const name of names) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/);
  });

  it.each(plants.map((plant) => [plant.name, plant] as const))(
    '%s is found, with the shortest way to it',
    (_, plant) => {
      const search = new Search({ ...planted(plant), maxStates }).run();
      expect(search.found?.invariant).toBe(plant.breaks);
      const told = tell(search, search.found?.state ?? -1);
      expect(told).toHaveLength(plant.steps);
      expect(told.some(({ deliveries }) => deliveries.length > 0)).toBe(true);
    },
    60_000,
  );
});
