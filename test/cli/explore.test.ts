import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import type { TraceLine } from '../../src/ports/trace.ts';
import { plants } from '../../src/simulation/explorer/plants/index.ts';
import { readRecordedTrace } from '../../src/simulation/test-writer/recording.ts';
import { invoke } from './invoke.ts';

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tenure-explore-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

/** Every look at the clock takes so long: time passes only where the command asks for it. */
function ticking(tickMs: number): World['clock'] {
  let nowMs = 0;
  const now = () => {
    nowMs += tickMs;
    return nowMs;
  };
  const setTimer = (_: number, fire: () => void) => {
    setImmediate(fire);
    return () => {};
  };
  return { nowMs: now, deadlineNowMs: now, isoNow: () => '2026-11-29T03:12:18.222Z', setTimer };
}

type Extra = Partial<World> & { readonly isTTY?: boolean; readonly tickMs?: number };

const explore = (args: readonly string[], { tickMs = 1, ...world }: Extra = {}) =>
  invoke(['explore', ...args], COMMANDS, { cwd, clock: ticking(tickMs), ...world });

const SMALL = ['--participants', '2', '--components', '1', '--sessions', '1', '--faults', '1'];

const recorded = (name: string): TraceLine[] =>
  readFileSync(join(cwd, '.tenure', 'explore', `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as TraceLine);

describe('tenure explore', () => {
  it('tells what it saw, what it asked, and that nothing is violated', async () => {
    const { code, stdout, stderr } = await explore(SMALL);
    expect([code, stderr]).toEqual([0, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(
      /^ {2}explored {2}[\d,]+ states {2}█{20} 100 % {3}[\d,]+ states\/s {3}\d+\.\d s {3}\d+ MB$/,
    );
    expect(lines[1]).toMatch(/^ {2}machines {2}election +\d+\/9 states +\d+\/\d+ transitions +\d+\/[\d,]+ pairs$/);
    expect(lines.slice(2, 6).map((line) => line.trim().split(' ')[0])).toEqual([
      'driver',
      'validity',
      'register',
      'leadership',
    ]);
    expect(lines.slice(6)).toEqual([
      '  checked   I1, I2, I3, I4, I6, I7, I8, I9 in every state; from every state a course without faults ends with one leader and every confirmed entry stored',
      '  ✓ no violation',
    ]);
    expect(existsSync(join(cwd, '.tenure'))).toBe(false);
  });

  it('fits on a narrow screen', async () => {
    const narrow = { isTTY: true, columns: 80, write: (text: string) => void written.push(text) };
    const written: string[] = [];
    await explore(SMALL, { stdout: narrow, env: { NO_COLOR: '1' } });
    for (const line of written.join('').split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('answers one document with --json, and nothing with --quiet', async () => {
    const { code, stdout, stderr } = await explore([...SMALL, '--json'], { isTTY: true });
    const document = JSON.parse(stdout);
    expect([code, stderr, stdout.split('\n')]).toEqual([0, '', [expect.any(String), '']]);
    expect(document).toMatchObject({
      scope: { participants: 2, components: 1, sessions: 1, faults: 1 },
      plant: null,
      complete: true,
      unexplored: 0,
      violation: null,
    });
    expect(document.machines.map(({ machine }: { machine: string }) => machine)).toContain('leadership');
    expect(document.bytesPerState).toBeGreaterThan(20);
    expect(await explore([...SMALL, '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('does not take a part for the whole', async () => {
    const { code, stdout } = await explore(['--max-states', '500']);
    expect(code).toBe(2);
    expect(stdout).toMatch(/explored {2}5\d\d states {2}█+░+ \d\d %/);
    expect(stdout).toContain('in every state; liveness not: that needs all states');
    expect(stdout).toMatch(
      /^ {2}! not known: [\d,]+ of 5\d\d known states not looked at; a larger --max-states goes on {2}\[max-states\]$/m,
    );
    expect(stdout).not.toContain('no violation');
    const { code: codeOfJson, stdout: json } = await explore(['--max-states', '500', '--json']);
    expect([codeOfJson, JSON.parse(json)]).toMatchObject([2, { complete: false, violation: null }]);
  });

  it('tells what is known so far when it is interrupted', async () => {
    const stopped: string[] = [];
    const signals: World['signals'] = {
      on: (names, listener) => {
        setImmediate(() => listener('SIGINT'));
        return () => stopped.push(...names);
      },
    };
    const { code, stdout } = await explore([], { signals });
    expect(code).toBe(2);
    expect(stdout).toMatch(/not looked at; ended by you {2}\[interrupted\]$/m);
    expect(stdout).toMatch(/explored {2}[\d,]+ states/);
    expect(stopped).toEqual(['SIGINT', 'SIGTERM']);
  });
});

describe('how far it is', () => {
  const LINE = /[\d,]+ states {2}█*░* [\d,]+ to look at {2}depth \d+ {2}[\d,]+ states\/s/;

  it('moves on a terminal, and is gone at the end', async () => {
    const { stderr } = await explore(SMALL, { isTTY: true, tickMs: 60 });
    const shown = stderr.split('\r\u001b[2K');
    expect(shown.length).toBeGreaterThan(3);
    expect([shown[0], shown.at(-1)]).toEqual(['', '']);
    for (const line of shown.slice(1, -1)) expect(line).toMatch(LINE);
  });

  it('is a line every ten seconds elsewhere', async () => {
    const { stderr } = await explore(SMALL, { tickMs: 2_000 });
    const lines = stderr.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(line).toMatch(new RegExp(`^tenure: ${LINE.source}$`));
  });

  it.each([['--no-color'], ['--json'], ['--quiet']])('does not move with %s', async (flag) => {
    const { stderr } = await explore([...SMALL, flag], { isTTY: true, tickMs: 60 });
    expect(stderr).not.toContain('\r');
  });
});

describe('a violation', () => {
  it.each(
    plants.filter(({ scope, steps }) => scope.faults < 2 && steps < 12).map((plant) => [plant.name, plant] as const),
  )('%s: the invariant, the numbered way to it, where it happened; and 1', async (name, plant) => {
    const { code, stdout, stderr } = await explore(['--plant', name]);
    expect([code, stderr]).toEqual([1, '']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(
      new RegExp(`^ {2}✕ ${plant.breaks} violated after ${plant.steps} steps \\(shortest\\) {3}states [\\d,]+ {3}\\d`),
    );
    const numbers = lines.flatMap((line) => /^ {2,5}(\d+) {2}\S/.exec(line)?.[1] ?? []);
    expect(numbers.map(Number)).toEqual(Array.from({ length: plant.steps }, (_, at) => at + 1));
    const marked = lines.flatMap((line, at) => (line.endsWith('← here') ? [at] : []));
    expect(marked).toHaveLength(1);
    expect(marked[0]).toBeGreaterThanOrEqual(lines.findIndex((line) => line.startsWith(`${plant.steps}`.padStart(6))));
    expect(lines.at(-2)).toContain(`Recorded: ${join('.tenure', 'explore', `${name}.jsonl`)}`);
  });

  it('shows FLINK-40114 as it happens', async () => {
    const { stdout } = await explore(['--plant', 'erase-in-confirm-pending']);
    const words = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, '  '));
    expect(words[1]).toBe('entry of c0 (session s1) deleted by nobody');
    expect(words).toContain(
      'A.election  →  A.leadership:c0  register.changed (entry: stale)  confirm-pending.publishing: register.publish',
    );
    expect(words).toContain('A.register  →  store  container.write (c0 = empty)');
    expect(words).toContain('store  entry of c0: gone  ← here');
  });

  it('is recorded, every message a line, what happened beside them', async () => {
    await explore(['--plant', 'erase-in-confirm-pending']);
    const lines = recorded('erase-in-confirm-pending');
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => at + 1));
    expect(lines[0]).toMatchObject({ kind: 'start', world: { register: { entries: {} } } });
    const caused = lines.filter(({ cause }) => cause !== null);
    expect(caused.length).toBeGreaterThan(10);
    for (const { cause, from } of caused) {
      const source = lines[(cause ?? 0) - 1];
      expect(source?.to, `cause of ${from}`).toBe(from);
    }
    const erasing = lines.find(({ event, step }) => event === 'register.changed' && step?.commands.length === 1);
    expect(erasing).toMatchObject({
      to: 'leadership:c0',
      participant: 'A',
      session: 'stale',
      step: { before: 'confirm-pending.publishing', verdict: 'noted', commands: ['register.publish'] },
    });
    expect(lines.filter(({ finding }) => finding?.[0] === 'note')).toHaveLength(7);
    expect(lines.at(-1)?.finding).toEqual(['broken', 'I3', 'entry of c0 (session s1) deleted by nobody']);
  });

  it('becomes a test by generate-tests, as far as the shipped leadership does the same', async () => {
    const read = async (name: string) => {
      const { stdout } = await explore(['--plant', name]);
      const file = join('.tenure', 'explore', `${name}.jsonl`);
      expect(stdout).toContain(`Recorded: ${file}\n  Test: tenure generate-tests --out DIR --from ${file}\n`);
      const trace = readRecordedTrace(readFileSync(join(cwd, file), 'utf8'));
      return 'parts' in trace ? trace : expect.fail(trace.problems.map(({ rule }) => rule).join());
    };
    const inDriver = await read('takeover-by-other-clock');
    expect(inDriver.parts.map(({ name }) => name)).toEqual(['A c0', 'B c0']);
    expect(inDriver.differs).toEqual([]);
    const inLeadership = await read('erase-in-confirm-pending');
    expect(inLeadership.differs).toHaveLength(1);
  });

  it('is one document with --json', async () => {
    const { code, stdout } = await explore(['--plant', 'release-before-settled', '--json']);
    const { violation, complete, plant } = JSON.parse(stdout);
    expect([code, complete, plant]).toEqual([1, false, 'release-before-settled']);
    expect(violation).toMatchObject({ invariant: 'I7', recording: join('.tenure', 'explore', `${plant}.jsonl`) });
    expect(violation.steps.at(-1)).toMatchObject({ label: 'the user steps down', participant: 'A' });
    expect(violation.steps.at(-1).deliveries[0]).toMatchObject({ to: 'election', event: 'step-down' });
  });

  it('is told even where it cannot be recorded', async () => {
    writeFileSync(join(cwd, '.tenure'), '');
    const { code, stdout, stderr } = await explore(['--plant', 'release-before-settled']);
    expect([code, stderr]).toEqual([1, 'tenure: the counterexample could not be recorded (ENOTDIR)\n']);
    expect(stdout).toContain('I7 violated');
  });
});

describe('planted bugs', () => {
  it('are listed with what they break', async () => {
    const { code, stdout } = await explore(['--plant', 'list']);
    const lines = stdout.trimEnd().split('\n');
    expect([code, lines.length]).toEqual([0, plants.length]);
    plants.forEach(({ name, breaks, summary }, at) => {
      expect(lines[at]?.trim().replace(/ {2,}/g, '  ')).toBe(`${name}  ${breaks}  ${summary}`);
    });
    const { stdout: json } = await explore(['--plant', 'list', '--json']);
    expect(JSON.parse(json)).toHaveLength(plants.length);
  });

  it('that nobody knows are an error that names those there are', async () => {
    const { code, stdout, stderr } = await explore(['--plant', 'erase-in-grant-pendin']);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('is not a planted bug; did you mean erase-in-grant-pending? known are');
    for (const { name } of plants) expect(stderr).toContain(name);
    expect(stderr).toContain('[invalid-options]');
  });

  it('may be explored in another scope, where they may not show', async () => {
    const { code, stdout, stderr } = await explore(['--plant', 'takeover-by-other-clock', '--participants', '1']);
    expect([code, stderr]).toEqual([
      0,
      'tenure: the planted bug takeover-by-other-clock does not show in this scope\n',
    ]);
    expect(stdout).toContain('✓ no violation');
  });
});

describe('what cannot be explored', () => {
  it('is said all at once', async () => {
    const { code, stderr } = await explore([
      '--participants',
      '0',
      '--components',
      '1.5',
      '--sessions',
      'many',
      '--faults=-1',
      '--max-states',
      '1e3',
    ]);
    expect(code).toBe(1);
    expect(stderr.split('\n').map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
      'tenure: five settings cannot work together or alone:',
      '  --participants  0  must be a whole number from 1 to 5',
      '  --components  1.5  must be a whole number from 1 to 5',
      '  --sessions  many  must be a whole number from 1 to 20',
      '  --faults  -1  must be a whole number from 0 to 20',
      '  --max-states  1e3  must be a whole number from 1 to 1000000000',
      expect.stringMatching(/^Nothing was started\. {2}\[invalid-options\]$/),
      '',
    ]);
  });
});
