import { createRequire } from 'node:module';
import { basename, dirname, extname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Imports, TestFile } from '../../simulation/test-writer/files.ts';
import type { Settings } from '../settings/settings.ts';
import { visible } from '../text/visible.ts';

/** The planner and the machines are loaded only when this command is run. */
const load = {
  files: () => import('../../simulation/test-writer/files.ts'),
  walks: () => import('../../simulation/test-writer/write-walks.ts'),
  recording: () => import('../../simulation/test-writer/recording.ts'),
};

export interface Plan {
  readonly files: readonly TestFile[];
  /** For the answer, a line each. */
  readonly lines: readonly string[];
  /** What a person should look at. */
  readonly findings: readonly string[];
  /** For programs. */
  readonly numbers: Readonly<Record<string, number>>;
  /** Nobody has named a contender. */
  readonly usesExample: boolean;
}

export async function planWalks(imports: Imports): Promise<Plan> {
  const [{ walkFiles }, { leadershipWalks }] = await Promise.all([load.files(), load.walks()]);
  const written = leadershipWalks();
  const { pairs, transitions, walks } = written;
  const all = count(pairs.all);
  return {
    files: walkFiles(written, imports),
    lines: [
      `${count(walks.length)} walks take ${all} of ${all} pairs of the ${transitions} transitions of leadership;`,
      `${count(pairs.led)} of these with any contender, the others with one that does something unusual: the test counts what yours takes.`,
    ],
    findings: [],
    numbers: { walks: walks.length, pairs: pairs.all, pairsOfAnyContender: pairs.led, transitions },
    usesExample: imports.contender === null,
  };
}

/** @throws SettingsError when the recording cannot be replayed, with each line and the rule that it breaks. */
export async function planRecording(settings: Settings, from: string, text: string, imports: Imports): Promise<Plan> {
  const [{ recordingFiles }, { readRecordedTrace }] = await Promise.all([load.files(), load.recording()]);
  const read = readRecordedTrace(text);
  // What stands in a file may come from anywhere: it is made visible before it reaches a terminal.
  const told = ({ line, rule }: { readonly line: number; readonly rule: string }) => `line ${line}: ${visible(rule)}`;
  if ('problems' in read) for (const problem of read.problems) settings.complain('from', told(problem));
  settings.settle();
  const { parts, differs } = 'parts' in read ? read : { parts: [], differs: [] };
  const messages = parts.reduce((sum, { steps }) => sum + steps.length, 0);
  const name = basename(from).replace(/\.[^.]*$/, '') || 'trace';
  const leaderships = parts.length === 1 ? 'one leadership' : `${parts.length} leaderships`;
  return {
    files: recordingFiles(parts, name, imports),
    lines: [`${count(messages)} recorded messages to ${leaderships}; the shipped machine answers each as it did then.`],
    findings: differs.map((one) => `${told(one)}; the test ends there, and holds the machine to what it does`),
    numbers: { leaderships: parts.length, messages },
    usesExample: imports.contender === null,
  };
}

/** By name where the folder belongs to a project that has Tenure installed, else by the way to this very package. */
export function testingFrom(folder: string): string {
  try {
    createRequire(join(folder, 'test.mjs')).resolve('tenure/testing');
    return 'tenure/testing';
  } catch {
    const here = fileURLToPath(import.meta.url);
    const towards = relative(folder, join(dirname(here), '../../simulation', `index${extname(here)}`));
    const path = towards.split('\\').join('/');
    return isAbsolute(path) || path.startsWith('.') ? path : `./${path}`;
  }
}

export function count(value: number): string {
  return value.toLocaleString('en-US');
}
