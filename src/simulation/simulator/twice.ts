import type { Violation } from './book.ts';
import type { Run, RunOptions } from './run.ts';
import { runOnce } from './run.ts';

/** Runs a schedule twice. Where the traces differ, something of the run was not decided by its seed: a violation too. */
export async function runTwice(options: RunOptions): Promise<Run> {
  const first = await runOnce(options);
  const second = await runOnce(options);
  const at = first.digest.firstDifference(second.digest);
  if (at === null) return first;
  return { ...first, violations: [...first.violations, await difference(options, at)] };
}

/** The text of the first line in which two runs differ. The text is kept only in runs made for it. */
async function difference(options: RunOptions, at: number): Promise<Violation> {
  const first = await runOnce({ ...options, keepsEntries: true });
  const second = await runOnce({ ...options, keepsEntries: true });
  const differing = first.lines.findIndex((line, index) => line !== second.lines[index]);
  const line = differing < 0 ? at : differing;
  const detail =
    differing < 0 && first.lines.length === second.lines.length
      ? `two runs differ from line ${at + 1} on, and two more did not: ${first.lines[at] ?? 'the end'}`
      : `line ${line + 1} is "${first.lines[line] ?? 'the end'}" in one run and "${second.lines[line] ?? 'the end'}" in the other`;
  return { invariant: 'same-twice', detail, atMs: null };
}
