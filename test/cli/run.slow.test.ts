import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Stage } from './processes.ts';

let stage: Stage;
beforeAll(() => {
  stage = new Stage();
});
afterEach(() => stage.sweep());
afterAll(() => stage.close());

const sh = (election: string, script: string, options: readonly string[] = []) =>
  stage.tenure(['run', '--election', election, ...options, '--', 'sh', '-c', script]);

describe('the end of the command is the end of tenure run', () => {
  it('returns its code, leaves its output untouched and gives the lock back', async () => {
    const { code, stdout, stderr } = await sh('code', 'printf "no newline"; printf error >&2; exit 7').end();
    expect(code).toBe(7);
    expect(stdout).toBe('no newline');
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^tenure: standing for code on sqlite \(\.tenure\/tenure\.db\) as .+-[0-9a-f]{4}$/),
      'tenure: leading, token 1; starting sh -c printf "no newline"; printf error >&2; exit 7',
      expect.stringMatching(/^errortenure: child exited 7 after \d+ ms; ending$/),
      '',
    ]);
    expect((await stage.tenure(['status', '--election', 'code']).end()).stdout).toContain(
      'nobody leads; the last token was 1',
    );
  });

  it('says 128 + N for a command that signal N ended', async () => {
    expect((await sh('signal', 'kill -9 $$').end()).code).toBe(137);
  });

  it('says 127 and 126 as a shell does', async () => {
    const missing = await stage.tenure(['run', '--election', 'e', '--', 'no-such-command']).end();
    expect([missing.code, missing.stderr]).toEqual([
      127,
      expect.stringMatching(/was not found\nThe lock was given back\. +\[command-failed\]/),
    ]);
    writeFileSync(join(stage.folder, 'plain.txt'), 'text');
    const plain = await stage.tenure(['run', '--election', 'e', '--', './plain.txt']).end();
    expect([plain.code, plain.stderr]).toEqual([126, expect.stringContaining('is not executable')]);
  });

  it('tells the command what it works under', async () => {
    const script = 'echo $TENURE_ELECTION $TENURE_COMPONENT $TENURE_FENCING_TOKEN $TENURE_SESSION_ID';
    const { stdout } = await sh('env', script, ['--component', 'job 1']).end();
    expect(stdout).toMatch(/^env job 1 1 [0-9a-f-]{36}\n$/);
  });

  it('leaves nothing of the command behind', async () => {
    // Output closes only when the process in the background is gone too.
    const { code } = await sh('left', 'sleep 1000 & exit 3').end();
    expect(code).toBe(3);
  });

  it('starts it again where --restart says so', async () => {
    const script = 'echo run; if [ -e again ]; then exit 0; fi; touch again; exit 5';
    const { code, stdout, stderr } = await sh('again', script, ['--restart', 'on-failure']).end();
    expect([code, stdout]).toEqual([0, 'run\nrun\n']);
    expect(stderr).toContain('exited 5');
    expect(stderr).toContain('starting it again in 1.0 s');
  });

  it('is silent with --quiet and speaks JSON lines on stderr with --json', async () => {
    const quiet = await sh('quiet', 'echo out', ['--quiet']).end();
    expect([quiet.stdout, quiet.stderr]).toEqual(['out\n', '']);
    const json = await sh('json', 'echo out', ['--json']).end();
    expect(json.stdout).toBe('out\n');
    const events = json.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { event: string });
    expect(events.map(({ event }) => event)).toEqual(['standing', 'leading', 'ended']);
  });
});

describe('signals', () => {
  it('reach the command; SIGTERM ends it, then the lock is given back', async () => {
    const run = stage.run('signals', [], ['polite', '9']);
    await run.line(/^started/);
    for (const name of ['SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGTERM'] as const) {
      run.signal(name);
      await run.line(new RegExp(`^received ${name}`));
    }
    const { code, stderr } = await run.end();
    expect(code).toBe(9);
    expect(stderr).toMatch(/received SIGTERM; child gets it too, SIGKILL in 0\.9 s\ntenure: child exited 9/);
    expect((await stage.tenure(['status', '--election', 'signals', '--quiet']).end()).code).toBe(1);
  });

  it('SIGINT is passed on as SIGINT; a second one kills', async () => {
    const run = stage.run('twice', [], ['stubborn']);
    await run.line(/^started/);
    run.signal('SIGINT');
    await run.line(/^received SIGINT/);
    run.signal('SIGINT');
    expect((await run.end()).code).toBe(137);
    expect(run.stderr).toContain('child is killed at once');
  });

  it('a command that ignores SIGTERM is killed after the grace', async () => {
    const run = stage.run('grace', ['--grace', '300ms'], ['stubborn']);
    await run.line(/^started/);
    run.signal('SIGTERM');
    expect((await run.end()).code).toBe(137);
  });

  it('end one that only stands, with 128 + N', async () => {
    const first = stage.run('stands');
    await first.line(/^started/);
    const second = stage.run('stands');
    await second.line(/standing for stands/);
    second.signal('SIGTERM');
    expect((await second.end()).code).toBe(143);
    expect(second.stdout).toBe('');
    first.signal('SIGTERM');
    await first.end();
  });
});
