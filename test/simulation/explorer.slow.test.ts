import { expect, it } from 'vitest';
import { Search } from '../../src/simulation/explorer/search.ts';

it('two participants, two sessions and a fault anywhere: all states visited, no violation', () => {
  const scope = { participants: 2, components: 1, sessions: 2, faults: 1 };
  const { found, isComplete, states } = new Search({ scope, maxStates: 3_000_000 }).run();
  expect({ found, isComplete }).toEqual({ found: null, isComplete: true });
  expect(states).toBeGreaterThan(1_000_000);
});
