import type { Chart, ChartState, ChartTransition } from './chart.ts';
import { shorten } from './text.ts';

/** All transitions between one pair of states, drawn as one line with one label. */
export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly label: readonly string[];
  /** `from|event`, as the steps of a recording name them. */
  readonly transitions: readonly string[];
}

const LONGEST = 30;

export function edgesOf(chart: Chart): readonly DrawnEdge[] {
  const pairs = new Map<string, ChartTransition[]>();
  for (const one of chart.transitions) {
    if (one.target === null) continue;
    const key = `${one.from}\0${one.target}`;
    pairs.set(key, [...(pairs.get(key) ?? []), one]);
  }
  return [...pairs.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || first.target === null) return [];
    const label = unique(group.map((one) => labelOf(chart, one)));
    const transitions = unique(group.map((one) => `${one.from}|${one.event}`));
    return [{ from: first.from, to: first.target, label: bounded(label), transitions }];
  });
}

/** The guard is shown only where the event alone does not say which way it goes. */
function labelOf(chart: Chart, one: ChartTransition): string {
  const ways = new Set(
    chart.transitions
      .filter((other) => other.from === one.from && other.event === one.event && other.target !== null)
      .map((other) => other.target),
  );
  const withGuard = ways.size > 1 && one.guard !== null;
  return shorten(withGuard ? `${one.event} [${one.guard}]` : one.event, LONGEST);
}

/** A label is for finding the way; the golden table lists everything. */
function bounded(lines: readonly string[]): readonly string[] {
  return lines.length <= 4 ? lines : [...lines.slice(0, 3), `and ${lines.length - 3} more`];
}

/** What a state takes without moving, in the words of its events. Explicit ignores are not drawn. */
export function marksOf(chart: Chart, state: ChartState): readonly string[] {
  const staying = chart.transitions.filter((one) => one.from === state.path && one.target === null);
  return unique(staying.filter((one) => one.does !== 'ignored').map((one) => `↻ ${one.event}`));
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
