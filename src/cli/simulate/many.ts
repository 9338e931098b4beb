import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { SimulationFailure, SimulationReport } from '../../simulation/index.ts';
import { EXIT, type Invocation } from '../command.ts';
import { Progress } from '../progress.ts';
import {
  failoversPerSecond,
  failureLines,
  faultLines,
  incompleteLine,
  progressLine,
  seedsLine,
  verdictLine,
} from './lines.ts';

/** Runs a range of seeds and tells what they did. */
export async function simulateMany(first: number, seeds: number, invocation: Invocation): Promise<number> {
  const { output, world } = invocation;
  const { clock } = world;
  const { simulate } = await import('../../simulation/simulator/simulate.ts');
  const beganMs = clock.nowMs();
  const progress = new Progress(output, clock);
  const interrupted = new AbortController();
  const stopListening = world.signals.on(['SIGINT', 'SIGTERM'], () => interrupted.abort());
  let report: SimulationReport;
  try {
    report = await simulate({
      seed: first,
      seeds,
      signal: interrupted.signal,
      onProgress: async (state) => {
        progress.show(() => progressLine(state, clock.nowMs() - beganMs));
        // Signals and the screen have their turn.
        await new Promise<void>((go) => clock.setTimer(0, go));
      },
    });
  } finally {
    stopListening();
    progress.end();
  }
  return tell(report, { first, seeds, elapsedMs: clock.nowMs() - beganMs }, invocation);
}

export interface Asked {
  readonly first: number;
  readonly seeds: number;
  readonly elapsedMs: number;
}

function tell(report: SimulationReport, asked: Asked, invocation: Invocation): number {
  const { output } = invocation;
  const [failure] = report.failures;
  const isComplete = report.seeds === asked.seeds;
  const kept = failure === undefined ? null : keep(failure, invocation);
  output.document(documentOf(report, asked, kept));
  output.answer(seedsLine(report, asked, output.screen));
  for (const line of faultLines(report.counts, output.screen)) output.answer(line);
  if (failure !== undefined) {
    for (const line of failureLines(failure, output.paint, output.screen)) output.answer(line);
    output.answer(`  Replay: tenure simulate --seed ${failure.seed} --trace`);
    if (kept?.file !== undefined) output.answer(`  The smallest: tenure simulate --schedule ${kept.file} --trace`);
    return EXIT.no;
  }
  if (isComplete) output.answer(verdictLine(report, output.paint));
  else output.answer(incompleteLine(report, asked.seeds, output.paint));
  return isComplete ? EXIT.yes : EXIT.notKnown;
}

/** Writes the schedule of a failure where it can be run again from. */
export function keep({ seed, schedule }: SimulationFailure, { world, output }: Invocation): { readonly file?: string } {
  const file = join('.tenure', 'simulate', `seed-${seed}.json`);
  const target = resolve(world.cwd, file);
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, schedule);
    return { file };
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    output.talk(`the schedule could not be written to ${file} (${why})`);
    return {};
  }
}

function documentOf(report: SimulationReport, asked: Asked, kept: { readonly file?: string } | null): unknown {
  return {
    seed: asked.first,
    seeds: report.seeds,
    asked: asked.seeds,
    failovers: report.failovers,
    failoversPerSecond: Math.round(failoversPerSecond(report.failovers, asked.elapsedMs)),
    elapsedMs: Math.round(asked.elapsedMs),
    counts: report.counts,
    slowest: report.slowest,
    failures: report.failures.map((failure) => ({ ...failure, schedule: kept?.file ?? null })),
  };
}
