import { expect, it } from 'vitest';
import { Search } from '../../src/simulation/explorer/index.ts';

it('2 participants, 2 components, 3 sessions, 2 faults anywhere: all worlds visited, no violation, all states reached', () => {
  const scope = { participants: 2, components: 2, sessions: 3, faults: 2 };
  const search = new Search({ scope, maxStates: 5_000_000 }).run();
  expect(search).toMatchObject({ found: null, isComplete: true });
  expect(search.states).toBeGreaterThan(1_000_000);
  for (const { machine, states } of search.coverage())
    expect({ machine, reached: states[0] }).toEqual({ machine, reached: states[1] });
});

it('2 participants, 1 component, 2 sessions, 3 faults anywhere: all worlds visited, no violation', () => {
  const scope = { participants: 2, components: 1, sessions: 2, faults: 3 };
  const search = new Search({ scope, maxStates: 20_000_000 }).run();
  expect(search).toMatchObject({ found: null, isComplete: true });
  expect(search.states).toBeGreaterThan(5_000_000);
});
