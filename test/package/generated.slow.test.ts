import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Consumer, consumer, installFromRegistry, ROOT, run } from './pack.ts';

const execute = promisify(execFile);

interface Ran {
  readonly code: number;
  readonly output: string;
}

const EXAMPLE = join(ROOT, 'examples/tested-contender');

/** The first fenced block of that language in a document. */
async function fenced(document: string, language: string): Promise<string> {
  const text = await readFile(join(ROOT, document), 'utf8');
  const block = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1];
  if (block === undefined) throw new Error(`${document} has no block of ${language}`);
  return block;
}

/** A project that has Tenure and Vitest installed, and nothing else. */
async function install(folder: string, tarball: string): Promise<void> {
  await installFromRegistry(folder, tarball);
  const { devDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const vitest = `vitest@${devDependencies.vitest}`;
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', '--save-dev', vitest);
}

describe('generated tests in a fresh project', () => {
  let user: Consumer;

  beforeAll(async () => {
    expect(existsSync(join(ROOT, 'dist/src/index.js')), 'nothing is built: npm run build').toBe(true);
    user = await consumer(install);
    for (const name of ['contender.mjs', 'forgets-its-timer.mjs']) {
      await copyFile(join(EXAMPLE, name), join(user.folder, name));
    }
  });

  afterAll(() => user.remove());

  const tenure = (...args: readonly string[]) => run(user.folder, 'npx', '--no', '--', 'tenure', ...args);

  const vitest = async (...args: readonly string[]): Promise<Ran> => {
    // Without the variables of the vitest that runs this very test.
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1' };
    const command = ['--no', '--', 'vitest', 'run', ...args];
    try {
      const { stdout, stderr } = await execute('npx', command, { cwd: user.folder, env, maxBuffer: 2 ** 26 });
      return { code: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, output: `${stdout}${stderr}` };
    }
  };

  it('run as they are', async () => {
    const { stdout } = await tenure('generate-tests', '--out', 'generated');
    expect(stdout).toContain('Next: npx vitest run generated');
    const { code, output } = await vitest('generated');
    expect(output).toMatch(/leadership: (\d+) of \1 pairs of transitions taken, and 0 of \d+ that take an unusual/);
    expect(output).toMatch(/Tests\s+\d+ passed \| \d+ skipped/);
    expect(code).toBe(0);
  });

  it('catch a bug of the contender in words that its author understands', async () => {
    await tenure('generate-tests', '--out', 'buggy', '--contender', 'forgets-its-timer.mjs#contender');
    const { code, output } = await vitest('buggy', '--bail=1');
    expect(code).toBe(1);
    expect(output).toContain('no-work-after-stop: sending invoices began after the signal of s1 had aborted');
    expect(output).toContain('Nothing that only a leader may do is begun after the signal has aborted.');
    expect(output).toContain('leadership tells the contender to stop');
  });

  it('replay what a demonstration with real processes has recorded', async () => {
    await tenure('demo', '--record', 'demo.jsonl');
    const { stdout } = await tenure('generate-tests', '--out', 'recorded', '--from', 'demo.jsonl');
    expect(stdout).toMatch(
      /^\d+ recorded messages to 6 leaderships; the shipped machine answers each as it did then\.$/m,
    );
    const { code, output } = await vitest('recorded');
    expect(output).toMatch(/Tests\s+12 passed/);
    expect(code).toBe(0);
  });

  it('are written by hand in the 12 lines of the documentation', async () => {
    const test = await fenced('src/simulation/README.md', 'js');
    expect(test.trimEnd().split('\n')).toHaveLength(12);
    await writeFile(join(user.folder, 'by-hand.test.mjs'), test);
    const good = await vitest('by-hand');
    expect(good.output).toMatch(/Tests\s+1 passed/);
    await writeFile(join(user.folder, 'by-hand.test.mjs'), test.replace('./contender.mjs', './returns.mjs'));
    const returns = "export const contender = (session) => session.confirm({ address: 'http://a' });\n";
    await writeFile(join(user.folder, 'returns.mjs'), returns);
    const bad = await vitest('by-hand');
    expect(bad.code).toBe(1);
  });
});
