import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { readRecording, replayRecording } from '../../src/simulation/index.ts';
import { invoke, type Said } from './invoke.ts';

let cwd: string;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tenure-generate-tests-'));
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src/billing.mjs'), 'export async function lead(session) {}\nexport default lead;\n');
});

afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const generate = (...args: readonly string[]): Promise<Said> => invoke(['generate-tests', ...args], COMMANDS, { cwd });
const read = (name: string): string => readFileSync(join(cwd, name), 'utf8');

describe('tenure generate-tests', () => {
  it('writes a test, its walks and an example, and says how to go on', async () => {
    const { code, stdout, stderr } = await generate('--out', 'test/leadership');
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      '3 files written to test/leadership:',
      expect.stringMatching(/^ {2}leadership\.test\.mjs {4}\d+ lines$/),
      expect.stringMatching(/^ {2}leadership\.walks\.json {2}[\d,]+ lines$/),
      expect.stringMatching(/^ {2}example-contender\.mjs {2}\d+ lines$/),
      expect.stringMatching(/^\d+ walks take ([\d,]+) of \1 pairs of the \d+ transitions of leadership;$/),
      expect.stringMatching(/^\d+ of these with any contender, the others with one that does something unusual: /),
      'Next: npx vitest run test/leadership',
      '',
    ]);
    expect(stderr).toBe(
      'tenure: the test runs an example contender; put your own into its import, or say --contender\n',
    );
    expect(readdirSync(join(cwd, 'test/leadership')).sort()).toEqual([
      'example-contender.mjs',
      'leadership.test.mjs',
      'leadership.walks.json',
    ]);
    expect(read('test/leadership/example-contender.mjs')).toBe(
      readFileSync(new URL('../../examples/tested-contender/contender.mjs', import.meta.url), 'utf8'),
    );
  });

  it('says the same to programs', async () => {
    const { code, stdout, stderr } = await generate('--out', 'out', '--json');
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ findings: [], next: 'npx vitest run out' });
    expect(document.files).toHaveLength(3);
    expect(document.pairs).toBeGreaterThan(document.pairsOfAnyContender);
  });

  it.each([
    ['src/billing.mjs#lead', "import { lead as contender } from '../src/billing.mjs';"],
    ['src/billing.mjs', "import contender from '../src/billing.mjs';"],
  ])('imports the contender of the user: %s', async (contender, line) => {
    const { code, stderr } = await generate('--out', 'out', '--contender', contender);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(read('out/leadership.test.mjs').split('\n')).toContain(line);
    expect(existsSync(join(cwd, 'out/example-contender.mjs'))).toBe(false);
  });

  it.each([
    ['src/none.mjs#lead', 'there is no such file'],
    ['src#lead', 'must be a file: PATH#EXPORT'],
    ['src/billing.mjs#follow', 'has no export follow'],
    ['src/billing.mjs#a-b', 'must be PATH#EXPORT, the export being the name of a function'],
  ])('refuses a contender that is not there: %s', async (contender, rule) => {
    const { code, stderr } = await generate('--out', 'out', '--contender', contender);
    expect(code).toBe(1);
    expect(stderr).toContain(rule);
    expect(stderr).toContain('[invalid-options]');
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });

  it('tells everything that is wrong at once', async () => {
    const { code, stderr } = await generate('--contender', 'none.mjs', '--from', 'none.jsonl');
    expect(code).toBe(1);
    expect(stderr).toContain('three settings cannot work');
    expect(stderr).toMatch(/--from\s+none\.jsonl\s+cannot be read \(ENOENT\)/);
    expect(stderr).toMatch(/--out\s+\(not given\)\s+is required: the folder for the files/);
  });

  it('leaves alone what is there, and writes nothing beside it', async () => {
    mkdirSync(join(cwd, 'out'));
    writeFileSync(join(cwd, 'out/leadership.test.mjs'), 'mine');
    const { code, stderr } = await generate('--out', 'out');
    expect(code).toBe(1);
    expect(stderr).toMatch(/leadership\.test\.mjs: there already, and not the same; --force writes anew/);
    expect(readdirSync(join(cwd, 'out'))).toEqual(['leadership.test.mjs']);
    expect(read('out/leadership.test.mjs')).toBe('mine');
    expect((await generate('--out', 'out', '--force')).code).toBe(0);
    expect(read('out/leadership.test.mjs')).toContain('runWalk');
  });

  it('finds nothing to do where the same files are there already', async () => {
    expect((await generate('--out', 'out')).code).toBe(0);
    expect((await generate('--out', 'out')).code).toBe(0);
    expect(readdirSync(join(cwd, 'out'))).toHaveLength(3);
  });

  it('says that the folder cannot be written', async () => {
    writeFileSync(join(cwd, 'out'), 'a file');
    const { code, stderr } = await generate('--out', 'out');
    expect(code).toBe(1);
    expect(stderr).toMatch(/cannot be written \(EEXIST\)|there already/);
    expect(read('out')).toBe('a file');
  });

  it('imports its own package by its path where no project has it installed', async () => {
    await generate('--out', 'out');
    const [specifier] = /(?<=import \{ readWalks.* from ').*(?=')/.exec(read('out/leadership.test.mjs')) ?? [];
    expect(specifier).toMatch(/^\.\..*\/src\/simulation\/index\.ts$/);
    expect(existsSync(join(cwd, 'out', specifier ?? ''))).toBe(true);
  });
});

describe('tenure generate-tests --from', () => {
  const line = (fields: object): string =>
    `${JSON.stringify({ v: 1, seq: 1, t: 0, at: '', from: 'election', to: 'leadership:web', kind: 'event', session: null, token: null, attempt: null, cause: null, delivery: 'delivered', detail: '', ...fields })}\n`;
  const step = (before: string, after: string, verdict = 'moved') => ({
    before,
    after,
    edges: [],
    verdict,
    reason: '',
    commands: [],
  });
  const granted = line({ event: 'granted', session: 'a', token: '7', step: step('standby', 'grant-pending') });
  const started = line({
    event: 'contender.started',
    session: 'a',
    step: step('grant-pending', 'confirm-pending.awaiting'),
  });

  it('makes a test of a recording, named after it', async () => {
    writeFileSync(join(cwd, 'night.jsonl'), granted + started);
    const { code, stdout } = await generate('--out', 'out', '--from', 'night.jsonl');
    expect(code).toBe(0);
    expect(stdout).toContain('2 recorded messages to one leadership; the shipped machine answers each as it did then.');
    expect(readdirSync(join(cwd, 'out')).sort()).toEqual([
      'example-contender.mjs',
      'night.recorded.json',
      'night.recorded.test.mjs',
    ]);
    expect(read('out/night.recorded.json')).toContain('granted session=s1 token=7 → grant-pending');
  });

  it('names the line and the rule, and writes nothing', async () => {
    writeFileSync(join(cwd, 'night.jsonl'), `${granted}${started.slice(0, 40)}\n`);
    const { code, stderr } = await generate('--out', 'out', '--from', 'night.jsonl');
    expect(code).toBe(1);
    expect(stderr).toMatch(/--from\s+night\.jsonl\s+line 2: must be one JSON object; it is cut off or no JSON/);
    expect(existsSync(join(cwd, 'out'))).toBe(false);
  });

  it('makes what stands in the file visible', async () => {
    const event = 'granted\u001b[2J';
    writeFileSync(
      join(cwd, 'night.jsonl'),
      line({ event, session: 'a', token: '7', step: step('standby', 'grant-pending') }),
    );
    const { code, stderr } = await generate('--out', 'out', '--from', 'night.jsonl');
    expect(code).toBe(1);
    expect(stderr).toContain('line 1: event must be one that a leadership knows');
    expect(stderr).not.toContain('\u001b');
  });

  it('shows where a counterexample has a bug that this machine has not', async () => {
    const bug = line({
      event: 'contender.confirm',
      session: 'a',
      detail: 'http://a',
      step: step('confirm-pending.awaiting', 'confirmed.settled'),
      finding: ['broken', 'I8', 'confirmed before the write'],
    });
    writeFileSync(join(cwd, 'bug.jsonl'), granted + started + bug);
    const { code, stdout } = await generate('--out', 'out', '--from', 'bug.jsonl');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^! line 3: web in confirm-pending\.awaiting, at contender\.confirm: .*; the test ends there/m,
    );
  });

  it('takes the counterexample of an exploration, up to the bug that was planted', async () => {
    const plant = 'erase-in-confirm-pending';
    expect((await invoke(['explore', '--plant', plant], COMMANDS, { cwd })).code).toBe(1);
    const { code, stdout } = await generate('--out', 'out', '--from', `.tenure/explore/${plant}.jsonl`);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /at register\.changed: this version of Tenure said nothing, the recording says register\.publish/,
    );
    const [part] = readRecording(read(`out/${plant}.recorded.json`));
    if (part === undefined) throw new Error('nothing was recorded');
    replayRecording(part);
  });
});
