import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { readChart } from '../../visualizations/chart.ts';
import { SUBJECTS } from './all.ts';
import { goldenTable } from './golden.ts';
import { undeclaredPairs, unknownEvents } from './lint.ts';

const folder = fileURLToPath(new URL('golden/', import.meta.url));

function readGolden(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

describe.each(SUBJECTS.map((subject) => [subject.name, subject] as const))('%s', (name, { machine, alphabet }) => {
  it('declares every event of its alphabet in every state', () => {
    expect(undeclaredPairs(machine, alphabet)).toEqual([]);
  });

  it('declares no event that its alphabet does not know', () => {
    expect(unknownEvents(machine, alphabet)).toEqual([]);
  });

  it('does in each state on each event what the golden table says', () => {
    const path = `${folder}${name}.md`;
    const table = goldenTable(readChart(machine), alphabet);
    if (process.env.UPDATE === '1') {
      mkdirSync(folder, { recursive: true });
      writeFileSync(path, table);
    }
    expect(table).toBe(readGolden(path));
  });
});

describe('the totality check', () => {
  const machine = createMachine({
    id: 'sample',
    initial: 'a',
    on: { everywhere: {} },
    states: {
      a: { on: { go: { target: 'b.c' }, typo: {} } },
      b: { initial: 'c', on: { go: {} }, states: { c: { on: { stay: {} } }, d: {} } },
      e: { type: 'final' },
    },
  });

  it('finds each undeclared pair of a leaf, and none in final states', () => {
    expect(undeclaredPairs(machine, ['everywhere', 'go', 'stay'])).toEqual(['a × stay', 'b.d × stay']);
  });

  it('finds an event that is not of the alphabet', () => {
    expect(unknownEvents(machine, ['everywhere', 'go', 'stay'])).toEqual(['typo']);
  });

  it('shows in the golden table what is undeclared, ignored and inherited', () => {
    const table = goldenTable(readChart(machine), ['go', 'stay']);
    expect(table).toContain('## a\n\n| event | outcome |\n|---|---|\n| go | → b.c |\n| stay | **undeclared** |');
    expect(table).toContain('## b.c\n\n| event | outcome |\n|---|---|\n| go | ignored |\n| stay | ignored |');
  });
});
