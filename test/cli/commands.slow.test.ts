import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { TraceLine } from '../../src/ports/trace.ts';
import { Stage } from './processes.ts';

let stage: Stage;
beforeAll(() => {
  stage = new Stage();
});
afterEach(() => stage.sweep());
afterAll(() => stage.close());

const ESCAPE = '\u001b';

describe('tenure status', () => {
  it('says yes, no and not known by its exit code, in plain text on a pipe', async () => {
    const run = stage.run('asked', ['--name', 'api', '--address', 'http://10.0.0.7:80']);
    await run.line(/^started/);
    await stage.tenure(['watch', '--election', 'asked', '--until-confirmed', '--timeout', '10s']).end();
    const held = await stage.tenure(['status', '--election', 'asked'], { FORCE_COLOR: '1' }).end();
    expect(held.code).toBe(0);
    expect(held.stdout).toMatch(/^asked {2}on sqlite \(\.tenure\/tenure\.db\), held .* by api-[0-9a-f]{4}, token 1\n/);
    expect(held.stdout).toMatch(/\n {2}main +api-[0-9a-f]{4} +1 +http:\/\/10\.0\.0\.7:80 +● confirmed\n/);
    expect(held.stdout).not.toContain(ESCAPE);
    const json = await stage.tenure(['status', '--election', 'asked', '--json']).end();
    expect(JSON.parse(json.stdout)).toMatchObject({
      election: 'asked',
      backend: 'sqlite',
      standing: 'held',
      lease: { fencingToken: '1', durationMs: 3_000 },
      components: [{ component: 'main', state: 'confirmed', address: 'http://10.0.0.7:80' }],
      findings: [],
    });
    run.signal('SIGTERM');
    await run.end();
    expect(await stage.tenure(['status', '--election', 'asked', '--quiet']).end()).toEqual({
      code: 1,
      stdout: '',
      stderr: '',
    });
  });

  it('creates nothing where nothing is, and does not touch what is not its own', async () => {
    const missing = await stage.tenure(['status', '--election', 'a', '--file', 'typo/tenure.db']).end();
    expect([missing.code, missing.stdout]).toEqual([2, '']);
    expect(missing.stderr).toContain('typo/tenure.db does not exist');
    expect(existsSync(join(stage.folder, 'typo'))).toBe(false);
    writeFileSync(join(stage.folder, 'notes.txt'), 'not a database, and longer than a header of SQLite would be');
    const foreign = await stage.tenure(['status', '--election', 'a', '--file', 'notes.txt', '--json']).end();
    expect([foreign.code, JSON.parse(foreign.stdout)]).toMatchObject([1, { error: { code: 'store-unusable' } }]);
    const run = await stage.tenure(['run', '--election', 'a', '--file', 'notes.txt', '--', 'true']).end();
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toMatch(/notes\.txt is not an SQLite database[\s\S]*\[store-unusable\]/);
    expect(readFileSync(join(stage.folder, 'notes.txt'), 'utf8')).toContain('not a database');
  });

  it('sees a leader of single-master, and says that nothing protects it', async () => {
    const options = ['--backend', 'single-master', '--election', 'alone'];
    const command = ['--', 'sh', '-c', 'echo started; exec sleep 1000'];
    const run = stage.tenure(['run', ...options, '--i-know-only-one-runs', ...command]);
    await run.line(/nothing keeps a second process from leading too/);
    await run.line(/^started/);
    const { code, stdout } = await stage.tenure(['status', ...options]).end();
    expect(code).toBe(0);
    expect(stdout).toMatch(/! single-master has no lock: .* {2}\[unprotected\]\n$/);
    const refused = await stage.tenure(['step-down', ...options]).end();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no lock to give back')]);
  });
});

describe('tenure step-down and tenure watch', () => {
  it('hand over, and followers see the gap', async () => {
    const first = stage.run('handed', ['--name', 'first']);
    await first.line(/^started/);
    const watch = stage.tenure(['watch', '--election', 'handed']);
    await watch.line(/^ +\+\d+\.\d{3} s {2}main {2}● {2}first-/);
    const second = stage.run('handed', ['--name', 'second']);
    await second.line(/standing for handed/);
    const stepped = await stage.tenure(['step-down', '--election', 'handed']).end();
    expect(stepped.code).toBe(0);
    expect(stepped.stdout).toMatch(
      /^first-.{4} gave up token 1 after .*\nsecond-.{4} leads with token 2, .* after the request\n$/,
    );
    await watch.line(/◌ {2}superseded by token 2, not confirmed yet/);
    await watch.line(/● {2}second-.{4} +token 2 .* {2}gap .*s$/);
    expect(watch.stdout).not.toContain(ESCAPE);
    watch.signal('SIGINT');
    expect((await watch.end()).code).toBe(0);
    expect(first.lines.some((line) => /stepped down; child gets SIGTERM, SIGKILL in 0\.9 s$/.test(line))).toBe(true);
    const json = await stage.tenure(['watch', '--election', 'handed', '--json', '--until-confirmed']).end();
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      component: 'main',
      state: 'confirmed',
      fencingToken: '2',
      gapMs: null,
    });
  });

  it('wait no longer than they were told, and answer 2', async () => {
    // Its work takes longer to stop than the request may wait.
    const slow = stage.run('slow', ['--grace', '800ms'], ['stubborn']);
    await slow.line(/^started/);
    const late = await stage.tenure(['step-down', '--election', 'slow', '--timeout', '50ms']).end();
    expect([late.code, late.stdout]).toEqual([
      2,
      expect.stringMatching(/! .* still holds token 1 .*\[step-down-pending\]\n$/),
    ]);
    const waited = await stage.tenure(['watch', '--election', 'never', '--until-confirmed', '--timeout', '50ms']).end();
    expect([waited.code, waited.stdout]).toEqual([2, '']);
    expect(waited.stderr).toContain('nothing is confirmed yet');
    expect(waited.stderr).toContain('not confirmed after 50 ms');
  });

  it('say no where nobody leads', async () => {
    const run = stage.tenure(['run', '--election', 'over', '--', 'true']);
    await run.end();
    const { code, stdout } = await stage.tenure(['step-down', '--election', 'over']).end();
    expect([code, stdout]).toEqual([1, 'nobody leads over\n']);
  });

  it('follow one component where asked', async () => {
    const run = stage.run('one', ['--component', 'worker']);
    await run.line(/^started/);
    const other = await stage.tenure(['watch', '--election', 'one', '--component', 'main', '--timeout', '200ms']).end();
    expect(other.stdout).toBe('');
    const own = await stage.tenure(['watch', '--election', 'one', '--component', 'worker', '--until-confirmed']).end();
    expect([own.code, own.stdout]).toEqual([0, expect.stringContaining('worker')]);
  });
});

describe('tenure demo', () => {
  it('plays a kill and a hand-over, counts, and records', async () => {
    const { code, stdout, stderr } = await stage.tenure(['demo']).end();
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).not.toContain(ESCAPE);
    expect(stdout).toContain('✕ kill -9');
    expect(stdout).toMatch(/is granted, token 2 \(\d+ ms after expiry\)/);
    expect(stdout).toMatch(/is granted, token 3\n/);
    expect(stdout).toMatch(/the hand-over took \d+ ms\n/);
    expect(stdout).toMatch(
      /\nTwo leaders at once: 0 ms\. Entries erased: 0\. Recorded in tenure-demo\.jsonl \(\d+ lines\)\.\n$/,
    );
    const times = [...stdout.matchAll(/^ {2}(\d+\.\d{3}) s/gm)].map((match) => Number(match[1]));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const lines = readFileSync(join(stage.folder, 'tenure-demo.jsonl'), 'utf8').trim().split('\n');
    const trace = lines.map((line) => JSON.parse(line) as TraceLine);
    expect(trace[0]).toMatchObject({ v: 1, seq: 1, kind: 'start', world: { register: { version: '0' } } });
    expect(trace.map(({ seq }) => seq)).toEqual(trace.map((_, index) => index + 1));
    expect(trace.every(({ cause, seq }) => cause === null || cause < seq)).toBe(true);
    expect(new Set(trace.slice(1).map(({ participant }) => participant))).toEqual(new Set(['alpha', 'beta', 'gamma']));
    expect(trace.filter(({ step }) => step?.verdict === 'undeclared')).toEqual([]);
  });

  it('ends at Ctrl-C with what is known so far', async () => {
    const demo = stage.tenure(['demo', '--json', '--record', 'cut.jsonl']);
    await demo.line(/is granted, token 1/);
    demo.signal('SIGINT');
    const { code, stdout } = await demo.end();
    expect(code).toBe(2);
    const documents = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(documents[0]).toMatchObject({ atMs: 0, what: 'three participants stand', at: expect.stringMatching(/Z$/) });
    expect(documents.at(-1)).toMatchObject({ overlapMs: 0, erased: [], complete: false, recording: 'cut.jsonl' });
  });

  it('says at once that the recording cannot be written', async () => {
    const { code, stderr } = await stage.tenure(['demo', '--record', 'no/such/folder/x.jsonl']).end();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('--record  no/such/folder/x.jsonl  cannot be written (ENOENT)'),
    ]);
  });
});
