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

const LONGEST = 22;

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

/** Without its prefix where that is enough; a question mark where a guard decides between several ways. */
function labelOf(chart: Chart, one: ChartTransition): string {
  const moves = chart.transitions.filter((other) => other.from === one.from && other.target !== null);
  const events = unique(moves.map((other) => other.event));
  const short = shortName(one.event);
  const name = events.filter((event) => shortName(event) === short).length > 1 ? one.event : short;
  const ways = unique(moves.filter((other) => other.event === one.event).map((other) => other.target ?? ''));
  return shorten(name, LONGEST) + (ways.length > 1 ? ' ?' : '');
}

function shortName(event: string): string {
  return event.slice(event.indexOf('.') + 1);
}

function prefixOf(event: string): string {
  return event.slice(0, Math.max(0, event.indexOf('.')));
}

/** A label is for finding the way; the golden table lists everything. */
function bounded(lines: readonly string[]): readonly string[] {
  return lines.length <= 4 ? lines : [...lines.slice(0, 3), `and ${lines.length - 3} more`];
}

/**
 * What a state takes without moving, one line for all events of a prefix: `↻ acquire: committed, conflict`. Explicit
 * ignores are not drawn.
 */
export function marksOf(chart: Chart, state: ChartState): readonly string[] {
  const staying = chart.transitions.filter((one) => one.from === state.path && one.target === null);
  const events = unique(staying.filter((one) => one.does !== 'ignored').map((one) => one.event));
  return unique(events.map(prefixOf)).flatMap((prefix) => {
    const family = events.filter((event) => prefixOf(event) === prefix);
    if (prefix === '' || family.length === 1) return family.map((event) => `↻ ${event}`);
    return [`↻ ${prefix}: ${family.map(shortName).join(', ')}`];
  });
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
