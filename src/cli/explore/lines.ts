import type { Coverage, Found } from '../../simulation/explorer/index.ts';
import type { Plant } from '../../simulation/explorer/plants/index.ts';
import { withCode } from '../output.ts';
import { bar } from '../text/bar.ts';
import { columns } from '../text/columns.ts';
import { GLYPHS } from '../text/glyphs.ts';
import { bytesText, grouped, percent } from '../text/numbers.ts';
import type { Paint } from '../text/paint.ts';
import { wrap } from '../text/wrap.ts';

/** How far a search has come. */
export interface Counts {
  readonly states: number;
  /** Known, and not yet looked at. */
  readonly frontier: number;
  readonly depth: number;
  readonly elapsedMs: number;
  readonly memoryBytes: number;
}

/** The invariants that are asked in every state, by what is explored; I5 and I10 concern what is not in this world. */
const CHECKED = 'I1, I2, I3, I4, I6, I7, I8, I9';
const LIVENESS = 'from every state a course without faults ends with one leader and every confirmed entry stored';

const LABEL = 10;
/** Widths of the bar, so that its line fits on the screen. */
const [NARROW, WIDE, WIDE_SCREEN] = [10, 20, 100];
const labelled = (label: string, text: string): string => `  ${label.padEnd(LABEL)}${text}`;

const share = ({ states, frontier }: Counts): number => (states - frontier) / states;
export const perSecond = ({ states, elapsedMs }: Counts): number => (states * 1_000) / Math.max(1, elapsedMs);
const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

export function progressLine(counts: Counts): string {
  const { states, frontier, depth } = counts;
  const rate = `${grouped(perSecond(counts))} states/s`;
  return `${grouped(states)} states  ${bar(share(counts), NARROW)} ${grouped(frontier)} to look at  depth ${depth}  ${rate}`;
}

export function exploredLine(counts: Counts, screen: number | null): string {
  const width = screen === null || screen >= WIDE_SCREEN ? WIDE : NARROW;
  const parts = [
    `${grouped(counts.states)} states  ${bar(share(counts), width)} ${percent(share(counts))}`,
    `${grouped(perSecond(counts))} states/s`,
    seconds(counts.elapsedMs),
    bytesText(counts.memoryBytes),
  ];
  return labelled('explored', parts.join('   '));
}

export function machineLines(coverage: readonly Coverage[]): string[] {
  const of = ([covered, total]: readonly [number, number], what: string) => ({
    text: `${grouped(covered)}/${grouped(total)} ${what}`,
  });
  const rows = coverage.map(({ machine, states, transitions, pairs }) => [
    { text: machine },
    of(states, 'states'),
    of(transitions, 'transitions'),
    of(pairs, 'pairs'),
  ]);
  return columns(rows, { screen: null }).map((row, at) => labelled(at === 0 ? 'machines' : '', row));
}

export function checkedLines(isComplete: boolean, screen: number | null): string[] {
  const text = `${CHECKED} in every state; ${isComplete ? LIVENESS : 'liveness not: that needs all states'}`;
  const lines = screen === null ? [text] : wrap(text, Math.max(30, screen - LABEL - 2));
  return lines.map((line, at) => labelled(at === 0 ? 'checked' : '', line));
}

export const cleanLine = (paint: Paint): string => `  ${paint('good', `${GLYPHS.passed} no violation`)}`;

/** Why a search without a violation is no answer. */
export function incompleteLines(counts: Counts, wasStopped: boolean, paint: Paint, screen: number | null): string[] {
  const left = `${grouped(counts.frontier)} of ${grouped(counts.states)} known states not looked at`;
  const next = wasStopped ? 'ended by you' : 'a larger --max-states goes on';
  const line = `  ${GLYPHS.finding} not known: ${left}; ${next}`;
  const [first = '', ...others] = withCode([line], wasStopped ? 'interrupted' : 'max-states', screen ?? undefined);
  return [paint('pending', first), ...others];
}

export function violatedLine(found: Found, steps: number, counts: Counts, paint: Paint): string {
  const what = `${GLYPHS.lost} ${found.invariant} violated after ${steps} ${steps === 1 ? 'step' : 'steps'} (shortest)`;
  const numbers = `states ${grouped(counts.states)}   ${seconds(counts.elapsedMs)}`;
  return `  ${paint('bad', what)}   ${paint('dim', numbers)}`;
}

export function plantLines(plants: readonly Plant[], screen: number | null): string[] {
  const names = Math.max(...plants.map(({ name }) => name.length));
  const breaks = Math.max(...plants.map((plant) => plant.breaks.length));
  const indent = names + breaks + 6;
  const rows = plants.map((plant) => {
    const words = screen === null ? [plant.summary] : wrap(plant.summary, Math.max(30, screen - indent));
    const [first = '', ...others] = words;
    const head = `  ${plant.name.padEnd(names)}  ${plant.breaks.padEnd(breaks)}  ${first}`;
    return [head, ...others.map((line) => ' '.repeat(indent) + line)];
  });
  return rows.flat();
}
