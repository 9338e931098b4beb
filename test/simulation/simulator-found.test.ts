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

  it('a machine sleeps past its lease before its fence is raised: it has lost, and no store has gone back in time', async () => {
    const world = {
      seed: 1017243,
      timing: {
        leaseDurationMs: 11022,
        renewMs: 1929,
        callTimeoutMs: 1595,
        marginMs: 2197,
        stopBoundMs: 4799,
        restMs: 122,
      },
      latencyMs: { least: 1, most: 531.6666666666666 },
    };
    const actions: Action[] = [
      { atMs: 322, do: 'partition', who: 'leader', forMs: 13_429, way: 'to', holds: true, lagMs: 99 },
      { atMs: 5_275, do: 'sleep', who: 'leader', forMs: 11_779, timersFirst: false, lagMs: 94 },
      { atMs: 13_365, do: 'crash', who: 'leader', forMs: 1_628, lagMs: 12 },
    ];
    expect(await violated({ actions, world })).toEqual([]);
  });
});
