import type { Violation } from '../errors.ts';
import type { TimingOptions } from './api.ts';

/** All durations of an election, resolved. */
export type Timing = Readonly<Required<TimingOptions>>;

export type TimingField = keyof Timing;

export const DEFAULT_TIMING: Timing = {
  leaseDurationMs: 15_000,
  renewMs: 5_000,
  callTimeoutMs: 2_000,
  marginMs: 2_000,
  stopBoundMs: 10_000,
  restMs: 1_000,
};

/** Node fires a longer timer at once, so no duration may be longer than this (about 24.8 days). */
export const LONGEST_MS = 2 ** 31 - 1;

/** Calls that must fit between a renewal and the deadline: the renewal itself and two more tries. */
const CALLS_BEFORE_DEADLINE = 3;

const SMALLEST_MARGIN_MS = 1_000;
const MARGIN_SHARE = 0.05;

export function resolveTiming(options: TimingOptions = {}): Timing {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_TIMING, ...Object.fromEntries(given) };
}

export function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= LONGEST_MS;
}

/** From the send time of an acknowledged renewal to our own deadline. */
export function validitySpanMs(timing: Timing): number {
  return timing.leaseDurationMs - timing.marginMs;
}

/** How often a deadline is looked at: often enough that a machine which slept gives up well within the margin. */
export function lookMs(timing: Timing): number {
  return timing.marginMs / 4;
}

/** `renew + 3 × call timeout ≤ lease duration − margin`: one slow and one lost call do not cost the leadership. */
export function renewalFits(timing: Timing): boolean {
  return timing.renewMs <= largestRenewMs(timing);
}

export function largestRenewMs(timing: Timing): number {
  return validitySpanMs(timing) - CALLS_BEFORE_DEADLINE * timing.callTimeoutMs;
}

export function largestCallTimeoutMs(timing: Timing): number {
  return Math.floor((validitySpanMs(timing) - timing.renewMs) / CALLS_BEFORE_DEADLINE);
}

export function largestMarginMs(timing: Timing): number {
  return timing.leaseDurationMs - timing.renewMs - CALLS_BEFORE_DEADLINE * timing.callTimeoutMs;
}

export function smallestLeaseDurationMs(timing: Timing): number {
  return timing.renewMs + CALLS_BEFORE_DEADLINE * timing.callTimeoutMs + timing.marginMs;
}

/** `margin ≥ max(1 s, 5 % of the lease duration)`: room for clocks that tick at slightly different rates. */
export function marginIsEnough(timing: Timing): boolean {
  return timing.marginMs >= smallestMarginMs(timing.leaseDurationMs);
}

export function smallestMarginMs(leaseDurationMs: number): number {
  return Math.max(SMALLEST_MARGIN_MS, Math.ceil(leaseDurationMs * MARGIN_SHARE));
}

/** A duration the way people write it in settings: `15s`, `1500ms`, `2m`. */
export function durationText(ms: number): string {
  if (ms >= 60_000 && ms % 60_000 === 0) return `${ms / 60_000}m`;
  if (ms >= 1_000 && ms % 1_000 === 0) return `${ms / 1_000}s`;
  return `${ms}ms`;
}

const DURATION_RULE = `must be a whole number of milliseconds, above 0 and at most ${LONGEST_MS}`;

/** Every violation of the durations: each by itself, then the relations whose operands are all valid. */
export function timingViolations(given: TimingOptions): Violation[] {
  const violations: Violation[] = [];
  for (const [field, received] of Object.entries(given)) {
    if (!Object.hasOwn(DEFAULT_TIMING, field)) {
      violations.push({
        field,
        received,
        rule: `is not an option; known are ${Object.keys(DEFAULT_TIMING).join(', ')}`,
      });
    } else if (received !== undefined && !isDuration(received)) {
      violations.push({ field, received, rule: DURATION_RULE });
    }
  }
  const broken = new Set(violations.map((violation) => violation.field));
  const operandsValid = (fields: readonly TimingField[]) => !fields.some((field) => broken.has(field));
  const timing = resolveTiming(given);
  if (operandsValid(['renewMs', 'leaseDurationMs', 'callTimeoutMs', 'marginMs']) && !renewalFits(timing)) {
    violations.push(renewalViolation(given, timing));
  }
  if (operandsValid(['leaseDurationMs', 'marginMs']) && !marginIsEnough(timing)) {
    violations.push(marginViolation(given, timing));
  }
  return violations;
}

/** Blames a field that the caller set, so that the hint is about something that can be changed where it was written. */
function renewalViolation(given: TimingOptions, timing: Timing): Violation {
  const limits = {
    renewMs: largestRenewMs(timing),
    leaseDurationMs: smallestLeaseDurationMs(timing),
    callTimeoutMs: largestCallTimeoutMs(timing),
    marginMs: largestMarginMs(timing),
  };
  const fields = Object.keys(limits) as (keyof typeof limits)[];
  const set = fields.filter((field) => given[field] !== undefined);
  const field = set.find((candidate) => limits[candidate] > 0) ?? 'leaseDurationMs';
  const limit = field === 'leaseDurationMs' ? 'smallest' : 'largest';
  const operand = (name: string, of: TimingField) => (of === field ? name : `${name} (${durationText(timing[of])})`);
  const rule =
    `${operand('renew', 'renewMs')} + 3 × ${operand('call timeout', 'callTimeoutMs')} must be ≤ ` +
    `${operand('lease duration', 'leaseDurationMs')} − ${operand('margin', 'marginMs')}; ` +
    `the ${limit} is ${durationText(limits[field])}`;
  return { field, received: timing[field], rule };
}

function marginViolation(given: TimingOptions, timing: Timing): Violation {
  if (given.marginMs === undefined) {
    const largest = Math.floor(timing.marginMs / MARGIN_SHARE);
    const rule = `5 % of the lease duration must be ≤ margin (${durationText(timing.marginMs)}); the largest is ${durationText(largest)}`;
    return { field: 'leaseDurationMs', received: timing.leaseDurationMs, rule };
  }
  const smallest = durationText(smallestMarginMs(timing.leaseDurationMs));
  const rule = `margin must be ≥ 1s and ≥ 5 % of the lease duration (${durationText(timing.leaseDurationMs)}); the smallest is ${smallest}`;
  return { field: 'marginMs', received: timing.marginMs, rule };
}
