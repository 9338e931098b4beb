import { existsSync, readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Imports } from '../../simulation/test-writer/files.ts';
import type { Settings } from '../settings/settings.ts';

const MODULE = /\.[cm]?[jt]sx?$/;
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/**
 * `path#export`; without `#` the default export. The file is looked at, not run: what a service does when it is imported
 * is not for this command to set off.
 */
export function contenderOf(settings: Settings, cwd: string, folder: string): Imports['contender'] {
  const given = settings.text('contender');
  if (given === undefined) return null;
  const at = given.lastIndexOf('#');
  const path = at < 0 ? given : given.slice(0, at);
  const name = at < 0 ? 'default' : given.slice(at + 1);
  const file = resolve(cwd, path);
  const rule = contenderRule(file, name);
  if (rule !== null) settings.complain('contender', rule);
  const towards = relative(folder, file).split('\\').join('/');
  return { specifier: towards.startsWith('.') ? towards : `./${towards}`, name };
}

function contenderRule(file: string, name: string): string | null {
  if (!IDENTIFIER.test(name)) return 'must be PATH#EXPORT, the export being the name of a function';
  if (!existsSync(file)) return 'there is no such file';
  if (!statSync(file).isFile()) return 'must be a file: PATH#EXPORT';
  if (!MODULE.test(file)) return 'must be a JavaScript or TypeScript module';
  const text = readFileSync(file, 'utf8');
  // A module that passes on all exports of another may have any name.
  const exported =
    /\bexport\s*\*/.test(text) || new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(text);
  if (exported) return null;
  return name === 'default' ? 'has no default export: name the export, PATH#EXPORT' : `has no export ${name}`;
}
