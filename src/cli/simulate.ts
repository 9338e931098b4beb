import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InvalidOptionsError } from '../errors.ts';
import type { Schedule } from '../simulation/simulator/minimise.ts';
import { type Command, EXIT, type Invocation } from './command.ts';
import type { Settings } from './settings/settings.ts';
import { simulateMany } from './simulate/many.ts';
import { simulateOne } from './simulate/one.ts';

const DEFAULT_SEEDS = 1_000;

export const simulate: Command = {
  name: 'simulate',
  sentence: 'Run the real runtime in simulated worlds full of faults, decided by seeds, and look for a broken promise.',
  usage: 'tenure simulate [OPTIONS]',
  examples: [
    ['a thousand worlds', 'tenure simulate'],
    ['one of them in detail, with every message', 'tenure simulate --seed 377 --trace'],
    ['a failure once more, as small as it was found', 'tenure simulate --schedule .tenure/simulate/seed-377.json'],
  ],
  settings: ['seed', 'seeds', 'schedule', 'trace'],
  exitCodes: [
    ['0', 'no violation'],
    ['1', 'violated, or bad input'],
    ['2', 'not known: interrupted before all seeds were run'],
  ],
  run: runSimulate,
};

async function runSimulate(invocation: Invocation): Promise<number> {
  const { settings } = invocation;
  const file = settings.text('schedule');
  if (file !== undefined) return await rerun(file, invocation);
  const first = settings.count('seed') ?? 1;
  const isOne = settings.isGiven('seed') && !settings.isGiven('seeds');
  const seeds = isOne ? 1 : (settings.count('seeds') ?? DEFAULT_SEEDS);
  if (settings.on('trace') && seeds > 1) settings.complain('trace', 'needs one run: --seed S without --seeds');
  settings.settle();
  if (!isOne) return await simulateMany(first, seeds, invocation);
  const { scheduleOf } = await import('../simulation/simulator/simulate.ts');
  return await simulateOne(scheduleOf(first), `seed ${first}`, invocation);
}

async function rerun(file: string, invocation: Invocation): Promise<number> {
  const { settings, world } = invocation;
  for (const name of ['seed', 'seeds'] as const) {
    if (settings.isGiven(name)) settings.complain(name, 'a schedule has its own');
  }
  const { parseSchedule } = await import('../simulation/simulator/schedule.ts');
  const schedule = readSchedule(settings, resolve(world.cwd, file), parseSchedule);
  settings.settle();
  return schedule === null ? EXIT.no : await simulateOne(schedule, `schedule of ${file}`, invocation);
}

function readSchedule(settings: Settings, file: string, parse: (text: string) => Schedule): Schedule | null {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof InvalidOptionsError) {
      const [violation] = error.violations;
      settings.complain('schedule', `is no schedule: ${violation?.field} ${violation?.rule}`);
    } else {
      const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
      settings.complain('schedule', `cannot be read (${why})`);
    }
    return null;
  }
}
