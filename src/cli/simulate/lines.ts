import type { SimulationFailure, SimulationProgress, SimulationReport } from '../../simulation/index.ts';
import { bar } from '../text/bar.ts';
import { sinceStart, span } from '../text/durations.ts';
import { GLYPHS } from '../text/glyphs.ts';
import { grouped, percent } from '../text/numbers.ts';
import type { Paint } from '../text/paint.ts';
import { wrap } from '../text/wrap.ts';

/** Each seed is run so often. */
const RUNS = 2;
const LABEL = 13;
const [NARROW, WIDE, WIDE_SCREEN] = [10, 20, 100];
const labelled = (label: string, text: string): string => `  ${label.padEnd(LABEL)}${text}`;

/** What is counted, in the words of the faults line. News of all kinds are one. */
const COUNTED: readonly (readonly [words: string, ...counts: string[]])[] = [
  ['crashes', 'crash'],
  ['pauses', 'pause'],
  ['machine sleeps', 'sleep'],
  ['partitions', 'partition'],
  ['server outages', 'outage'],
  ['lost requests', 'drop'],
  ['lost replies', 'lose-answer'],
  ['late requests', 'delay'],
  ['late replies', 'slow-answer'],
  ['refusals', 'refuse', 'too-large'],
  ['unknown outcomes', 'unknown'],
  ['news lost or late', 'news drop', 'news repeat', 'news late', 'news overtaken'],
  ['clock jumps', 'clock'],
  ['step-downs', 'step-down'],
  ['leaves', 'leave'],
  ['closes', 'close'],
  ['erased by hand', 'erase'],
  ['bad manners', 'manners'],
];

export function failoversPerSecond(failovers: number, elapsedMs: number): number {
  return (RUNS * failovers * 1_000) / Math.max(1, elapsedMs);
}

export function progressLine({ seedsDone, seeds, failovers }: SimulationProgress, elapsedMs: number): string {
  const share = seedsDone / seeds;
  const left = (elapsedMs / seedsDone) * (seeds - seedsDone);
  const rate = `${grouped(failoversPerSecond(failovers, elapsedMs))} fail-overs/s`;
  return `${grouped(seedsDone)} of ${grouped(seeds)} seeds  ${bar(share, NARROW)} ${percent(share)}  ${rate}  ${span(left)} left`;
}

/** The head line of an answer; `seeds` is how many were asked for. */
export function seedsLine(
  report: SimulationReport,
  { first, seeds, elapsedMs }: { readonly first: number; readonly seeds: number; readonly elapsedMs: number },
  screen: number | null,
): string {
  const share = report.seeds / seeds;
  const width = screen === null || screen >= WIDE_SCREEN ? WIDE : NARROW;
  const label = `seed ${first}${seeds === 1 ? '' : `…${first + seeds - 1}`}`;
  const parts = [
    `${bar(share, width)} ${percent(share)}`,
    `${grouped(failoversPerSecond(report.failovers, elapsedMs))} fail-overs/s`,
    'each seed run twice, identical traces',
  ];
  const isSame = report.failures.every(({ invariant }) => invariant !== 'same-twice');
  return labelled(`${label}  `, (isSame ? parts : parts.slice(0, 2)).join('   '));
}

export function faultLines(counts: SimulationReport['counts'], screen: number | null): string[] {
  const told = COUNTED.flatMap(([words, ...names]) => {
    const count = names.reduce((sum, name) => sum + (counts[name] ?? 0), 0);
    return count === 0 ? [] : [`${words} ${grouped(count)}`];
  });
  const text = told.length === 0 ? 'none' : told.join('  ');
  const lines = wrapped(told.length === 0 ? [text] : told, screen);
  return lines.map((line, at) => labelled(at === 0 ? 'faults' : '', line));
}

/** Two spaces between, and no break inside of one of them. */
function wrapped(parts: readonly string[], screen: number | null): string[] {
  const width = (screen ?? 120) - LABEL - 2;
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 2 + part.length <= width) lines[lines.length - 1] = `${last}  ${part}`;
    else lines.push(part);
  }
  return lines;
}

export function verdictLine(report: SimulationReport, paint: Paint): string {
  const { slowest } = report;
  const recovery =
    slowest === null
      ? ''
      : `; slowest recovery ${span(slowest.recoveryMs)} after the last fault (seed ${slowest.seed})`;
  return `  ${paint('good', `${GLYPHS.passed} 0 violations`)}${recovery}`;
}

export function incompleteLine(report: SimulationReport, seeds: number, paint: Paint): string {
  return `  ${paint('pending', `${GLYPHS.finding} ended by you after ${report.seeds} of ${seeds} seeds`)}; no violation until then`;
}

export function failureLines(failure: SimulationFailure, paint: Paint, screen: number | null): string[] {
  const { seed, invariant, detail, actions, story, violations } = failure;
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more that followed)` : '';
  const width = screen === null ? 10_000 : screen - 4;
  return [
    `  ${paint('bad', `${GLYPHS.lost} ${invariant} violated by seed ${seed}`)}${more}`,
    ...wrap(detail, width).map((line) => `    ${line}`),
    `    what happens in the smallest schedule that fails in this way:`,
    ...(actions.length === 0 ? ['      nothing at all'] : actions.map((action) => `      ${actionLine(action)}`)),
    '    how it comes to it:',
    ...story.map((line) => `      ${line}`),
  ];
}

function actionLine(action: SimulationFailure['actions'][number]): string {
  const { atMs, do: what, ...rest } = action;
  const fields = Object.entries(rest).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  return `${sinceStart(atMs)}  ${[what, ...fields].join('  ')}`;
}
