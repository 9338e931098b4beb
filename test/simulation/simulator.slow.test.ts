import { execFile } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import type { SimulationFailure } from '../../src/simulation/index.ts';
import { compileCommand } from '../cli/compiled.ts';

const SEEDS = 20_000;
const PROCESSES = 2;
/** Seeds of their own, beyond those that anybody tries by hand. */
const FIRST = 1_000_000;
const LONGEST_MS = 1_800_000;

interface Document {
  readonly seeds: number;
  readonly failovers: number;
  readonly failures: readonly SimulationFailure[];
}

const compiled = compileCommand();
afterAll(() => compiled.remove());

function simulate(first: number, seeds: number): Promise<Document> {
  // Worlds are short-lived: with room for several of them, hardly anything is left to copy when garbage is collected.
  const args = [
    '--max-semi-space-size=64',
    compiled.main,
    'simulate',
    '--seed',
    String(first),
    '--seeds',
    String(seeds),
    '--json',
  ];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      // A violation is an exit code of 1 with a document; anything else has none.
      if (stdout === '') reject(error ?? new Error(stderr));
      else resolve(JSON.parse(stdout) as Document);
    });
  });
}

it(
  `${SEEDS} seeds, each twice: no violation, and identical traces`,
  async () => {
    const each = SEEDS / PROCESSES;
    const parts = Array.from({ length: PROCESSES }, (_, part) => simulate(FIRST + part * each, each));
    const documents = await Promise.all(parts);
    const told = documents
      .flatMap(({ failures }) => failures)
      .map(
        ({ seed, invariant, detail, actions, story }) =>
          `add ${seed} to test/simulation/seeds.txt: ${invariant}, ${detail}\n${JSON.stringify(actions, null, 1)}\n${story.join('\n')}`,
      );
    expect(told).toEqual([]);
    expect(documents.reduce((sum, { seeds }) => sum + seeds, 0)).toBe(SEEDS);
    expect(documents.reduce((sum, { failovers }) => sum + failovers, 0)).toBeGreaterThan(3 * SEEDS);
  },
  LONGEST_MS,
);
