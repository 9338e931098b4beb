import type { Planted } from './planted.ts';

const LAYERS = 'imports go downward only';
const DRIVERS = 'no driver imports another, and the runtime only lazily';
const PACKAGES = 'packages are imported where they belong, client libraries lazily';
const CYCLES = 'imports form no cycle';

function one(file: string, text: string): Readonly<Record<string, string>> {
  return { [file]: text };
}

export const importCases: readonly Planted[] = [
  {
    rule: LAYERS,
    what: 'a machine that knows an error',
    files: one('machines/lease.ts', `import type { ErrorCode } from '../src/errors.ts';`),
    caught: ['machines/lease.ts:1'],
  },
  {
    rule: LAYERS,
    what: 'a port that runs code of a machine; its types are fine',
    files: one(
      'src/ports/container.ts',
      `import type { Fence } from '../../machines/vocabulary.ts';\nimport { backOffMs } from '../../machines/vocabulary.ts';`,
    ),
    caught: ['src/ports/container.ts:2'],
  },
  {
    rule: LAYERS,
    what: 'a driver that knows the runtime, even by type',
    files: one('src/drivers/memory/index.ts', `import type { Tenure } from '../../runtime/api.ts';`),
    caught: ['src/drivers/memory/index.ts:1'],
  },
  {
    rule: LAYERS,
    what: 'a runtime that re-exports from the command line',
    files: one('src/runtime/open.ts', `export { main } from '../cli/main.ts';`),
    caught: ['src/runtime/open.ts:1'],
  },
  {
    rule: LAYERS,
    what: 'shipped code that needs a test file',
    files: one('src/cli/demo.ts', `const { steps } = await import('../../test/cli/steps.ts');`),
    caught: ['src/cli/demo.ts:1'],
  },
  {
    rule: LAYERS,
    what: 'an example that reaches into the command line; a test may',
    files: {
      'examples/run.ts': `import { main } from '../src/cli/main.ts';`,
      'test/cli/run.test.ts': `import { main } from '../../src/cli/main.ts';`,
    },
    caught: ['examples/run.ts:1'],
  },
  {
    rule: LAYERS,
    what: 'a layer nobody has placed yet',
    files: one('src/plugins/index.ts', 'export const plugins = [];'),
    caught: ['src/plugins/index.ts:0'],
  },
  {
    rule: DRIVERS,
    what: 'a driver that calls another; its types are fine',
    files: one(
      'src/drivers/single-master/index.ts',
      `import type { Memory } from '../memory/index.ts';\nimport { memory } from '../memory/index.ts';`,
    ),
    caught: ['src/drivers/single-master/index.ts:2'],
  },
  {
    rule: DRIVERS,
    what: 'a runtime that loads every backend at once',
    files: {
      'src/runtime/backends.ts': `const sqlite = () => import('../drivers/sqlite/index.ts');`,
      'src/runtime/open.ts': `import { memory } from '../drivers/memory/index.ts';`,
    },
    caught: ['src/runtime/open.ts:1'],
  },
  {
    rule: DRIVERS,
    what: 'a second door from the runtime to backends, and one to the system clock',
    files: {
      'src/runtime/a.ts': `const a = () => import('../drivers/sqlite/index.ts');\nimport '../drivers/system/clock.ts';`,
      'src/runtime/b.ts': `const b = () => import('../drivers/memory/index.ts');\nimport '../drivers/system/clock.ts';`,
    },
    caught: ['src/runtime/b.ts:1', 'src/runtime/b.ts:2'],
  },
  {
    rule: PACKAGES,
    what: 'a machine with anything but xstate',
    files: one('machines/lease.ts', `import { assign } from 'xstate';\nimport { map } from 'rxjs';\nimport 'node:fs';`),
    caught: ['machines/lease.ts:2', 'machines/lease.ts:3'],
  },
  {
    rule: PACKAGES,
    what: 'a client library outside its driver, even lazily or by type',
    files: one('src/cli/doctor.ts', `import type D from 'libsql';\nconst sqlite = await import('node:sqlite');`),
    caught: ['src/cli/doctor.ts:1', 'src/cli/doctor.ts:2'],
  },
  {
    rule: PACKAGES,
    what: 'a client library that is loaded before it is known to be there',
    files: one(
      'src/drivers/sqlite/open.ts',
      `import type Database from 'libsql';\nimport { DatabaseSync } from 'node:sqlite';\nconst l = require('libsql');`,
    ),
    caught: ['src/drivers/sqlite/open.ts:2'],
  },
  {
    rule: PACKAGES,
    what: 'a development dependency in shipped code',
    files: one('src/runtime/open.ts', `import { layout } from 'elkjs/lib/elk.bundled.js';`),
    caught: ['src/runtime/open.ts:1'],
  },
  {
    rule: CYCLES,
    what: 'three files in a ring, types included; import() may close one, and a type among tests',
    files: {
      'src/ports/a.ts': `import { b } from './b.ts';`,
      'src/ports/b.ts': `import type { C } from './c.ts';`,
      'src/ports/c.ts': `export * from './a.ts';`,
      'src/ports/d.ts': `import { e } from './e.ts';`,
      'src/ports/e.ts': `const d = () => import('./d.ts');`,
      'test/cli/a.ts': `import { b } from './b.ts';`,
      'test/cli/b.ts': `import type { A } from './a.ts';`,
    },
    caught: ['src/ports/a.ts:0'],
  },
];
