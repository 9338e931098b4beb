import { existsSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { nearest } from '../text/near-miss.ts';
import { SETTING_NAMES, type SettingName, setting } from './definitions.ts';
import type { Given } from './given.ts';
import { type Problem, received } from './problems.ts';

export const CONFIG_FILE = 'tenure.config.json';

export interface ReadConfig {
  readonly given: readonly Given[];
  readonly problems: readonly Problem[];
}

const NOTHING: ReadConfig = { given: [], problems: [] };

/** Reads `path`, or `tenure.config.json` of the working directory when it exists. Keys of other commands are fine. */
export function readConfigFile(cwd: string, path: string | null, names: readonly SettingName[]): ReadConfig {
  const file = resolve(cwd, path ?? CONFIG_FILE);
  if (path === null && !existsSync(file)) return NOTHING;
  const shown = path ?? CONFIG_FILE;
  const broken = (rule: string): ReadConfig => ({
    given: [],
    problems: [
      {
        where: path === null ? CONFIG_FILE : '--config',
        received: path === null ? '' : received(shown),
        rule,
        kind: 'form',
      },
    ],
  });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return broken(
      `cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'})`,
    );
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return broken(`is not JSON: ${error instanceof Error ? error.message : 'unknown reason'}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return broken('must hold one JSON object');
  return readKeys(content, basename(file), names);
}

function readKeys(content: object, file: string, names: readonly SettingName[]): ReadConfig {
  const known = SETTING_NAMES.filter((name) => setting(name).flagOnly !== true && name !== 'config');
  const given: Given[] = [];
  const problems: Problem[] = [];
  for (const [key, value] of Object.entries(content)) {
    if (key === '$schema') continue;
    const name = known.find((candidate) => candidate === key);
    const where = `${key} in ${file}`;
    const kind = typeof value;
    if (name === undefined) {
      const near = nearest(key, known);
      const rule =
        near === null ? `is not a setting; known are ${known.join(', ')}` : `is not a setting; did you mean ${near}?`;
      problems.push({ where, received: '', rule, kind: 'form' });
    } else if (kind !== 'string' && kind !== 'number' && kind !== 'boolean') {
      problems.push({
        where,
        received: received(JSON.stringify(value)),
        rule: 'must be text or true/false',
        kind: 'form',
      });
    } else if (names.includes(name)) {
      given.push({ name, where, raw: String(value), kind: kind === 'string' ? 'text' : kind });
    }
  }
  return { given, problems };
}
