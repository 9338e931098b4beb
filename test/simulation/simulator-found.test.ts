import { describe, expect, it } from 'vitest';
import type { Action } from '../../src/simulation/simulator/actions.ts';
import { play, violated } from './simulator-worlds.ts';

/** Faults of the runtime that the simulator has found, as the smallest schedules that showed them. */
describe('found by the simulator', () => {
  it('an entry is erased by hand while its writer hears no news of the register: it comes back', async () => {
    const deaf = (who: number): Action => ({
      atMs: 0,
      do: 'news',
      who,
      of: 'register',
      fault: 'drop',
      times: 2,
      delayMs: 3_000,
    });
    const erased: Action = { atMs: 1_000, do: 'erase', component: 'restserver' };
    const { violations, lines } = await play({ actions: [deaf(0), deaf(1), erased] });
    expect(violations).toEqual([]);
    expect(lines.filter((line) => line.includes('server register: restserver='))).toHaveLength(2);
  });

  it('a machine sleeps before its deadline, and is then cut off: its work is told to stop in time', async () => {
    const actions: Action[] = [
      { atMs: 1_000, do: 'sleep', who: 'leader', forMs: 4_000, timersFirst: true },
      { atMs: 5_500, do: 'partition', who: 'leader', forMs: 40_000, way: 'both', holds: false },
      { atMs: 46_000, do: 'ask-step-down' },
    ];
    expect(await violated({ actions })).toEqual([]);
  });
});
