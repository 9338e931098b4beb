import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../../src/errors.ts';
import type { LeaderSession } from '../../src/runtime/api.ts';
import { HAPPENINGS } from '../../src/simulation/simulator/actions.ts';
import type { SimulatedContender, SimulatedPlace } from '../../src/simulation/simulator/contender.ts';
import { until, wait } from '../../src/simulation/simulator/contender.ts';
import { minimise } from '../../src/simulation/simulator/minimise.ts';
import { parametersOf } from '../../src/simulation/simulator/parameters.ts';
import { runOnce } from '../../src/simulation/simulator/run.ts';
import { parseSchedule, scheduleText } from '../../src/simulation/simulator/schedule.ts';
import { replay, scheduleOf, simulate, simulateTampered } from '../../src/simulation/simulator/simulate.ts';
import type { Tamper } from '../../src/simulation/simulator/stage.ts';

const seeds = readFileSync(new URL('seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => line.split('#')[0]?.trim() ?? '')
  .filter((line) => line !== '')
  .map((line) => Number(line.split(/\s+/)[0]));

describe('seeds', () => {
  it.each(seeds)('%d is clean, twice', async (seed) => {
    const { failures } = await simulate({ seed, seeds: 1 });
    expect(failures.map(({ invariant, detail, story }) => [invariant, detail, ...story].join('\n'))).toEqual([]);
  });

  it('decide the world and the schedule, and enable all kinds between them', () => {
    const kinds = new Set<string>();
    for (let seed = 1; seed <= 40; seed += 1) {
      expect(scheduleOf(seed)).toEqual(scheduleOf(seed));
      for (const { do: what } of scheduleOf(seed).actions) kinds.add(what);
    }
    expect([...kinds].sort()).toEqual([...HAPPENINGS, 'ask-step-down'].sort());
    expect(new Set([1, 2, 3].map((seed) => JSON.stringify(parametersOf(seed)))).size).toBe(3);
  });

  it('count what happened, whatever the number of runs', async () => {
    const { failovers, counts, slowest, seeds: run } = await simulate({ seed: 1, seeds: 5 });
    const runs = await Promise.all([1, 2, 3, 4, 5].map((seed) => runOnce(scheduleOf(seed))));
    expect(run).toBe(5);
    expect(failovers).toBe(runs.reduce((sum, one) => sum + one.failovers, 0));
    expect(failovers).toBeGreaterThan(5);
    expect(counts.crash).toBe(runs.reduce((sum, one) => sum + (one.counts.get('crash') ?? 0), 0));
    expect(slowest?.recoveryMs).toBe(Math.max(...runs.map(({ recoveryMs }) => recoveryMs ?? 0)));
  });

  it('are reported as far as they came when somebody ends it', async () => {
    const ended = new AbortController();
    const { seeds: run } = await simulate({
      seeds: 50,
      signal: ended.signal,
      onProgress: ({ seedsDone }) => seedsDone === 2 && ended.abort(),
    });
    expect(run).toBe(2);
  });

  it('must be whole numbers, and so on: all violations at once', async () => {
    const wrong = simulate({ seed: -1, seeds: 1.5, happenings: ['nonsense' as never], contender: 3 as never });
    const error = await wrong.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect((error as InvalidOptionsError).violations.map(({ field }) => field)).toEqual([
      'seed',
      'seeds',
      'contender',
      'happenings',
    ]);
  });
});

describe('a failure', () => {
  /** The store loses every entry once it has been written to three times, and tells nobody. */
  const losesEntries: Tamper = {
    server: (server) => {
      const { register } = server.election('simulated');
      const write = register.write.bind(register);
      let writes = 0;
      register.write = (asked) => {
        writes += 1;
        if (writes === 3) register.entry = () => null;
        return write(asked);
      };
    },
  };

  it('comes with the smallest schedule, which fails again, and with its story', async () => {
    const { failures } = await simulateTampered({ seed: 1, seeds: 20 }, losesEntries);
    const [failure] = failures;
    expect(failure?.invariant).toBe('recovers');
    const all = scheduleOf(failure?.seed ?? 0).actions.length;
    expect(failure?.actions.length).toBeLessThan(all / 4);
    expect(failure?.story.at(-1)).toMatch(/VIOLATED recovers: restserver is not stored/);
    const smallest = parseSchedule(failure?.schedule ?? '');
    const again = await runOnce({ ...smallest, tamper: losesEntries });
    expect(again.violations[0]?.invariant).toBe('recovers');
  });

  it('is made small by leaving out whatever can be left out', async () => {
    const { parameters, actions } = scheduleOf(3);
    const [a, b] = [actions.at(1), actions.at(-2)];
    const fails = async (schedule: { readonly actions: readonly unknown[] }): Promise<boolean> =>
      schedule.actions.includes(a) && schedule.actions.includes(b);
    const smallest = await minimise({ parameters, actions }, fails);
    expect(smallest.actions).toEqual([a, b]);
    expect(smallest.parameters.participants).toHaveLength(2);
    expect(smallest.parameters.components).toHaveLength(1);
  });

  it('has a schedule that survives as text, and plays the same', async () => {
    const schedule = scheduleOf(7);
    const read = parseSchedule(scheduleText(schedule));
    expect(read).toEqual(schedule);
    const [first, second] = [await runOnce(schedule), await runOnce(read)];
    expect(String(second.digest)).toBe(String(first.digest));
  });

  it.each([
    ['nonsense', /^schedule must be JSON/],
    ['{}', /^parameters must be an object/],
    [
      '{"parameters":{},"actions":[{"do":"x","atMs":-1}]}',
      /participants must be names.*actions\[0\]\.do must be one of/,
    ],
  ])('%s is no schedule', (text, rule) => {
    const parse = (): unknown => parseSchedule(text);
    expect(parse).toThrow(InvalidOptionsError);
    try {
      parse();
    } catch (error) {
      const { violations } = error as InvalidOptionsError;
      expect(violations.map(({ field, rule: broken }) => `${field} ${broken}`).join('; ')).toMatch(rule);
    }
  });

  it('can be looked at message by message', async () => {
    const { trace, run } = await replay(scheduleOf(7));
    expect(run.violations).toEqual([]);
    expect(trace.length).toBeGreaterThan(run.failovers * 20);
    expect(trace.some((line) => /leadership:restserver\s+granted\s+standby → grant-pending/.test(line))).toBe(true);
    expect(trace.filter((line) => line.includes('· the faults end'))).toHaveLength(1);
  });
});

describe('a contender on trial', () => {
  const trial = async (contender: SimulatedContender): Promise<string | undefined> => {
    const { failures } = await simulate({ seed: 1, seeds: 12, contender });
    return failures[0]?.invariant;
  };
  const leading = async (session: LeaderSession, place: SimulatedPlace): Promise<void> => {
    await session.confirm({ address: `http://${place.participant}` });
    while (!session.signal.aborted) {
      if (session.isCurrent) place.work();
      await wait(place.clock, 300, session.signal);
    }
  };

  it('that does everything right passes', async () => {
    expect(await trial(leading)).toBeUndefined();
  });

  it('that works without a look at its session is found', async () => {
    const blind: SimulatedContender = async (session, place) => {
      await session.confirm({ address: 'http://me' });
      while (!session.signal.aborted) {
        place.work();
        await new Promise<void>((resolve) => place.clock.setTimer(300, resolve));
      }
      place.work();
    };
    expect(await trial(blind)).toBe('work');
  });

  it('that does not stop is found', async () => {
    const deaf: SimulatedContender = async (session) => {
      await session.confirm({ address: 'http://me' });
      await new Promise(() => {});
    };
    expect(await trial(deaf)).toBe('contender-overstayed');
  });

  it('that never confirms is found', async () => {
    expect(await trial((session) => until(session.signal))).toBe('recovers');
  });

  it('that throws is found', async () => {
    const failing: SimulatedContender = async (session, place) => {
      await wait(place.clock, 2_000, session.signal);
      throw new Error('database is gone');
    };
    expect(await trial(failing)).toBe('contender-failed');
  });
});
