import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RegisterWorld } from './container-world.ts';

const draws = fc.noBias(fc.array(fc.nat({ max: 1_000_000 }), { minLength: 5, maxLength: 120, size: 'max' }));

function live(all: readonly number[]): RegisterWorld {
  const world = new RegisterWorld();
  for (const draw of all) world.act(draw);
  world.windDown();
  return world;
}

describe('whatever the store and the network do', () => {
  it('every operation gets exactly one final answer', () => {
    fc.assert(
      fc.property(draws, (all) => {
        const { asked, finals } = live(all);
        expect([...finals].sort()).toEqual([...asked].sort());
      }),
    );
  });

  it('every answer is true: committed is there, and what was said never to be done is never done', () => {
    fc.assert(
      fc.property(draws, (all) => {
        const world = live(all);
        world.letEverythingArrive();
        expect(world.lies).toEqual([]);
      }),
    );
  });

  it('it comes to rest: no call, no wait, nothing queued', () => {
    fc.assert(
      fc.property(draws, (all) => {
        const { rig } = live(all);
        expect(['ready', 'fenced']).toContain(rig.state);
        expect(rig.context).toMatchObject({ queue: null, batch: [], oneByOne: false });
      }),
    );
  });

  it('one call at a time, each with a number of its own', () => {
    fc.assert(
      fc.property(draws, (all) => {
        const calls = live(all).rig.said.flatMap((one) => {
          if (one.type === 'container.write') return [one.writeId];
          return one.type === 'container.read' ? [one.readId] : [];
        });
        expect(calls).toEqual([...new Set(calls)].sort((a, b) => a - b));
      }),
    );
  });
});
