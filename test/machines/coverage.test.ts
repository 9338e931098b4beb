import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { allMachines } from '../../machines/index.ts';
import { explorations } from './alphabets.ts';
import { untaken } from './coverage.ts';

/**
 * Transitions that no path of the alphabet takes, each with the reason why it is declared all the same. Empty is the
 * aim: a transition that nothing can take is a decision that nobody has tested.
 */
const unreached: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

describe('path coverage', () => {
  it.each(Object.keys(explorations) as (keyof typeof explorations)[])(
    'every transition of %s is taken by some path',
    (name) => {
      expect(Object.keys(unreached[name] ?? {}).sort()).toEqual([...untaken(explorations[name])].sort());
    },
  );

  it('covers every machine', () => {
    expect(Object.keys(explorations).sort()).toEqual(Object.keys(allMachines).sort());
    for (const [name, { machine }] of Object.entries(allMachines)) {
      expect(explorations[name as keyof typeof explorations].machine).toBe(machine);
    }
  });

  it('finds a transition that nothing can take', () => {
    const never = (): boolean => false;
    const machine = createMachine({
      initial: 'a',
      states: { a: { on: { x: [{ guard: never, target: 'b' }, {}] } }, b: { on: { x: {} } } },
    });
    const missed = untaken({
      machine,
      input: undefined,
      events: () => [{ type: 'x' }],
      key: ({ value }) => `${value}`,
    });
    expect(missed).toEqual(['a × x #0', 'b × x']);
  });
});
