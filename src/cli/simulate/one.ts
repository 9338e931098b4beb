import type { Schedule } from '../../simulation/simulator/minimise.ts';
import { EXIT, type Invocation } from '../command.ts';
import { sinceStart } from '../text/durations.ts';
import { GLYPHS } from '../text/glyphs.ts';
import { wrap } from '../text/wrap.ts';
import { faultLines } from './lines.ts';
import { parameterLines, phaseLines } from './parameters.ts';

/** One schedule, run as it is: what it is made of, its phases, its verdict, and its trace where asked for. */
export async function simulateOne(schedule: Schedule, name: string, invocation: Invocation): Promise<number> {
  const { settings, output } = invocation;
  const { replay } = await import('../../simulation/simulator/simulate.ts');
  const { runTwice } = await import('../../simulation/simulator/twice.ts');
  const { violations, digest } = await runTwice(schedule);
  const { run, trace, story } = await replay(schedule);
  const shown = settings.on('trace') ? trace : [];
  const { failovers, recoveryMs, calmAtMs, endedAtMs } = run;
  const counts = Object.fromEntries(run.counts);
  output.document({
    ...schedule,
    failovers,
    recoveryMs,
    calmAtMs,
    endedAtMs,
    counts,
    violations,
    digest: String(digest),
    ...(settings.on('trace') ? { trace } : {}),
  });
  output.answer(name);
  for (const line of parameterLines(schedule.parameters, schedule.actions.length, output.screen)) output.answer(line);
  output.answer('');
  for (const line of shown) output.answer(line);
  if (shown.length > 0) output.answer('');
  for (const line of phaseLines(run)) output.answer(line);
  for (const line of faultLines(counts, output.screen)) output.answer(line);
  if (violations.length === 0) {
    const text = `${GLYPHS.passed} 0 violations`;
    output.answer(`  ${output.paint('good', text)}; two runs, identical traces (${digest})`);
    return EXIT.yes;
  }
  const width = output.screen === null ? 10_000 : output.screen - 4;
  for (const { invariant, detail, atMs } of violations) {
    const when = atMs === null ? '' : ` at ${sinceStart(atMs)}`;
    output.answer(`  ${output.paint('bad', `${GLYPHS.lost} ${invariant} violated`)}${when}`);
    for (const line of wrap(detail, width)) output.answer(`    ${line}`);
  }
  if (shown.length > 0) return EXIT.no;
  for (const line of story) output.answer(`    ${line}`);
  return EXIT.no;
}
