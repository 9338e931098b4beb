import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { readChart } from '../../visualizations/chart.ts';
import { drawings, filesOf } from '../../visualizations/diagrams.ts';
import { edgesOf } from '../../visualizations/edges.ts';
import { layOut } from '../../visualizations/layout.ts';
import { toMermaid } from '../../visualizations/mermaid.ts';
import { toSvg } from '../../visualizations/svg.ts';
import { clashes } from './clashes.ts';

const folder = fileURLToPath(new URL('../../visualizations/', import.meta.url));
const all = await drawings();
const drawn = filesOf(all);

describe('the committed diagrams', () => {
  it.each([...drawn])('%s is what machines/ says; `npm run diagrams` draws it again', (name, text) => {
    expect(readFileSync(`${folder}${name}`, 'utf8') === text, `visualizations/${name} is out of date`).toBe(true);
  });

  it('are those of the machines, no more', () => {
    const files = readdirSync(folder).filter((name) => /\.(?:svg|mmd)$/.test(name));
    expect(files.sort()).toEqual([...drawn.keys()].sort());
  });

  it('are shown in the README of their folder', () => {
    const readme = readFileSync(`${folder}README.md`, 'utf8');
    expect([...drawn.keys()].filter((name) => !readme.includes(`(${name})`))).toEqual([]);
  });
});

describe.each(all.map((drawing) => [drawing.name, drawing] as const))('the drawing of %s', (_, { chart, geometry }) => {
  it('has a place for each state and each move', () => {
    expect(geometry.states.filter((placed) => placed.w === 0).map((placed) => placed.state.path)).toEqual([]);
    const placed = geometry.edges.filter((line) => line.edge !== null && line.points.length > 1);
    expect(placed).toHaveLength(edgesOf(chart).length);
  });

  it('has nothing that lies on anything else', () => {
    expect(clashes(geometry)).toEqual([]);
  });

  it('can be read at 1200 pixels', () => {
    expect(geometry.width).toBeLessThanOrEqual(1200);
  });
});

describe('a drawing', () => {
  const guards = { isA: (): boolean => true };
  const machine = createMachine({
    id: 'sample',
    initial: 'a',
    on: { 'lock.lost': { target: '.end' }, 'note.this': { actions: () => undefined } },
    states: {
      a: { on: { 'go.on': [{ guard: guards.isA, target: 'b' }, { target: 'end' }], forget: {} } },
      b: { initial: 'c', on: { back: 'a' }, states: { c: {}, d: {} } },
      end: { type: 'final' },
    },
  });
  const chart = readChart(machine);

  it('joins the moves between two states and asks where a guard decides', () => {
    expect(edgesOf(chart).map((edge) => [edge.from, edge.to, edge.label])).toEqual([
      ['', 'end', ['lost']],
      ['a', 'b', ['on ?']],
      ['a', 'end', ['on ?']],
      ['b', 'a', ['back']],
    ]);
  });

  it('names states and moves, so that a page can light them', async () => {
    const svg = toSvg(chart, await layOut(chart));
    expect(svg).toContain('data-state="b.c"');
    expect(svg).toContain('data-edges="a|go.on"');
    expect(svg).toContain('from every state');
    expect(svg).not.toContain('forget');
  });

  it('is complete in Mermaid, guards included', () => {
    const mermaid = toMermaid(chart);
    expect(mermaid).toContain('  a --> b : go.on [isA]\n  a --> end : go.on\n');
    expect(mermaid).toContain('  b --> end : lock.lost\n');
    expect(mermaid).toContain('    in every state\n    stays on note.this\n');
    expect(mermaid).toContain('state "b" as b {\n    [*] --> b_c\n');
  });
});
