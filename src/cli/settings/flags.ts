import { parseArgs } from 'node:util';
import { nearest } from '../text/near-miss.ts';
import { flagOf, type SettingName, setting } from './definitions.ts';
import type { Given } from './given.ts';
import { type Problem, received } from './problems.ts';

export interface ReadFlags {
  readonly given: readonly Given[];
  readonly problems: readonly Problem[];
  readonly positionals: readonly string[];
  /** What follows `--`; `null` when there is no `--`. */
  readonly rest: readonly string[] | null;
}

/** Reads the flags that a command knows. Everything that is wrong is collected, nothing is thrown. */
export function readFlags(args: readonly string[], names: readonly SettingName[]): ReadFlags {
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  const byFlag = new Map(names.map((name) => [flagOf(name).slice(2), name]));
  const kinds = [...byFlag].map(
    ([flag, name]) => [flag, setting(name).kind === 'switch' ? 'boolean' : 'string'] as const,
  );
  const { tokens } = parseArgs({
    args: own.map((argument) => (argument === '-h' ? '--help' : argument)),
    options: Object.fromEntries(kinds.map(([flag, type]) => [flag, { type }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given: Given[] = [];
  const problems: Problem[] = [];
  const positionals: string[] = [];
  let unknownAt = -2;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      // The word after an unknown flag was most likely its value; one mistake is reported once.
      if (token.index !== unknownAt + 1) positionals.push(token.value);
      continue;
    }
    const name = byFlag.get(token.name);
    if (name === undefined) {
      unknownAt = token.inlineValue === true ? -2 : token.index;
      problems.push(unknownFlag(token.rawName, [...byFlag.keys()]));
      continue;
    }
    const problem = flagProblem(name, token);
    if (problem === null) given.push({ name, where: flagOf(name), raw: token.value ?? 'true', kind: 'text' });
    else problems.push(problem);
  }
  return { given, problems, positionals, rest: end === -1 ? null : args.slice(end + 1) };
}

interface FlagToken {
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function flagProblem(name: SettingName, token: FlagToken): Problem | null {
  const flag = flagOf(name);
  const { kind, value: placeholder = '' } = setting(name);
  if (kind === 'switch') {
    if (token.inlineValue !== true) return null;
    return { where: flag, received: received(token.value ?? ''), rule: 'is a switch and takes no value', kind: 'form' };
  }
  if (token.value === undefined)
    return { where: flag, received: '', rule: `needs a value: ${flag} ${placeholder}`, kind: 'form' };
  if (token.inlineValue !== true && token.value.startsWith('-')) {
    const rule = `needs a value; where it begins with '-', write ${flag}=${placeholder}`;
    return { where: flag, received: received(token.value), rule, kind: 'form' };
  }
  return null;
}

function unknownFlag(rawName: string, known: readonly string[]): Problem {
  const near = nearest(rawName.replace(/^-+/, ''), known);
  const rule =
    near === null ? 'is not a flag of this command' : `is not a flag of this command; did you mean --${near}?`;
  return { where: rawName, received: '', rule, kind: 'form' };
}
