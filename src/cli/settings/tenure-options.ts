import type { TimingOptions } from '../../runtime/api.ts';
import { resolveTiming, type Timing, type TimingField, timingViolations } from '../../runtime/timing.ts';
import { componentRule, electionRule, participantRule } from '../../runtime/validate-options.ts';
import type { SettingName } from './definitions.ts';
import type { Settings } from './settings.ts';

const TIMING: readonly (readonly [TimingField, SettingName])[] = [
  ['leaseDurationMs', 'leaseDuration'],
  ['renewMs', 'renew'],
  ['callTimeoutMs', 'callTimeout'],
  ['marginMs', 'margin'],
];

/** The name of the election; complains when it is missing or breaks the rule. */
export function electionOf(settings: Settings): string {
  return named(settings, 'election', settings.text('election'), electionRule);
}

export function componentOf(settings: Settings): string {
  return named(settings, 'component', settings.text('component') ?? 'main', componentRule);
}

/** Name of this participant: as given, else the name of the host. */
export function participantOf(settings: Settings, host: string): string {
  return named(settings, 'name', settings.text('name') ?? host, participantRule);
}

type Rule = (value: unknown) => string | null;

function named(settings: Settings, name: SettingName, value: string | undefined, rule: Rule): string {
  const broken = rule(value);
  if (broken !== null && !settings.isBad(name)) {
    settings.complain(name, value === undefined ? `is required and ${broken}` : broken);
  }
  return value ?? '';
}

/** The given durations; complains about each broken relation in the words of the flags. */
export function timingOf(settings: Settings): { readonly given: TimingOptions; readonly timing: Timing } {
  const given: Partial<Record<TimingField, number>> = {};
  const checked: Partial<Record<TimingField, number>> = {};
  for (const [field, name] of TIMING) {
    const ms = settings.ms(name);
    if (ms !== undefined) given[field] = ms;
    // Not a number: breaks the rule of the field, so that no relation is tested with a default in its place.
    const value = settings.isBad(name) ? Number.NaN : ms;
    if (value !== undefined) checked[field] = value;
  }
  for (const { field, rule } of timingViolations(checked)) {
    const name = TIMING.find(([candidate]) => field === candidate)?.[1];
    if (name !== undefined && !settings.isBad(name)) settings.complain(name, rule);
  }
  return { given, timing: resolveTiming(given) };
}
