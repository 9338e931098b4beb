import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './pack.ts';

const EXAMPLES = join(ROOT, 'examples');
const FOLDERS = ['bring-your-own-driver', 'http-service', 'own-machine', 'tested-contender', 'workers'];
const BOUND_MS = 60_000;

const execute = promisify(execFile);

/** Output of one example that ended by itself, said nothing on stderr and left no file behind. */
async function linesOf(name: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-examples-'));
  // Without vitest's own variables: they would choose another build of XState. SIGTERM lets it end its children.
  const env = { PATH: process.env.PATH, TMPDIR: folder };
  const options = { env, cwd: ROOT, timeout: BOUND_MS - 5_000, killSignal: 'SIGTERM' as const };
  try {
    const { stdout, stderr } = await execute(process.execPath, [`examples/${name}/main.mjs`], options);
    expect(stderr).toBe('');
    expect(readdirSync(folder)).toEqual([]);
    return stdout.trimEnd().split('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first group of the one line that matches. */
function find(lines: readonly string[], pattern: RegExp): string {
  const found = lines.flatMap((line) => pattern.exec(line)?.[1] ?? []);
  expect(found, `${pattern} in\n${lines.join('\n')}`).toHaveLength(1);
  return found[0] ?? '';
}

beforeAll(() => {
  expect(existsSync(join(ROOT, 'dist/src/index.js')), 'nothing is built: npm run build').toBe(true);
});

describe('the examples', { timeout: BOUND_MS }, () => {
  it('own-machine: works only while its session is current, and passes on otherwise', async () => {
    expect(await linesOf('own-machine')).toEqual([
      'north leads at http://north.example:8080',
      'north sends invoice 1 with fencing token 1',
      'south passes invoice 2 on to http://north.example:8080',
      'north stops: The leadership session of billing is over: this participant stepped down.',
      'south leads at http://south.example:8080',
      'north passes invoice 3 on to http://south.example:8080',
      'south sends invoice 4 with fencing token 2',
      'closed',
    ]);
  });

  it('http-service: a follower redirects to the leader, and leads itself after SIGTERM', async () => {
    const lines = await linesOf('http-service');
    const [first, second] = lines.flatMap((line) => /^leading (.+)/.exec(line)?.[1] ?? []);
    expect(first).not.toBe(second);
    expect(lines).toContain(`${second}/leader redirects to ${first}`);
    expect(lines).toContain(`${second}/leader redirects to ${second}`);
    const one = find(lines, /^process (\d+) leads with fencing token 1$/);
    expect(find(lines, /^process (\d+) leads with fencing token 2$/)).not.toBe(one);
    expect(lines.indexOf(`not leading any more ${first}`)).toBeLessThan(lines.indexOf(`leading ${second}`));
    expect(lines.at(-1)).toBe('all replicas have ended');
  });

  it('workers: another one goes on where the killed leader stopped, with a higher token', async () => {
    const lines = await linesOf('workers');
    const one = find(lines, /^worker (\d+) leads with fencing token 1$/);
    expect(find(lines, /^worker (\d+) leads with fencing token 2$/)).not.toBe(one);
    const results = lines.flatMap((line) => /^night (\d+): .* \(fencing token (\d+)\)$/.exec(line)?.slice(1) ?? []);
    const nights = results.filter((_, at) => at % 2 === 0).map(Number);
    const tokens = results.filter((_, at) => at % 2 === 1);
    expect(nights.length).toBeGreaterThanOrEqual(6);
    expect(nights).toEqual(nights.map((_, at) => at + 1));
    expect([...new Set(tokens)]).toEqual(['1', '2']);
    expect(lines.at(-1)).toBe('another worker took over; all workers have ended');
  });

  it('tested-contender: generated tests pass the one and catch the bug of the other, by name', async () => {
    const lines = await linesOf('tested-contender');
    const [passed] = lines.flatMap(
      (line) => /^contender\.mjs#contender: (\d+) walks passed, 0 failed$/.exec(line)?.[1] ?? [],
    );
    expect(Number(passed)).toBeGreaterThan(100);
    expect(lines.find((line) => line.startsWith('forgets-its-timer.mjs'))).toMatch(/, [1-9]\d* failed$/);
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}no-work-after-stop, first broken on \d+ of them$/));
    expect(lines.at(-2)).toMatch(
      /^ {2}no-work-after-stop: sending invoices began after the signal of s\d+ had aborted/,
    );
    expect(lines.at(-1)).toBe('    Nothing that only a leader may do is begun after the signal has aborted.');
  });

  it('bring-your-own-driver: an answer that got lost is read back, and a late write is refused', async () => {
    const lines = await linesOf('bring-your-own-driver');
    expect(lines).toEqual(expect.arrayContaining(['north: read back, the entry is there', 'south: stops (closing)']));
    const told = lines.filter((line) => /leads with|stops \(stepped|is fenced|empty/.test(line));
    expect(told).toEqual([
      'north: leads with fencing token 1',
      'north: stops (stepped-down)',
      'south: leads with fencing token 2',
      'register: a late write of north is fenced',
      'register: empty',
    ]);
  });
});

describe('the folder examples/', { timeout: BOUND_MS }, () => {
  it('is listed with its commands', () => {
    const folders = readdirSync(EXAMPLES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).sort()).toEqual(FOLDERS);
    const map = readFileSync(join(EXAMPLES, 'README.md'), 'utf8');
    for (const folder of FOLDERS) {
      const command = `node examples/${folder}/main.mjs`;
      expect(map).toContain(command);
      expect(readFileSync(join(EXAMPLES, folder, 'README.md'), 'utf8')).toContain(command);
    }
  });

  it('has a PM2 configuration that starts the worker and lets it finish', () => {
    const folder = join(EXAMPLES, 'workers');
    const { apps } = createRequire(import.meta.url)(join(folder, 'ecosystem.config.cjs')) as {
      apps: readonly { script: string; cwd: string; kill_timeout: number }[];
    };
    expect(apps).toHaveLength(1);
    const [app] = apps;
    expect(existsSync(join(app?.cwd ?? '', app?.script ?? ''))).toBe(true);
    expect(app?.kill_timeout).toBeGreaterThan(10_000);
  });

  it('has types that hold against the built package', () => {
    const files = FOLDERS.flatMap((folder) =>
      readdirSync(join(EXAMPLES, folder))
        .filter((name) => name.endsWith('.mjs'))
        .map((name) => join(EXAMPLES, folder, name)),
    );
    expect(files.every((file) => readFileSync(file, 'utf8').startsWith('// @ts-check\n'))).toBe(true);
    const program = ts.createProgram(files, {
      allowJs: true,
      checkJs: true,
      noEmit: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.NodeNext,
      types: ['node'],
    });
    const found = ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return `${file?.fileName.slice(ROOT.length)}:${line} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
    });
    expect(found).toEqual([]);
  });
});
