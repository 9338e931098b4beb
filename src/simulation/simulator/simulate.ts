import { InvalidOptionsError, type Violation as OptionViolation } from '../../errors.ts';
import type { Action, Happening } from './actions.ts';
import { HAPPENINGS } from './actions.ts';
import type { Violation } from './book.ts';
import type { SimulatedContender } from './contender.ts';
import type { Schedule } from './minimise.ts';
import { minimise } from './minimise.ts';
import { parametersOf } from './parameters.ts';
import { planOf } from './plan.ts';
import type { Run } from './run.ts';
import { runOnce } from './run.ts';
import { scheduleText } from './schedule.ts';
import type { Tamper } from './stage.ts';
import { storyText, traceText } from './story.ts';
import { runTwice } from './twice.ts';

export interface SimulateOptions {
  /** The first seed. Default 1. */
  readonly seed?: number;
  /** How many seeds, one after the other. Default 100. */
  readonly seeds?: number;
  /** Your own contender function, put on trial. Default: one of the simulator's, as bad as the seed says. */
  readonly contender?: SimulatedContender;
  /** Kinds of faults that seeds may enable. Default: all. */
  readonly happenings?: readonly Happening[];
  /** Called after each seed, and awaited: the event loop turns only here. */
  readonly onProgress?: (progress: SimulationProgress) => unknown;
  /** Ends between two seeds; the report is of what has been run. */
  readonly signal?: AbortSignal;
  /** Stops after so many failing seeds. Default 1. */
  readonly failures?: number;
}

export interface SimulationProgress {
  readonly seedsDone: number;
  readonly seeds: number;
  /** Of the first run of each seed. */
  readonly failovers: number;
}

export interface SimulationFailure {
  readonly seed: number;
  /** `I1` to `I10`, or the name of a check; `src/simulation/simulator/README.md` lists them. */
  readonly invariant: string;
  readonly detail: string;
  /** All that was violated, also what followed from the first. */
  readonly violations: readonly Violation[];
  /** The smallest schedule that fails in the same way, as text for `tenure simulate --schedule`. */
  readonly schedule: string;
  readonly actions: readonly Action[];
  /** What happened in it, one line each. */
  readonly story: readonly string[];
}

export interface SimulationReport {
  readonly seeds: number;
  /** Leadership passed to another session so often, in the first run of each seed. */
  readonly failovers: number;
  /** What happened how often, in the first run of each seed. */
  readonly counts: Readonly<Record<string, number>>;
  /** From the end of all faults until everything was well again. */
  readonly slowest: { readonly seed: number; readonly recoveryMs: number } | null;
  readonly failures: readonly SimulationFailure[];
}

/** What one seed decides. */
export function scheduleOf(seed: number, options: Pick<SimulateOptions, 'contender' | 'happenings'> = {}): Schedule {
  const onTrial = options.contender !== undefined;
  const { happenings = HAPPENINGS } = options;
  // Manners are those of the simulator's own contender.
  const allowed = onTrial ? happenings.filter((happening) => happening !== 'manners') : happenings;
  const parameters = parametersOf(seed, allowed);
  const actions = planOf(parameters);
  return { parameters, actions: onTrial ? actions.map(acceptable) : actions };
}

/** An entry that is too large is a mistake of whoever confirms it; one on trial has made none. */
function acceptable(action: Action): Action {
  return action.do === 'calls' && action.fault === 'too-large' ? { ...action, fault: 'refuse' } : action;
}

/**
 * Runs seeds: each decides a world with participants, faults and contenders, and is run twice. All checks that fail are
 * in the report, with the smallest schedule that makes them fail.
 *
 * @throws InvalidOptionsError with every violation at once.
 */
export async function simulate(options: SimulateOptions = {}): Promise<SimulationReport> {
  return await simulateTampered(options, undefined);
}

/** The same in a world that is broken on purpose: how tests see that a check can fail. */
export async function simulateTampered(
  options: SimulateOptions,
  tamper: Tamper | undefined,
): Promise<SimulationReport> {
  const { seed: first = 1, seeds = 100, contender, onProgress, signal, failures: most = 1 } = options;
  checkOptions(options);
  const counts = new Map<string, number>();
  const failures: SimulationFailure[] = [];
  let slowest: SimulationReport['slowest'] = null;
  let failovers = 0;
  let seedsDone = 0;
  while (seedsDone < seeds && failures.length < most && signal?.aborted !== true) {
    const seed = first + seedsDone;
    const schedule = scheduleOf(seed, options);
    const run = await runTwice({ ...schedule, contender, tamper });
    for (const [what, count] of run.counts) counts.set(what, (counts.get(what) ?? 0) + count);
    failovers += run.failovers;
    if (run.recoveryMs !== null && run.recoveryMs >= (slowest?.recoveryMs ?? 0)) {
      slowest = { seed, recoveryMs: run.recoveryMs };
    }
    if (run.violations.length > 0) failures.push(await failureOf(schedule, run, contender, tamper));
    seedsDone += 1;
    await onProgress?.({ seedsDone, seeds, failovers });
  }
  return { seeds: seedsDone, failovers, counts: Object.fromEntries(counts), slowest, failures };
}

/** Runs one schedule once, with all that a reader may want to see. */
export async function replay(
  schedule: Schedule,
  contender?: SimulatedContender,
): Promise<{ readonly run: Run; readonly trace: readonly string[]; readonly story: readonly string[] }> {
  const run = await runOnce({ ...schedule, contender, keepsEntries: true });
  return { run, trace: traceText(run.entries), story: storyText(run.entries) };
}

async function failureOf(
  schedule: Schedule,
  run: Run,
  contender: SimulatedContender | undefined,
  tamper: Tamper | undefined,
): Promise<SimulationFailure> {
  const [violation] = run.violations;
  if (violation === undefined) throw new Error('a run without a violation has not failed');
  const { invariant, detail } = violation;
  const again = invariant === 'same-twice' ? runTwice : runOnce;
  const smallest = await minimise(schedule, async (candidate) => {
    const { violations } = await again({ ...candidate, contender, tamper });
    return violations[0]?.invariant === invariant;
  });
  const { entries } = await runOnce({ ...smallest, contender, tamper, keepsEntries: true });
  return {
    seed: schedule.parameters.seed,
    invariant,
    detail,
    violations: run.violations,
    schedule: scheduleText(smallest),
    actions: smallest.actions,
    story: storyText(entries),
  };
}

function checkOptions({ seed = 1, seeds = 100, failures = 1, contender, happenings }: SimulateOptions): void {
  const violations: OptionViolation[] = [];
  const whole = (field: string, received: number, least: number): void => {
    if (Number.isInteger(received) && received >= least && received <= 2 ** 31) return;
    violations.push({ field, received, rule: `must be a whole number from ${least} to 2147483648` });
  };
  whole('seed', seed, 0);
  whole('seeds', seeds, 1);
  whole('failures', failures, 1);
  if (contender !== undefined && typeof contender !== 'function') {
    violations.push({ field: 'contender', received: contender, rule: 'must be a function' });
  }
  const isKnown = (one: Happening): boolean => HAPPENINGS.includes(one);
  if (happenings !== undefined && !(happenings.length > 0 && happenings.every(isKnown))) {
    const rule = `must be one or more of ${HAPPENINGS.join(', ')}`;
    violations.push({ field: 'happenings', received: happenings, rule });
  }
  if (violations.length > 0) throw new InvalidOptionsError(violations);
}
