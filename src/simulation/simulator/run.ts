import type { Action } from './actions.ts';
import type { Entry, Violation } from './book.ts';
import type { SimulatedContender } from './contender.ts';
import type { Digest } from './digest.ts';
import type { Parameters } from './parameters.ts';
import { safetyMs } from './plan.ts';
import { recover, restAndClose } from './recovery.ts';
import type { Tamper } from './stage.ts';
import { World } from './world.ts';

export interface RunOptions {
  readonly parameters: Parameters;
  readonly actions: readonly Action[];
  readonly contender?: SimulatedContender | undefined;
  readonly keepsEntries?: boolean;
  readonly tamper?: Tamper | undefined;
}

export interface Run {
  readonly violations: readonly Violation[];
  /** How often leadership passed to another session. */
  readonly failovers: number;
  /** From the end of the faults until everything was well; `null` when it never was. */
  readonly recoveryMs: number | null;
  /** What happened how often. */
  readonly counts: ReadonlyMap<string, number>;
  readonly digest: Digest;
  /** The lines behind the digest, and the trace for people; both empty unless they were asked for. */
  readonly lines: readonly string[];
  readonly entries: readonly Entry[];
  /** When the faults ended, and when all was over, in the time of the world. */
  readonly calmAtMs: number;
  readonly endedAtMs: number;
}

/** One run of one schedule, from the opening of the first participant to the closing of the last. */
export async function runOnce(options: RunOptions): Promise<Run> {
  const world = new World(options);
  await world.live(options.actions, safetyMs(options.parameters, options.actions));
  const calmAtMs = world.clock.nowMs();
  await world.endFaults();
  const recoveryMs = await recover(world);
  if (recoveryMs !== null) await restAndClose(world);
  return {
    violations: world.book.verdict(),
    failovers: world.checks.failovers,
    recoveryMs,
    counts: world.book.counts,
    digest: world.book.digest,
    lines: world.book.lines,
    entries: world.book.entries,
    calmAtMs,
    endedAtMs: world.clock.nowMs(),
  };
}
