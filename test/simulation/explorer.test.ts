import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/simulation/explorer/model.ts';
import { Participants } from '../../src/simulation/explorer/participant.ts';
import { Search } from '../../src/simulation/explorer/search.ts';
import { type Plant, plants } from './plants.ts';

const explore = (scope: Scope, participants?: Participants) =>
  new Search({ scope, maxStates: 400_000, ...(participants === undefined ? {} : { participants }) }).run();

describe('everything that two participants can do to each other', () => {
  it('two components and two sessions, without faults: all states visited, no violation', () => {
    const { found, isComplete, states } = explore({ participants: 2, components: 2, sessions: 2, faults: 0 });
    expect({ found, isComplete }).toEqual({ found: null, isComplete: true });
    expect(states).toBeGreaterThan(10_000);
  });

  it('one component, with a fault anywhere in the first session: all states visited, no violation', () => {
    const { found, isComplete } = explore({ participants: 2, components: 1, sessions: 1, faults: 1 });
    expect({ found, isComplete }).toEqual({ found: null, isComplete: true });
  });
});

describe('planted bugs', () => {
  it.each(Object.entries(plants))('%s is found, with the shortest way to it', (_name, plant: Plant) => {
    const participants = new Participants(plant.scope, plant.machines());
    const { found, trace } = explore(plant.scope, participants);
    expect(found?.invariant).toBe(plant.breaks);
    expect(trace.length).toBe(plant.steps);
  });
});
