import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { monotonicNs, NS_PER_MS } from '../drivers/system/monotonic.ts';
import type { TraceLine } from '../ports/trace.ts';
import { type Command, EXIT, type Invocation } from './command.ts';
import { Director, Interrupted, NAMES } from './demo/director.ts';
import { Narrator } from './demo/narrator.ts';
import { mergeRecordings } from './demo/recording.ts';
import { erased, overlapNs } from './demo/verdict.ts';
import type { Output } from './output.ts';
import type { Settings } from './settings/settings.ts';
import { GLYPHS } from './text/glyphs.ts';
import { visible } from './text/visible.ts';
import { wrap } from './text/wrap.ts';

export const demo: Command = {
  name: 'demo',
  sentence: 'Show three real processes, one election, a kill -9 and a hand-over, and count what went wrong.',
  usage: 'tenure demo [OPTIONS]',
  examples: [
    ['see it happen, in about ten seconds', 'tenure demo'],
    ['keep the recording somewhere else', 'tenure demo --record /tmp/demo.jsonl'],
    ['for another program', 'tenure demo --json'],
  ],
  settings: ['record'],
  exitCodes: [
    ['0', 'never two leaders at once, and no entry erased'],
    ['1', 'violated, or bad input'],
    ['2', 'not known: interrupted, or this machine was too slow'],
  ],
  run: runDemo,
};

const ELECTION = 'demo';
const INTRODUCTION =
  'Three processes, one election, two components. Everything below really happens: real processes, one SQLite file, a real kill -9.';

async function runDemo({ settings, output, world }: Invocation): Promise<number> {
  const record = settings.text('record') ?? 'tenure-demo.jsonl';
  const target = resolve(world.cwd, record);
  claim(settings, target);
  settings.settle();
  const { sqlite } = await import('../drivers/sqlite/index.ts');
  const folder = mkdtempSync(join(tmpdir(), 'tenure-demo-'));
  const file = join(folder, 'demo.db');
  const interrupt = new AbortController();
  const stopSignals = world.signals.on(['SIGINT', 'SIGTERM'], () => interrupt.abort());
  const { clock, random } = world;
  const open = await sqlite({ file }).open({ election: ELECTION, identity: 'tenure demo', clock, random });
  for (const line of wrap(INTRODUCTION, output.screen ?? INTRODUCTION.length)) output.answer(line);
  output.answer('');
  const narrator = new Narrator(output, clock, NAMES);
  const director = new Director(narrator, clock, interrupt.signal, [file, ELECTION]);
  const stopFollowing = director.follow(open);
  let complete = true;
  try {
    await director.play();
  } catch (error) {
    if (!(error instanceof Interrupted)) output.failure(error);
    complete = false;
  } finally {
    stopFollowing();
    await director.dismiss();
    await open.close();
    rmSync(folder, { recursive: true, force: true });
    stopSignals();
  }
  narrator.end();
  const lines = mergeRecordings(director.seen.recorded(), director.seen.notes, director.start);
  writeFileSync(target, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return verdict(director, output, lines, record, complete);
}

/** Says at once, not after ten seconds, that the recording cannot be written. */
function claim(settings: Settings, target: string): void {
  try {
    closeSync(openSync(target, 'a'));
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    settings.complain('record', `cannot be written (${why})`, target);
  }
}

function verdict(
  director: Director,
  output: Output,
  lines: readonly TraceLine[],
  record: string,
  complete: boolean,
): number {
  const { seen } = director;
  const overlapMs = Number(overlapNs(seen.reigns(monotonicNs()))) / NS_PER_MS;
  const lost = erased(seen.deletions, seen.withdrawals);
  const good = overlapMs === 0 && lost.length === 0;
  output.document({ overlapMs, erased: lost, recording: record, lines: lines.length, complete });
  const numbers = `Two leaders at once: ${overlapMs === 0 ? '0' : overlapMs.toFixed(3)} ms. Entries erased: ${lost.length}.`;
  const shown = good ? output.paint('strong', numbers) : output.paint('bad', `${GLYPHS.lost} ${numbers}`);
  output.answer(`${shown} Recorded in ${visible(record)} (${lines.length} lines).`);
  if (!complete) output.talk('ended before the play was over; the numbers are what was seen until then');
  if (!good) return EXIT.no;
  return complete ? EXIT.yes : EXIT.notKnown;
}
