import { type Chart, type ChartTransition, candidates } from '../../visualizations/chart.ts';

/**
 * The golden table: one section a leaf state, one row an event, candidates in the order tried. `noted` remembers,
 * `answered` also says something; `stale` is what is left when no guard held.
 */
export function goldenTable(chart: Chart, alphabet: readonly string[]): string {
  const leaves = chart.states.filter((state) => state.type === 'leaf');
  const sections = leaves.map((leaf) => {
    const rows = alphabet.map((event) => `| ${event} | ${outcome(candidates(chart, leaf.path, event))} |`);
    return [`## ${leaf.path}`, '', '| event | outcome |', '|---|---|', ...rows].join('\n');
  });
  const head = `# ${chart.id}: state × event`;
  const note = 'Generated from `machines/`; `UPDATE=1 npx vitest run test/machines/totality.test.ts` writes it again.';
  return `${[head, note, ...sections].join('\n\n')}\n`;
}

function outcome(found: readonly ChartTransition[]): string {
  if (found.length === 0) return '**undeclared**';
  const parts = found.map((one) => `${one.guard === null ? '' : `[${one.guard}] `}${effect(one)}`);
  return found.at(-1)?.guard === null ? parts.join('; ') : [...parts, 'stale'].join('; ');
}

function effect(one: ChartTransition): string {
  if (one.target !== null) return `→ ${one.target}`;
  if (one.does === 'ignored') return one.description === null ? 'ignored' : `ignored: ${one.description}`;
  return one.does === 'notes' ? 'noted' : 'answered';
}
