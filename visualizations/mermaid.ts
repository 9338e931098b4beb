import type { Chart, ChartState, ChartTransition } from './chart.ts';

/** Mermaid's `stateDiagram-v2`: complete and greppable where the drawing is selective. */
export function toMermaid(chart: Chart): string {
  const lines = ['stateDiagram-v2', '  direction TB', ...body(chart.root, '  ')];
  const moves = chart.transitions.filter((one) => one.target !== null);
  for (const one of moves.filter((move) => move.from !== '')) lines.push(`  ${arrow(one.from, one)}`);
  // A transition of the root leaves from everywhere; Mermaid has no word for that but one arrow for each state.
  for (const one of moves.filter((move) => move.from === '')) {
    for (const state of chart.root.children) if (state.type !== 'final') lines.push(`  ${arrow(state.path, one)}`);
  }
  for (const state of [chart.root, ...chart.states]) lines.push(...notes(chart, state));
  return `${lines.join('\n')}\n`;
}

/** Mermaid's identifiers take neither dots nor dashes. */
function identifier(path: string): string {
  return path.replace(/[.-]/g, '_');
}

function body(state: ChartState, indent: string): readonly string[] {
  const initial = state.initial === null ? [] : [`${indent}[*] --> ${identifier(state.initial)}`];
  const children = state.children.flatMap((child) => {
    const name = `${indent}state "${child.key}" as ${identifier(child.path)}`;
    if (child.type === 'final') return [name, `${indent}${identifier(child.path)} --> [*]`];
    if (child.children.length === 0) return [name];
    return [`${name} {`, ...body(child, `${indent}  `), `${indent}}`];
  });
  return [...initial, ...children];
}

function arrow(from: string, one: ChartTransition): string {
  return `${identifier(from)} --> ${identifier(one.target ?? '')} : ${describe(one)}`;
}

function describe(one: ChartTransition): string {
  return one.guard === null ? one.event : `${one.event} [${one.guard}]`;
}

/** What a state takes without moving; explicit ignores stay in the golden tables. */
function notes(chart: Chart, state: ChartState): readonly string[] {
  const staying = chart.transitions.filter(
    (one) => one.from === state.path && one.target === null && one.does !== 'ignored',
  );
  const first = chart.root.children[0];
  if (staying.length === 0 || first === undefined) return [];
  const where =
    state.path === '' ? `note left of ${identifier(first.path)}` : `note right of ${identifier(state.path)}`;
  const head = state.path === '' ? ['    in every state'] : [];
  return [`  ${where}`, ...head, ...staying.map((one) => `    stays on ${describe(one)}`), '  end note'];
}
