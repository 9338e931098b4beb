import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTrace } from '../../machines/invariants.ts';
import { World } from './world.ts';

/** The machines of two participants together, against stores that answer late, wrongly or never. */
const draws = fc.noBias(fc.array(fc.nat({ max: 10_000_000 }), { minLength: 20, maxLength: 200, size: 'max' }));

function live(all: readonly number[]): World {
  const world = new World();
  for (const draw of all) world.act(draw);
  return world;
}

describe('two participants', () => {
  it('lead one after the other when nothing goes wrong', () => {
    const world = new World();
    world.calm(10_000);
    const [p, q] = world.participants;
    expect([p?.stateOf('election'), q?.stateOf('election')].sort()).toEqual(['contending', 'leading.steady']);
    expect(world.confirmed.size).toBe(2);
    const first = p?.session === null ? q : p;
    const second = first === p ? q : p;
    if (first === undefined || second === undefined) throw new Error('two participants are meant to be there');
    world.close(first);
    world.calm(5_000);
    expect(first.stateOf('election')).toBe('closed');
    expect(second.stateOf('election')).toBe('leading.steady');
    expect([...world.register.entries.values()].map((entry) => entry.sessionId)).toEqual([
      second.session?.id,
      second.session?.id,
    ]);
  });

  it('I1 to I9 hold, whatever goes wrong, and when faults end every confirmed entry is in the register', () => {
    fc.assert(
      fc.property(draws, (all) => {
        const world = live(all);
        world.calm(120_000);
        world.rest();
        for (const one of world.participants) world.close(one);
        world.calm(120_000);
        expect(checkTrace(world.trace)).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('when faults end one of those that are not closed leads', () => {
    fc.assert(
      fc.property(draws, (all) => {
        const world = live(all);
        world.calm(120_000);
        const able = world.participants.filter((one) =>
          one.components.some((component) => one.stateOf(`leadership:${component}`) !== 'closed'),
        );
        const open = able.filter((one) => !one.rigs.get('election')?.context.closing);
        const leaders = open.filter((one) => one.stateOf('election') === 'leading.steady');
        expect(leaders.length).toBe(Math.min(1, open.length));
      }),
      { numRuns: 60 },
    );
  });

  it('closing always comes to its end, and nobody is left holding the lease', () => {
    fc.assert(
      fc.property(draws, (all) => {
        const world = live(all);
        for (const one of world.participants) world.close(one);
        world.calm(120_000);
        for (const one of world.participants) {
          const states = ['election', ...one.components.map((component) => `leadership:${component}`)];
          expect(states.map((address) => one.stateOf(address))).toEqual(['closed', 'closed', 'closed']);
          expect(one.stateOf('driver')).toBe('idle');
        }
        expect(world.closedShells.size).toBe(2);
      }),
      { numRuns: 60 },
    );
  });
});
