import { lookMs, type Timing } from '../../runtime/timing.ts';
import type { Happening } from './actions.ts';
import { HAPPENINGS } from './actions.ts';
import { Draw } from './draw.ts';
import type { RevisionStyle } from './revisions.ts';

/** What a seed decides before anything happens. Printed first, so that a failure can be understood from the top. */
export interface Parameters {
  readonly seed: number;
  /** Names of the participants that stand; one more only follows. */
  readonly participants: readonly string[];
  /** Which of them follow too. */
  readonly following: readonly boolean[];
  readonly components: readonly string[];
  readonly timing: Timing;
  /** Of one way between a participant and the server. */
  readonly latencyMs: { readonly least: number; readonly most: number };
  readonly revisions: RevisionStyle;
  /** Rate of each participant's clock; the follower's last. */
  readonly rates: readonly number[];
  readonly happenings: readonly Happening[];
  /** How many things happen, and how far apart they are on average. */
  readonly actions: number;
  readonly gapMs: number;
  /** How long after an acquisition, on average, what waited for a leader strikes it. */
  readonly lagMs: number;
}

const NAMES = ['alpha', 'beta', 'gamma', 'delta'];
const COMPONENTS = ['restserver', 'dispatcher', 'job-7'];

/** What the tolerance of the deadline clock may cost, beside the time to notice a sleep and the difference in rate. */
const RESERVE_MS = 200;

export function parametersOf(seed: number, allowed: readonly Happening[] = HAPPENINGS): Parameters {
  const draw = new Draw(seed, 'parameters');
  const participants = NAMES.slice(0, draw.pick([2, 2, 2, 3, 3, 4]));
  const timing = timingOf(draw);
  const enabled = allowed.filter(() => draw.chance(0.5));
  const slow = draw.chance(0.25);
  // Margin covers what two clocks may differ in over one lease: one slow by the share, the other fast by it.
  const coveredMs = timing.marginMs - lookMs(timing) - RESERVE_MS;
  const drift = draw.chance(0.5) ? coveredMs / (2 * timing.leaseDurationMs + timing.marginMs) : 0;
  return {
    seed,
    participants,
    following: participants.map(() => draw.chance(0.3)),
    components: COMPONENTS.slice(0, draw.pick([1, 1, 2, 2, 3])),
    timing,
    latencyMs: slow ? { least: 1, most: timing.callTimeoutMs / 3 } : { least: 1, most: 10 },
    revisions: draw.pick(['own', 'shared'] as const),
    rates: [...participants, 'viewer'].map(() => 1 + drift * (2 * draw.next() - 1)),
    happenings: enabled.length === 0 ? [draw.pick(allowed)] : enabled,
    actions: draw.int(10, 26),
    gapMs: Math.round(timing.leaseDurationMs * draw.pick([0.05, 0.15, 0.4])),
    lagMs: draw.pick([5, 50, 1_000]),
  };
}

/** Any durations that obey the inequalities of `timing.ts`. */
function timingOf(draw: Draw): Timing {
  const callTimeoutMs = draw.int(200, 2_000);
  const renewMs = draw.int(1_500, 5_000);
  const marginMs = draw.int(1_000, 2_500);
  const least = renewMs + 3 * callTimeoutMs + marginMs;
  // 5 % of the lease must be within the margin.
  const leaseDurationMs = Math.min(20 * marginMs, least + draw.int(0, 3_000));
  return {
    leaseDurationMs,
    renewMs,
    callTimeoutMs,
    marginMs,
    stopBoundMs: draw.int(500, 6_000),
    restMs: draw.int(100, 1_500),
  };
}
