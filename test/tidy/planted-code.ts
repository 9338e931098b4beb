import type { Planted } from './planted.ts';

const TIME = 'time and chance come in through src/drivers/system only';
const FUNCTIONS = 'no function is longer than 70 lines';
const REMARKS = 'no remark is left for later';
const TYPES = 'no type is switched off';
const OFF = 'no test is switched off without its reason';

const lines = (count: number): string => 'void 0;\n'.repeat(count);

const timeCases: readonly Planted[] = [
  {
    rule: TIME,
    what: 'clocks and timers; orders of work and pure conversions are free',
    files: {
      'src/runtime/a.ts': [
        'const a = Date.now();',
        'const b = new Date();',
        'setTimeout(() => {}, 1);',
        'const c = performance.now() + globalThis.setInterval(() => {}, 1);',
        'AbortSignal.timeout(1); process.hrtime.bigint();',
        'queueMicrotask(() => {}); process.nextTick(() => {}); new Date(5).toISOString(); Date.parse("x");',
        'const clock: { setTimeout(): void; performance: Date } = { setTimeout() {}, performance: b }; clock.setTimeout();',
      ].join('\n'),
    },
    caught: [1, 2, 3, 4, 4, 5, 5].map((line) => `src/runtime/a.ts:${line}`),
  },
  {
    rule: TIME,
    what: 'chance; hashes are free',
    files: {
      'src/runtime/a.ts': [
        `import { createHash, randomUUID } from 'node:crypto';`,
        'const a = Math.random() + Math.max(1, 2);',
        'const b = crypto.randomUUID() + crypto.createHash("sha256");',
      ].join('\n'),
    },
    caught: ['src/runtime/a.ts:1', 'src/runtime/a.ts:2', 'src/runtime/a.ts:3'],
  },
  {
    rule: TIME,
    what: 'sleeping in a test that has no real process; a server test may wait',
    files: {
      'test/runtime/a.test.ts': `import { setTimeout } from 'node:timers/promises';`,
      'test/servers/a.test.ts': `import { setTimeout } from 'node:timers/promises';`,
      'src/drivers/system/clock.ts': 'export const now = () => Date.now();',
    },
    caught: ['test/runtime/a.test.ts:1', 'test/runtime/a.test.ts:1'],
  },
  {
    rule: TIME,
    what: 'any Date at all in a machine',
    files: { 'machines/lease.ts': 'const until = Date.parse("2026-01-01");' },
    caught: ['machines/lease.ts:1'],
  },
];

const purityCases: readonly Planted[] = [
  {
    rule: 'machines assign and emit, nothing else',
    what: 'what the lint of machines cannot see inside enqueueActions',
    files: {
      'machines/a.ts': [
        'm.enqueueActions(({ enqueue }) => { enqueue.emit({}); enqueue.assign({}); });',
        'm.enqueueActions(({ enqueue }) => enqueue(() => fetch(url)));',
        'm.enqueueActions(({ enqueue: { sendTo } }) => sendTo("a", {}));',
      ].join('\n'),
      'src/runtime/a.ts': 'actor.sendTo(x);',
    },
    caught: ['machines/a.ts:2', 'machines/a.ts:3', 'machines/a.ts:3'],
  },
];

const lengthCases: readonly Planted[] = [
  {
    rule: 'no file is longer than 400 lines',
    what: 'line 401',
    files: { 'src/a.ts': lines(401), 'src/b.ts': lines(400), 'visualizations/a.svg': lines(900) },
    caught: ['src/a.ts:0'],
  },
  {
    rule: 'the median file has at most 130 lines',
    what: 'two of three files above it, told at the longest',
    files: { 'src/a.ts': lines(1), 'src/b.ts': lines(131), 'src/c.ts': lines(200) },
    caught: ['src/c.ts:0'],
  },
  {
    rule: FUNCTIONS,
    what: 'a method of 71 lines; one of 70 is fine',
    files: { 'src/a.ts': `class A {\n  b() {\n${lines(69)}}\n  c() {\n${lines(68)}}\n}` },
    caught: ['src/a.ts:2'],
  },
  {
    rule: FUNCTIONS,
    what: 'one long test; the describe around many short ones is fine',
    files: { 'test/a.test.ts': `describe('a', () => {\n${`it('b', () => {\n${lines(40)}});\n`.repeat(3)}});` },
    caught: [],
  },
  {
    rule: FUNCTIONS,
    what: 'a test of 80 lines',
    files: { 'test/a.test.ts': `describe('a', () => {\nit('b', () => {\n${lines(78)}});\n});` },
    caught: ['test/a.test.ts:2'],
  },
];

const leftoverCases: readonly Planted[] = [
  {
    rule: REMARKS,
    what: 'in a comment of code and anywhere else; a string is no remark',
    files: {
      'src/a.ts': `const a = 'TO${'DO'}';\nfoo(/* FIX${'ME'} later */ 1);\n/** X${'XX'} */\nconst b = \`// TO${'DO'}\`;`,
      'README.md': `Fine.\nTO${'DO'}: write this.`,
    },
    caught: ['src/a.ts:2', 'src/a.ts:3', 'README.md:2'],
  },
  {
    rule: TYPES,
    what: 'any and silenced lines; an expected error with its reason is fine',
    files: {
      'src/a.ts': `let a: any;\n// @ts-${'ignore'}\na = b as any;\n// @ts-${'expect-error'}\n// @ts-${'expect-error'}: xstate hides it\n'any';`,
    },
    caught: [1, 3, 2, 4].map((line) => `src/a.ts:${line}`),
  },
  {
    rule: OFF,
    what: 'a chosen test, a skipped one, and a skipped one that says why',
    files: {
      'test/a.test.ts': [
        `it.only('a', () => {});`,
        `describe.skip('b', () => {});`,
        '// Node 20 has no node:sqlite.',
        `it.skipIf(old)('c', () => {});`,
        `it.each([1]).todo('d');`,
        'list.skip(1); map.only = 1;',
      ].join('\n'),
    },
    caught: [1, 2, 5].map((line) => `test/a.test.ts:${line}`),
  },
];

export const codeCases: readonly Planted[] = [...timeCases, ...purityCases, ...lengthCases, ...leftoverCases];
