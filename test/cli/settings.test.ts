import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { planRun, type RunPlan } from '../../src/cli/run/plan.ts';
import { invoke } from './invoke.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tenure-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `run` as it is, but for what it does. */
async function plan(args: readonly string[], env: Record<string, string> = {}, cwd = folder) {
  let planned: RunPlan | null = null;
  const commands: Command[] = COMMANDS.map((command) => ({
    ...command,
    run: async ({ settings, rest, world }) => {
      planned = planRun(settings, rest, world.host);
      return 0;
    },
  }));
  const said = await invoke(['run', ...args], commands, { env, cwd });
  return { ...said, plan: planned as RunPlan | null };
}

describe('where settings come from', () => {
  it('flags win over variables, variables over the file', async () => {
    const cwd = mkdtempSync(join(folder, 'all-'));
    writeFileSync(
      join(cwd, 'tenure.config.json'),
      JSON.stringify({
        $schema: 'x',
        election: 'file',
        component: 'file',
        name: 'file',
        callTimeout: '1s',
        once: true,
      }),
    );
    const env = { TENURE_ELECTION: 'variable', TENURE_COMPONENT: 'variable', TENURE_GRACE: '1s', TENURE_FILE: '' };
    const { plan: planned } = await plan(['--election', 'flag', '--', 'job', '--election', 'x'], env, cwd);
    expect(planned).toMatchObject({
      election: 'flag',
      component: 'variable',
      name: 'file',
      once: true,
      graceMs: 1_000,
    });
    expect(planned?.timing.callTimeoutMs).toBe(1_000);
    expect(planned?.backend).toEqual({ name: 'sqlite', file: '.tenure/tenure.db', consent: false });
    expect([planned?.command, planned?.args]).toEqual(['job', ['--election', 'x']]);
  });

  it('has defaults for everything but the election', async () => {
    const { plan: planned } = await plan(['--election=a', '--', 'x']);
    expect(planned).toMatchObject({
      component: 'main',
      name: 'host',
      graceMs: 3_000,
      once: false,
      restart: 'never',
      address: null,
    });
  });

  it('shortens the default grace where the lease is short', async () => {
    const short = ['--lease-duration', '3s', '--renew', '500ms', '--call-timeout', '500ms', '--margin', '1s'];
    expect((await plan(['--election', 'a', ...short, '--', 'x'])).plan?.graceMs).toBe(900);
  });

  it('reads the file that --config or TENURE_CONFIG names, and says when it is not there', async () => {
    writeFileSync(join(folder, 'other.json'), '{"election":"other"}');
    expect((await plan(['--config', 'other.json', '--', 'x'])).plan?.election).toBe('other');
    expect((await plan(['--', 'x'], { TENURE_CONFIG: 'other.json' })).plan?.election).toBe('other');
    const missing = await plan(['--config', 'none.json', '--election', 'a', '--', 'x']);
    expect(missing.stderr).toContain('--config  none.json  cannot be read (ENOENT)');
    expect(missing.code).toBe(1);
  });

  it('hints at a misspelt variable and leaves those of others alone', async () => {
    const { stderr, code } = await plan(['--election', 'a', '--', 'x'], {
      TENURE_RENW: '1s',
      TENURE_SERVICE_HOST: '10.0.0.1',
    });
    expect(stderr).toBe('tenure: TENURE_RENW is not a setting; did you mean TENURE_RENEW?\n');
    expect(code).toBe(0);
  });
});

describe('everything that is wrong, at once', () => {
  it('with the place, the value, the rule, and the code at the end', async () => {
    const {
      stderr,
      code,
      plan: planned,
    } = await plan(['--election', '', '--lease-duration', '5', '--renew', '8s', '--', 'node']);
    expect(stderr).toBe(
      [
        'tenure: two settings cannot work together or alone:',
        `  --election        ""  must be 1 to 200 of a-z, 0-9, '-', '.', starting with a letter or digit`,
        '  --lease-duration  5   needs a unit: 5s or 5ms',
        'Nothing was started.                                                          [invalid-options]',
        '',
      ].join('\n'),
    );
    expect([code, planned]).toEqual([1, null]);
  });

  it('names the place where the value stands', async () => {
    const cwd = mkdtempSync(join(folder, 'bad-'));
    writeFileSync(
      join(cwd, 'tenure.config.json'),
      '{"leaseDuration":15,"elction":"a","restart":"alway","once":"maybe","renew":[]}',
    );
    const { stderr } = await plan(['--election', 'a', '--', 'x'], { TENURE_GRACE: '99s' }, cwd);
    expect(stderr.split('\n').map((line) => line.replace(/ {2,}/g, '  '))).toEqual([
      'tenure: five things cannot be understood or cannot work:',
      '  elction in tenure.config.json  is not a setting; did you mean election?',
      '  renew in tenure.config.json  []  must be text or true/false',
      '  once in tenure.config.json  maybe  must be true or false',
      '  restart in tenure.config.json  alway  must be never, on-failure or always; did you mean always?',
      '  leaseDuration in tenure.config.json  15  needs a unit: 15s or 15ms',
      expect.stringMatching(/^Nothing was started\. {2}\[invalid-command-line\]$/),
      '',
    ]);
  });

  it('tells relations in the words of the flags', async () => {
    expect((await plan(['--election', 'a', '--renew', '8s', '--', 'x'])).stderr).toContain(
      '--renew  8s  renew + 3 × call timeout (2s) must be ≤ lease duration (15s) − margin (2s); the largest is 7s',
    );
    expect((await plan(['--election', 'a', '--grace', '6s', '--', 'x'])).stderr).toContain(
      '--grace  6s  renew + call timeout + grace + 100ms must be ≤ lease duration − margin; the largest is 5900ms',
    );
  });

  it('knows flags that are near, values that are missing, words that are lost', async () => {
    const { stderr } = await plan(['--elction', 'a', '--name', '--quiet=yes', '--component', '-x', 'node', 'job.js']);
    const lines = stderr.split('\n').map((line) => line.replace(/ {2,}/g, '  '));
    expect(lines).toContain('  --elction  is not a flag of this command; did you mean --election?');
    expect(lines).toContain("  --name  --quiet=yes  needs a value; where it begins with '-', write --name=NAME");
    expect(lines).toContain("  --component  -x  needs a value; where it begins with '-', write --component=NAME");
    expect(lines).toContain('  node job.js  the command to run goes behind --');
    expect(lines.filter((line) => line.startsWith('  a '))).toEqual([]);
  });

  it('asks for the consent that single-master needs', async () => {
    const { stderr } = await plan(['--election', 'a', '--backend', 'single-master', '--', 'x']);
    expect(stderr).toContain('--i-know-only-one-runs  (not given)  single-master needs it');
    const { plan: planned } = await plan([
      '--election',
      'a',
      '--backend',
      'single-master',
      '--i-know-only-one-runs',
      '--',
      'x',
    ]);
    expect(planned?.backend).toEqual({ name: 'single-master', file: '.tenure/a.json', consent: true });
  });

  it('refuses memory, and says why', async () => {
    const { stderr, code } = await plan(['--election', 'a', '--backend', 'memory', '--', 'x']);
    expect(stderr).toContain('memory lives inside one process');
    expect(code).toBe(1);
  });

  it('shows what a value hides', async () => {
    const { stderr } = await plan(['--election', 'a\u202eb', '--', 'x']);
    expect(stderr).toContain('a⟨U+202E⟩b');
  });

  it('is one JSON document with --json', async () => {
    const { stdout, stderr } = await plan(['--json', '--election', 'A', '--', 'x']);
    // stdout belongs to the command that is run.
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toEqual({
      error: expect.objectContaining({
        code: 'invalid-options',
        outcome: 'not-done',
        problems: [{ where: '--election', received: 'A', rule: expect.any(String), kind: 'value', name: 'election' }],
      }),
    });
  });
});
