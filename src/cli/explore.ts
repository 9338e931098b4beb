import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Search, Told } from '../simulation/explorer/index.ts';
import type { Plant } from '../simulation/explorer/plants/index.ts';
import { type Command, EXIT, type Invocation } from './command.ts';
import { counterexampleLines } from './explore/counterexample.ts';
import {
  type Counts,
  checkedLines,
  cleanLine,
  exploredLine,
  incompleteLines,
  machineLines,
  plantLines,
  progressLine,
  violatedLine,
} from './explore/lines.ts';
import { type ExplorePlan, LIST, planExplore } from './explore/plan.ts';
import { ExplorerRecording } from './explore/recording.ts';
import { reportOf } from './explore/report.ts';
import { searchInTurns } from './explore/searching.ts';
import { Progress } from './progress.ts';

export const explore: Command = {
  name: 'explore',
  sentence: 'Search everything that participants of the shipped machines can do to each other for a broken invariant.',
  usage: 'tenure explore [OPTIONS]',
  examples: [
    ['all of it, in less than a minute', 'tenure explore'],
    ['a planted bug is found, with the shortest way to it', 'tenure explore --plant erase-in-confirm-pending'],
    ['wider, and deeper', 'tenure explore --participants 3 --components 1 --sessions 3 --faults 2'],
  ],
  settings: ['participants', 'components', 'sessions', 'faults', 'plant', 'maxStates'],
  exitCodes: [
    ['0', 'every state was visited, no violation'],
    ['1', 'violated, or bad input'],
    ['2', 'not known: --max-states was reached, or it was interrupted'],
  ],
  run: runExplore,
};

async function runExplore(invocation: Invocation): Promise<number> {
  const { settings, output } = invocation;
  const { plants } = await import('../simulation/explorer/plants/index.ts');
  const plan = planExplore(settings, plants);
  settings.settle();
  if (settings.text('plant') === LIST) return list(plants, invocation);
  const { Search } = await import('../simulation/explorer/index.ts');
  const { planted } = await import('../simulation/explorer/plants/index.ts');
  const { scope, maxStates, plant } = plan;
  const search = new Search({ ...(plant === null ? {} : planted(plant)), scope, maxStates });
  const { counts, wasStopped } = await searched(search, invocation);
  if (search.found !== null) return await violated(search, plan, counts, invocation);
  const isKnown = search.isComplete;
  output.document(reportOf(search, plan, counts, null));
  output.answer(exploredLine(counts, output.screen));
  for (const line of machineLines(search.coverage())) output.answer(line);
  for (const line of checkedLines(isKnown, output.screen)) output.answer(line);
  if (isKnown) output.answer(cleanLine(output.paint));
  else for (const line of incompleteLines(counts, wasStopped, output.paint, output.screen)) output.answer(line);
  if (isKnown && plant !== null) output.talk(`the planted bug ${plant.name} does not show in this scope`);
  return isKnown ? EXIT.yes : EXIT.notKnown;
}

function list(plants: readonly Plant[], { output }: Invocation): number {
  output.document(plants.map(({ name, breaks, summary, scope, steps }) => ({ name, breaks, summary, scope, steps })));
  for (const line of plantLines(plants, output.screen)) output.answer(line);
  return EXIT.yes;
}

/** Ends early when the user has seen enough. */
async function searched(search: Search, { output, world }: Invocation) {
  const { clock, signals } = world;
  const beganMs = clock.nowMs();
  const counts = (): Counts => {
    const { states, frontier, depth } = search;
    return { states, frontier, depth, elapsedMs: clock.nowMs() - beganMs, memoryBytes: process.memoryUsage().rss };
  };
  const progress = new Progress(output, clock);
  let wasStopped = false;
  const stopListening = signals.on(['SIGINT', 'SIGTERM'], () => {
    wasStopped = true;
  });
  try {
    const onTurn = () => progress.show(() => progressLine(counts()));
    await searchInTurns(search, clock, () => wasStopped, onTurn);
  } finally {
    stopListening();
    progress.end();
  }
  return { counts: counts(), wasStopped };
}

async function violated(search: Search, plan: ExplorePlan, counts: Counts, invocation: Invocation): Promise<number> {
  const { output } = invocation;
  const { found } = search;
  if (found === null) return EXIT.yes;
  const { tell } = await import('../simulation/explorer/index.ts');
  const told = tell(search, found.state);
  const recording = record(told, plan, [found.invariant, found.detail], invocation);
  output.document(reportOf(search, plan, counts, { found, told, recording: recording.file }));
  output.answer(violatedLine(found, told.length, counts, output.paint));
  output.answer(`    ${found.detail}`);
  for (const line of counterexampleLines(told, output.paint, output.screen)) output.answer(line);
  if (recording.file === null) output.talk(`the counterexample could not be recorded (${recording.why})`);
  else {
    output.answer(`  Recorded: ${recording.file}`);
    output.answer(`  Test: tenure generate-tests --out DIR --from ${recording.file}`);
  }
  return EXIT.no;
}

type Recorded = { readonly file: string; readonly why: '' } | { readonly file: null; readonly why: string };

function record(
  told: readonly Told[],
  { name, plant }: ExplorePlan,
  broken: readonly [string, string],
  { world }: Invocation,
): Recorded {
  const file = join('.tenure', 'explore', `${name}.jsonl`);
  const title = plant === null ? `explored ${name}` : `planted bug ${name}: ${plant.summary}`;
  const lines = ExplorerRecording.of(title, told, broken);
  const target = resolve(world.cwd, file);
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  } catch (error) {
    return { file: null, why: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
  }
  return { file, why: '' };
}
