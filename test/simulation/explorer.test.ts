import { describe, expect, it } from 'vitest';
import { type Scope, Search } from '../../src/simulation/explorer/index.ts';

const explore = (scope: Scope, symmetry = true) => new Search({ scope, maxStates: 500_000, symmetry }).run();

describe('everything that two participants can do to each other', () => {
  it.each([
    [{ participants: 2, components: 2, sessions: 2, faults: 1 }, 5_000],
    [{ participants: 2, components: 1, sessions: 3, faults: 1 }, 5_000],
    [{ participants: 3, components: 1, sessions: 2, faults: 1 }, 5_000],
    [{ participants: 1, components: 1, sessions: 2, faults: 2 }, 5_000],
  ])('%o: all worlds visited, no violation, every one can end well', (scope, atLeast) => {
    const { found, isComplete, states } = explore(scope);
    expect({ found, isComplete }).toEqual({ found: null, isComplete: true });
    expect(states).toBeGreaterThan(atLeast);
  });

  it('says so when it stops before the end', () => {
    const scope = { participants: 2, components: 1, sessions: 2, faults: 1 };
    const search = new Search({ scope, maxStates: 1_000 }).run();
    expect(search).toMatchObject({ found: null, isComplete: false });
    expect(search.states).toBeGreaterThanOrEqual(1_000);
    expect(search.states).toBeLessThan(1_100);
  });

  it('can be taken in steps, and finds the same', () => {
    const scope = { participants: 2, components: 1, sessions: 2, faults: 1 };
    const search = new Search({ scope, maxStates: 500_000 });
    while (!search.advance(100));
    const { states, edges, depth } = explore(scope);
    expect(search).toMatchObject({ states, edges, depth });
  });
});

describe('symmetry', () => {
  it.each([
    { participants: 2, components: 1, sessions: 2, faults: 1 },
    { participants: 3, components: 1, sessions: 1, faults: 1 },
  ])('leaves out nothing but other orders of the same participants: %o', (scope) => {
    const all = explore(scope, false);
    const reduced = explore(scope);
    const { states } = reduced;
    expect(all.states).toBeGreaterThan(states);
    expect(all.orbits()).toBe(states);
    expect(reduced.covered()).toBe(all.states);
  });

  it('sees through the names of components', () => {
    const scope = { participants: 1, components: 2, sessions: 2, faults: 1 };
    expect(explore(scope, false).states).toBeGreaterThan(explore(scope).states);
  });
});

describe('coverage', () => {
  it('tells what was reached of every machine, and names the rest', () => {
    const coverage = explore({ participants: 2, components: 2, sessions: 2, faults: 1 }).coverage();
    expect(coverage.map(({ machine }) => machine)).toEqual([
      'election',
      'driver',
      'validity',
      'register',
      'leadership',
    ]);
    for (const { states, transitions, pairs, missing } of coverage) {
      expect(missing).toHaveLength(states[1] - states[0] + transitions[1] - transitions[0]);
      expect(pairs[0]).toBeLessThanOrEqual(pairs[1]);
      expect(transitions[0]).toBeGreaterThan(5);
    }
    expect(coverage.find(({ machine }) => machine === 'validity')?.states).toEqual([4, 4]);
  });
});
