import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { failureLines, faultLines, progressLine, verdictLine } from '../../src/cli/simulate/lines.ts';
import { painter } from '../../src/cli/text/paint.ts';
import { scheduleText } from '../../src/simulation/simulator/schedule.ts';
import type { Server } from '../../src/simulation/simulator/server.ts';
import { scheduleOf, simulateTampered } from '../../src/simulation/simulator/simulate.ts';
import { invoke } from './invoke.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tenure-simulate-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Every look at the clock takes so long; timers fire in the next turn. */
function ticking(tickMs: number): World['clock'] {
  let nowMs = 0;
  const now = (): number => {
    nowMs += tickMs;
    return nowMs;
  };
  const setTimer = (_: number, fire: () => void) => {
    setImmediate(fire);
    return () => {};
  };
  return { nowMs: now, deadlineNowMs: now, isoNow: () => '2026-11-29T03:12:18.222Z', setTimer };
}

const simulate = (
  args: readonly string[],
  { tickMs = 1, ...world }: Partial<World> & { readonly isTTY?: boolean; readonly tickMs?: number } = {},
) => invoke(['simulate', ...args], COMMANDS, { cwd, clock: ticking(tickMs), ...world });

describe('tenure simulate', () => {
  it('runs seeds and tells what happened, how fast, and that nothing is violated', async () => {
    const { code, stdout, stderr } = await simulate(['--seeds', '4']);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(
      /^ {2}seed 1…4 {5}█{20} 100 % {3}[\d,]+ fail-overs\/s {3}each seed run twice, identical traces$/,
    );
    expect(lines[1]).toMatch(/^ {2}faults {7}crashes \d+ {2}/);
    expect(lines.at(-1)).toMatch(
      /^ {2}✓ 0 violations; slowest recovery [\d.]+ m?s after the last fault \(seed [1-4]\)$/,
    );
  });

  it('writes a line every ten seconds where no bar can move, and one that moves on a terminal', async () => {
    const { stderr } = await simulate(['--seeds', '3'], { tickMs: 6_000 });
    const lines = stderr.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^tenure: 2 of 3 seeds {2}██████░░░░ 66 % {2}\d+ fail-overs\/s {2}\d+ s left$/);
    const terminal = await simulate(['--seeds', '3'], { tickMs: 6_000, isTTY: true });
    expect(terminal.stderr).toContain('\r\u001b[2K2 of 3 seeds');
    expect(terminal.stderr.endsWith('\r\u001b[2K')).toBe(true);
  });

  it('ends when it is told to and says how far it came: not known', async () => {
    const signals: World['signals'] = {
      on: (names, listener) => {
        setImmediate(() => listener(names[0] ?? 'SIGINT'));
        return () => {};
      },
    };
    const { code, stdout } = await simulate(['--seeds', '500'], { signals });
    expect(code).toBe(2);
    expect(stdout).toMatch(/! ended by you after \d of 500 seeds; no violation until then\n$/);
  });

  it('shows one seed in detail: what it decided, its phases, its verdict', async () => {
    const { code, stdout } = await simulate(['--seed', '7']);
    expect(code).toBe(0);
    for (const head of ['participants', 'lease', 'clocks', 'happenings', 'safety', 'liveness', 'faults']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${head} `, 'm'));
    }
    expect(stdout).toMatch(/✓ 0 violations; two runs, identical traces \(\d+:[0-9a-f]{8}\)\n$/);
    const traced = await simulate(['--seed', '7', '--trace']);
    expect(traced.stdout.split('\n').length).toBeGreaterThan(400);
    expect(traced.stdout).toMatch(/leadership:restserver +granted +standby → grant-pending/);
  });

  it('speaks JSON', async () => {
    const many = JSON.parse((await simulate(['--seeds', '2', '--json'])).stdout);
    expect(many).toMatchObject({ seed: 1, seeds: 2, asked: 2, failures: [] });
    expect(many.failovers).toBeGreaterThan(0);
    const one = JSON.parse((await simulate(['--seed', '7', '--json'])).stdout);
    expect(one).toMatchObject({ parameters: { seed: 7 }, violations: [] });
    expect(one.actions.length).toBe(scheduleOf(7).actions.length);
  });

  it('runs a schedule again', async () => {
    writeFileSync(join(cwd, 'failed.json'), scheduleText(scheduleOf(7)));
    const { code, stdout } = await simulate(['--schedule', 'failed.json']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^schedule of failed\.json\n/);
    expect(stdout.split('\n').slice(1)).toEqual((await simulate(['--seed', '7'])).stdout.split('\n').slice(1));
  });

  it('refuses what it cannot run', async () => {
    writeFileSync(join(cwd, 'broken.json'), '{}');
    for (const [args, rule] of [
      [['--seeds', '0'], /--seeds +0 +must be a whole number from 1/],
      [['--seeds', '5', '--trace'], /--trace .*needs one run: --seed S without --seeds/],
      [['--schedule', 'nowhere.json'], /--schedule +nowhere\.json +cannot be read \(ENOENT\)/],
      [['--schedule', 'broken.json'], /--schedule +broken\.json +is no schedule: parameters must be an object/],
      [['--schedule', 'broken.json', '--seed', '1'], /--seed +1 +a schedule has its own/],
    ] as const) {
      const { code, stdout, stderr } = await simulate(args);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(rule);
    }
  });
});

describe('its lines', () => {
  const plain = painter(false);

  it('tell a failure from its rule to its story', async () => {
    const losesAll = (server: Server): void => {
      server.election('simulated').register.entry = () => null;
    };
    const { failures } = await simulateTampered({ seed: 1, seeds: 1 }, { server: losesAll });
    const [failure] = failures;
    if (failure === undefined) throw new Error('the store that loses every entry was not found');
    const lines = failureLines(failure, plain, 100);
    expect(lines[0]).toMatch(/^ {2}✕ recovers violated by seed 1/);
    expect(lines[1]).toMatch(/^ {4}restserver is not stored, \d+ ms after the last fault$/);
    expect(lines.slice(2, 5)).toEqual([
      '    what happens in the smallest schedule that fails in this way:',
      '      nothing at all',
      '    how it comes to it:',
    ]);
    expect(lines.at(-1)).toMatch(/VIOLATED recovers/);
  });

  it('count in words, break between them, and leave out what did not happen', () => {
    expect(faultLines({}, 100)).toEqual(['  faults       none']);
    expect(faultLines({ crash: 1_204, 'news drop': 1, 'news late': 2, unknown: 3 }, 50)).toEqual([
      '  faults       crashes 1,204  unknown outcomes 3',
      '               news lost or late 3',
    ]);
  });

  it('count both runs of a seed as simulated', () => {
    const text = progressLine({ seedsDone: 10, seeds: 40, failovers: 50 }, 1_000);
    expect(text).toBe('10 of 40 seeds  ██░░░░░░░░ 25 %  100 fail-overs/s  3.0 s left');
    const report = { seeds: 1, failovers: 0, counts: {}, slowest: null, failures: [] };
    expect(verdictLine(report, plain)).toBe('  ✓ 0 violations');
  });
});

describe('a failure', () => {
  it('leaves its schedule where it can be run again from', async () => {
    // What `many.ts` writes is what `--schedule` reads; a real violation would be a defect of the library.
    const { keep } = await import('../../src/cli/simulate/many.ts');
    const talk: string[] = [];
    const invocation = { world: { cwd }, output: { talk: (line: string) => talk.push(line) } } as never;
    const failure = { seed: 7, schedule: scheduleText(scheduleOf(7)) } as never;
    const { file = '' } = keep(failure, invocation);
    expect(file).toBe(join('.tenure', 'simulate', 'seed-7.json'));
    expect(readFileSync(join(cwd, file), 'utf8')).toBe(scheduleText(scheduleOf(7)));
    expect((await simulate(['--schedule', file])).code).toBe(0);
    rmSync(join(cwd, '.tenure'), { recursive: true });
    writeFileSync(join(cwd, '.tenure'), 'a file in the way');
    expect(keep(failure, invocation)).toEqual({});
    expect(talk[0]).toMatch(/could not be written/);
  });
});
