import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const TEST = join(import.meta.dirname, '..');

function range(letter: string, last: number): string[] {
  return Array.from({ length: last }, (_, at) => `${letter}${at + 1}`);
}

/** Every row of Flink's own test inventory that is not tied to one backend; `test/README.md` says where they come from. */
const ROWS = [
  ...range('D', 34),
  ...range('P', 7),
  ...range('R', 16),
  ...range('S', 5),
  'LE1',
  ...range('E', 7),
  ...range('V', 5),
];

/** Titles of tests, and the `# covers:` lines of stories. */
function textsOf(file: string): string[] {
  const text = readFileSync(join(TEST, file), 'utf8');
  if (file.endsWith('.txt')) return [...text.matchAll(/^# covers: (.*)$/gm)].map((match) => match[1] ?? '');
  const titles = /\b(?:it|describe)(?:\.\w+\((?:[^()]|\([^()]*\))*\))?\(\s*(['"`])((?:(?!\1)[^\\]|\\.)*)\1/gs;
  return [...text.matchAll(titles)].map((match) => match[2] ?? '');
}

function rowsIn(text: string): string[] {
  const spans = [...text.matchAll(/\b([DPRSEV])(\d+) to \1(\d+)\b/g)].flatMap(([, letter = '', from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => `${letter}${Number(from) + at}`),
  );
  return [...spans, ...(text.match(/\b(?:[DPRSEV]\d{1,2}|LE1)\b/g) ?? [])];
}

const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /(?:\.test\.ts|scenarios\/[^/]+\.txt)$/.test(file.replaceAll('\\', '/')),
);
const covered = new Set(
  files
    .filter((file) => !file.includes('flink-rows'))
    .flatMap(textsOf)
    .flatMap(rowsIn),
);

describe("Flink's test inventory", () => {
  it('each row has a test or a story that names it', () => {
    expect(ROWS.filter((row) => !covered.has(row))).toEqual([]);
  });

  it('each row from which Tenure deviates is explained in test/README.md', () => {
    const readme = readFileSync(join(TEST, 'README.md'), 'utf8');
    const explained = [...readme.matchAll(/^\| (D\d+(?:, D\d+)*) \|/gm)].flatMap((match) => rowsIn(match[1] ?? ''));
    expect(explained).toEqual(expect.arrayContaining(['D11', 'D30', 'D31']));
    expect(explained.filter((row) => !covered.has(row))).toEqual([]);
  });
});
