import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './pack.ts';

const EXAMPLE = 'examples/bring-your-own-driver/contract.test.mjs';
const BOUND_MS = 60_000;

/** What a run of `node --test` printed, and its exit code. */
function nodeTest(file: string): Promise<{ readonly code: number; readonly text: string }> {
  const args = ['--test', '--test-reporter=tap', file];
  // Without vitest's own variables, and without those by which one `node --test` takes itself for the child of another.
  const options = { cwd: ROOT, env: { PATH: process.env.PATH }, timeout: BOUND_MS - 5_000, maxBuffer: 2 ** 24 };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout }),
    );
  });
}

/** Its lines, one for each case. */
function casesOf(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => /^ {4}((?:not )?ok \d+ - .*)$/.exec(line)?.[1] ?? []);
}

/** Forgets the token with each release: the next session gets the token of the one before. */
const FORGETFUL = (dist: URL): string => `
import { describe, it } from 'node:test';
import { contractSuite } from '${new URL('src/contract/index.js', dist)}';
import { memory, MemoryBoard } from '${new URL('src/drivers/memory/index.js', dist)}';

const forgetful = (inner) => ({
  name: 'forgetful',
  async open(context) {
    const { place, protection, lease, register, ...rest } = await inner.open(context);
    const shown = (answer) =>
      answer.record?.holder === '' ? { ...answer, record: { ...answer.record, fencingToken: 0n } } : answer;
    return {
      place, protection, register,
      lease: {
        read: async (call) => shown(await lease.read(call)),
        write: async (write, call) => shown(await lease.write(write, call)),
        watch: (listener) => lease.watch((record) => listener(shown({ record }).record)),
      },
      close: async () => {},
    };
  },
});

contractSuite({
  name: 'forgetful', describe, it,
  emptyStore: () => ({ backend: forgetful(memory({ board: new MemoryBoard() })) }),
  capabilities: { protection: 'lease' },
});
`;

beforeAll(() => {
  expect(existsSync(join(ROOT, 'dist/src/contract/index.js')), 'nothing is built: npm run build').toBe(true);
});

describe('the contract suite under node:test', { timeout: BOUND_MS }, () => {
  it('passes for the backend of the example, in a file of ten lines', async () => {
    const { code, text } = await nodeTest(EXAMPLE);
    const cases = casesOf(text);
    expect(cases.filter((one) => one.startsWith('not ok'))).toEqual([]);
    expect(code).toBe(0);
    expect(cases.length).toBeGreaterThan(70);
    expect(cases).toContainEqual(expect.stringMatching(/\(skipped: interrupt is not declared\) # SKIP$/));
    const shown = readFileSync(join(ROOT, 'src/contract/README.md'), 'utf8');
    expect(shown).toContain(readFileSync(join(ROOT, EXAMPLE), 'utf8').replace('// @ts-check\n', ''));
    const [, call = ''] = /(contractSuite\([\s\S]*)/.exec(readFileSync(join(ROOT, EXAMPLE), 'utf8')) ?? [];
    expect(call.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  });

  it('fails for a broken one, by the name of the law', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenure-contract-'));
    try {
      const file = join(folder, 'forgetful.test.mjs');
      writeFileSync(file, FORGETFUL(pathToFileURL(join(ROOT, 'dist/'))));
      const { code, text } = await nodeTest(file);
      expect(code).toBe(1);
      expect(text).toContain('broken law: a release keeps the token and clears the rest');
      expect(text).toContain("rule: LeaseRecord: holder, sessionId and stepDownFor are '' once released");
      const failed = casesOf(text).filter((one) => one.startsWith('not ok'));
      expect(failed.map((one) => one.replace(/^not ok \d+ - /, ''))).toEqual([
        'a release keeps the token and clears the rest',
        'a closed handle answers',
        'a closed handle is told nothing any more',
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
