import type { TenureOptions } from '../../runtime/api.ts';
import { durationText, type Timing, validitySpanMs } from '../../runtime/timing.ts';
import { type BackendChoice, chooseBackend } from '../backends/choose.ts';
import type { Settings } from '../settings/settings.ts';
import { componentOf, electionOf, participantOf, timingOf } from '../settings/tenure-options.ts';
import { KILL_LEAD_MS } from './guarded-child.ts';

export type Restart = 'never' | 'on-failure' | 'always';

/** What one `tenure run` is about to do. */
export interface RunPlan {
  readonly election: string;
  readonly component: string;
  readonly name: string;
  readonly address: string | null;
  readonly backend: BackendChoice;
  readonly timing: Timing;
  readonly timingOptions: NonNullable<TenureOptions['timing']>;
  readonly graceMs: number;
  readonly once: boolean;
  readonly restart: Restart;
  readonly command: string;
  readonly args: readonly string[];
}

const DEFAULT_GRACE_MS = 3_000;
/** What a contender needs beyond the grace until it has settled. */
const SETTLE_MS = 2_000;

/** @throws SettingsError with everything that is wrong */
export function planRun(settings: Settings, rest: readonly string[], host: string): RunPlan {
  const election = electionOf(settings);
  const component = componentOf(settings);
  const name = participantOf(settings, host);
  const backend = chooseBackend(settings, election, true);
  const { given, timing } = timingOf(settings);
  const graceMs = graceOf(settings, timing);
  settings.settle();
  return {
    election,
    component,
    name,
    address: settings.text('address') ?? null,
    backend,
    timing,
    timingOptions: { ...given, stopBoundMs: graceMs + SETTLE_MS },
    graceMs,
    once: settings.on('once'),
    restart: (settings.text('restart') ?? 'never') as Restart,
    command: rest[0] ?? '',
    args: rest.slice(1),
  };
}

/** A healthy renewal must always arrive before the guard begins to stop the command. */
function graceOf(settings: Settings, timing: Timing): number {
  const largest = validitySpanMs(timing) - timing.renewMs - timing.callTimeoutMs - KILL_LEAD_MS;
  const given = settings.ms('grace');
  if (given === undefined) return Math.max(0, Math.min(DEFAULT_GRACE_MS, largest));
  const operandsAreGood = !(['leaseDuration', 'renew', 'callTimeout', 'margin'] as const).some((of) =>
    settings.isBad(of),
  );
  if (operandsAreGood && given > largest) {
    const rule = 'renew + call timeout + grace + 100ms must be ≤ lease duration − margin';
    settings.complain('grace', `${rule}; the largest is ${durationText(largest)}`);
  }
  return given;
}
