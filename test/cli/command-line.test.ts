import { describe, expect, it } from 'vitest';
import { type Command, EXIT } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { TenureError } from '../../src/errors.ts';
import { invoke } from './invoke.ts';

function throwing(error: unknown): Command[] {
  const [first] = COMMANDS.filter((command) => command.takesCommand !== true);
  if (first === undefined) throw new Error('no command');
  return [{ ...first, run: () => Promise.reject(error) }];
}

describe('help', () => {
  it.each(COMMANDS.map((command) => [command.name, command] as const))('of %s is complete', async (name, command) => {
    const { stdout, stderr, code } = await invoke([name, '--help'], COMMANDS);
    expect([code, stderr]).toEqual([0, '']);
    expect(command.examples).toHaveLength(3);
    for (const title of ['Usage:', 'Examples:', 'Where:', 'Output:', 'Environment', 'Exit codes:'])
      expect(stdout).toContain(title);
    expect((await invoke([name, '-h'], COMMANDS)).stdout).toBe(stdout);
    expect((await invoke(['help', name], COMMANDS)).stdout).toBe(stdout);
    await expect(stdout).toMatchFileSnapshot(`help/${name}.txt`);
  });

  it('of all commands names each', async () => {
    const { stdout, code } = await invoke(['--help'], COMMANDS);
    expect(code).toBe(0);
    await expect(stdout).toMatchFileSnapshot('help/tenure.txt');
  });

  it('comes unasked when there is no command, on stderr and with 1', async () => {
    const { stdout, stderr, code } = await invoke([], COMMANDS);
    expect([stdout, code]).toEqual(['', EXIT.no]);
    expect(stderr).toContain('Usage: tenure COMMAND');
  });
});

describe('words', () => {
  it('suggests the command that was meant', async () => {
    const { stderr, code } = await invoke(['stauts'], COMMANDS);
    expect(stderr).toContain('stauts  is not a command; did you mean status?');
    expect(code).toBe(EXIT.no);
    expect((await invoke(['frobnicate'], COMMANDS)).stderr).toContain('known are run, status');
  });

  it('answers the version of the package', async () => {
    expect((await invoke(['--version'], COMMANDS)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('takes no command where none is run', async () => {
    const { stderr } = await invoke(['status', '--election', 'a', '--', 'x'], COMMANDS);
    expect(stderr).toContain('this command runs no other command');
  });
});

describe('failures', () => {
  const away = new TenureError('backend-unavailable', 'the file\u001b[31m is locked', { next: 'Nothing was changed.' });

  it('says what failed, what was done, and the code; no stack trace', async () => {
    const { stderr, stdout, code } = await invoke(['status'], throwing(away));
    expect(stderr).toBe('tenure: the file⟨U+001B⟩[31m is locked\nNothing was changed.  [backend-unavailable]\n');
    expect([stdout, code]).toEqual(['', EXIT.notKnown]);
  });

  it('is told even when quiet, because 1 would be read as "no"', async () => {
    expect((await invoke(['status', '--quiet'], throwing(away))).stderr).toContain('[backend-unavailable]');
  });

  it('tells where it happened, and the causes, with --debug', async () => {
    const cause = new Error('the reason');
    const { stderr } = await invoke(['status', '--debug'], throwing(new TenureError('closed', 'over', { cause })));
    expect(stderr).toMatch(/\[closed\]\n.*over\n {4}at [\s\S]*caused by:\nError: the reason\n {4}at/);
  });

  it('keeps "not known" and "no" apart', async () => {
    const codeOf = async (error: unknown) => (await invoke(['status'], throwing(error))).code;
    expect(await codeOf(new TenureError('backend-unavailable', 'x'))).toBe(EXIT.notKnown);
    for (const code of ['store-unusable', 'store-read-only', 'driver-missing'] as const) {
      expect(await codeOf(new TenureError(code, 'x')), code).toBe(EXIT.no);
    }
    expect(await codeOf(new TenureError('closed', 'x', { outcome: 'unknown' }))).toBe(EXIT.notKnown);
    expect(await codeOf(new TenureError('not-leading', 'x'))).toBe(EXIT.no);
    expect(await codeOf(new Error('x'))).toBe(EXIT.no);
  });

  it('calls a defect a defect', async () => {
    expect((await invoke(['status'], throwing(new TypeError('x is not y')))).stderr).toContain('defect of Tenure');
  });
});
