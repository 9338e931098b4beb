import { ERROR_CATALOGUE } from '../../src/errors.ts';
import type { Planted } from './planted.ts';

const ERRORS = 'README lists exactly the error codes';
const GUARANTEES = 'each guarantee names a test that exists';
const MACHINE = 'nothing names one machine or one registry';

const rows = Object.keys(ERROR_CATALOGUE).map((code) => `| \`${code}\` | meaning |`);
const errors = (...lines: readonly string[]): Planted['files'] => {
  return { 'README.md': ['# Tenure', '## Errors', '| code | meaning |', '|---|---|', ...lines, '## Next'].join('\n') };
};
const guarantees = (...lines: readonly string[]): Planted['files'] => {
  return { 'README.md': ['## What is guaranteed', '', ...lines].join('\n'), 'test/a/b.test.ts': '' };
};

const readmeCases: readonly Planted[] = [
  { rule: ERRORS, what: 'no such section', files: { 'README.md': '# Tenure' }, caught: ['README.md:0'] },
  { rule: ERRORS, what: 'all codes, once each', files: errors(...rows), caught: [] },
  {
    rule: ERRORS,
    what: 'one missing, one invented, one twice',
    files: errors(...rows.slice(1), '| `no-such-code` | – |', rows[1] ?? ''),
    caught: ['README.md:2', 'README.md:2', 'README.md:2'],
  },
  {
    rule: GUARANTEES,
    what: 'an item, a row and a paragraph, held by a test that is there',
    files: guarantees(
      'Each is held by a test:',
      '',
      '- One holder per token',
      '  (`test/a/b.test.ts`).',
      '',
      '| guarantee | test |',
      '|---|---|',
      '| tokens grow | [test](test/a/b.test.ts) |',
    ),
    caught: [],
  },
  {
    rule: GUARANTEES,
    what: 'an item without a test and one whose test is gone',
    files: guarantees('- One holder per token.', '- Tokens grow, see `test/a/gone.test.ts`.'),
    caught: ['README.md:3', 'README.md:4'],
  },
  {
    rule: 'documented flags exist',
    what: 'a flag of no command; the child’s own flags are free',
    files: {
      'README.md': 'Run `tenure run --election x --fast -- node --inspect`,\nthen `tenure status --json`.',
      'src/cli/run.ts': `const flags = { election: 1, '--json': 2 };`,
    },
    caught: ['README.md:1'],
  },
  {
    rule: 'each story is run',
    what: 'a story that no test names; a test that lists the folder runs all',
    files: { 'test/scenarios/a.txt': '', 'test/scenarios/b.txt': '', 'test/scenarios/a.test.ts': `run('a.txt');` },
    caught: ['test/scenarios/b.txt:0'],
  },
  {
    rule: 'each story is run',
    what: 'a test that lists the folder',
    files: {
      'test/scenarios/a.txt': '',
      'test/scenarios/all.test.ts': 'for (const file of readdirSync(here)) run(file);',
    },
    caught: [],
  },
];

const placeCases: readonly Planted[] = [
  {
    rule: 'folders have names that say something',
    what: 'a drawer for everything',
    files: { 'src/runtime/utils/sleep.ts': '', 'src/runtime/utils.ts': '' },
    caught: ['src/runtime/utils/sleep.ts:0'],
  },
  {
    rule: 'each folder with source has its map',
    what: 'a folder without README that the one above does not name either',
    files: {
      'src/ports/clock.ts': '',
      'src/cli/main.ts': '',
      'src/cli/watch/row.ts': '',
      'src/cli/README.md': '- `watch/`: the rows',
      'vitest.config.ts': '',
    },
    caught: ['src/ports/README.md:0'],
  },
  {
    rule: MACHINE,
    what: 'a home folder in code and in prose; a URL with such a path is fine',
    files: {
      'src/a.ts': `open('${['', 'home', 'ada', 'x.db'].join('/')}');\nfetch('http://x.test/home/ada');`,
      'README.md': `cd ${['', 'Users', 'ada'].join('/')}`,
    },
    caught: ['src/a.ts:1', 'README.md:1'],
  },
  {
    rule: MACHINE,
    what: 'a registry in configuration',
    files: { '.npmrc': `registry=https://${['registry', 'example', 'com'].join('.')}/` },
    caught: ['.npmrc:1'],
  },
  {
    rule: 'the lock pins versions, not hosts',
    what: 'an address in the lock',
    files: { 'package-lock.json': '{\n  "version": "1.0.0",\n  "resolved": "https://example.com/a.tgz"\n}' },
    caught: ['package-lock.json:3'],
  },
];

const names = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, at) => `name${from + at}`).join(', ');

const faceCases: readonly Planted[] = [
  {
    rule: 'at most 25 runtime exports from tenure',
    what: 'the 26th; types are free',
    files: {
      'src/index.ts': `export { ${names(0, 25)} } from './a.ts';\nexport type { T } from './a.ts';\nexport const z = 1;`,
    },
    caught: ['src/index.ts:0'],
  },
  {
    rule: 'at most 25 runtime exports from tenure',
    what: 'an open door',
    files: { 'src/index.ts': `export { a, type B } from './a.ts';\nexport * from './b.ts';` },
    caught: ['src/index.ts:2'],
  },
];

export const documentCases: readonly Planted[] = [...readmeCases, ...placeCases, ...faceCases];
