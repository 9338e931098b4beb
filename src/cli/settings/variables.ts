import { distance, nearest } from '../text/near-miss.ts';
import { SETTING_NAMES, type SettingName, variableOf } from './definitions.ts';
import type { Given } from './given.ts';

/** Set by `tenure run` for its command; settings of nothing. */
const EXPORTED = ['TENURE_SESSION_ID', 'TENURE_FENCING_TOKEN'];

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the variables of the settings that a command knows. An empty variable counts as not set. */
export function readVariables(env: Environment, names: readonly SettingName[]): Given[] {
  return names.flatMap((name) => {
    const variable = variableOf(name);
    const raw = variable === null ? undefined : env[variable];
    if (variable === null || raw === undefined || raw === '') return [];
    return [{ name, where: variable, raw, kind: 'text' as const }];
  });
}

/**
 * Variables that look like a misspelt setting. A hint rather than an error: platforms put variables of their own
 * there (Kubernetes sets `TENURE_SERVICE_HOST` for a service called tenure).
 */
export function misspeltVariables(env: Environment): { readonly variable: string; readonly meant: string }[] {
  const known = SETTING_NAMES.flatMap((name) => variableOf(name) ?? []);
  return Object.keys(env)
    .filter((variable) => variable.startsWith('TENURE_') && !known.includes(variable) && !EXPORTED.includes(variable))
    .flatMap((variable) => {
      const meant = nearest(variable, known);
      return meant !== null && distance(variable, meant) <= 2 ? [{ variable, meant }] : [];
    });
}
