import { readFileSync } from 'node:fs';
import { TenureError } from '../errors.ts';
import { type Command, EXIT, type World } from './command.ts';
import { commandHelp, overallHelp } from './help.ts';
import { Output } from './output.ts';
import { readConfigFile } from './settings/config-file.ts';
import { COMMON } from './settings/definitions.ts';
import { type ReadFlags, readFlags } from './settings/flags.ts';
import { type Problem, received, SettingsError } from './settings/problems.ts';
import { Settings } from './settings/settings.ts';
import { misspeltVariables, readVariables } from './settings/variables.ts';
import { nearest } from './text/near-miss.ts';

/** Runs one command line and answers its exit code. Never throws. */
export async function runCommandLine(
  args: readonly string[],
  commands: readonly Command[],
  world: World,
): Promise<number> {
  const [word = '', ...others] = args;
  const command = commands.find((candidate) => candidate.name === word);
  if (command !== undefined) return await runCommand(command, others, world);
  const plain = outputFor(world, args);
  if (['--help', '-h', 'help'].includes(word)) {
    const named = commands.find((candidate) => candidate.name === others[0]);
    for (const line of named === undefined ? overallHelp(commands) : commandHelp(named)) plain.answer(line);
    return EXIT.yes;
  }
  if (word === '--version' || word === '-V') {
    plain.answer(version());
    return EXIT.yes;
  }
  if (word === '') {
    for (const line of overallHelp(commands)) world.stderr.write(`${line}\n`);
    return EXIT.no;
  }
  plain.failure(new SettingsError([unknownCommand(word, commands)]));
  return EXIT.no;
}

async function runCommand(command: Command, args: readonly string[], world: World): Promise<number> {
  const names = [...command.settings, ...COMMON];
  const flags = readFlags(args, names);
  const output = outputFor(world, args.slice(0, args.length - (flags.rest?.length ?? 0)), command.takesCommand);
  if (flags.given.some((given) => given.name === 'help')) {
    for (const line of commandHelp(command)) output.answer(line);
    return EXIT.yes;
  }
  try {
    for (const { variable, meant } of misspeltVariables(world.env)) {
      output.talk(`${variable} is not a setting; did you mean ${meant}?`);
    }
    const variables = readVariables(world.env, names);
    const configPath = [...variables, ...flags.given].findLast((given) => given.name === 'config')?.raw ?? null;
    const config = readConfigFile(world.cwd, configPath, names);
    const problems = [...flags.problems, ...formProblems(command, flags), ...config.problems];
    const settings = new Settings([flags.given, variables, config.given], problems);
    return await command.run({ settings, rest: flags.rest ?? [], output, world });
  } catch (error) {
    output.failure(error);
    return exitCodeOf(error);
  }
}

function formProblems(command: Command, flags: ReadFlags): Problem[] {
  const problems: Problem[] = [];
  if (flags.positionals.length > 0) {
    const rule = command.takesCommand === true ? 'the command to run goes behind --' : 'is not understood here';
    problems.push({ where: flags.positionals.map(received).join(' '), received: '', rule, kind: 'form' });
  }
  if (command.takesCommand === true && (flags.rest ?? []).length === 0 && problems.length === 0) {
    problems.push({
      where: '--',
      received: '',
      rule: `names no command to run; usage: ${command.usage}`,
      kind: 'form',
    });
  }
  if (command.takesCommand !== true && flags.rest !== null) {
    problems.push({ where: '--', received: '', rule: 'this command runs no other command', kind: 'form' });
  }
  return problems;
}

/** How to speak must be known before the flags are understood, so that even their problems are told in that way. */
function outputFor(world: World, args: readonly string[], foreignStdout = false): Output {
  const has = (flag: string) => args.includes(flag);
  return new Output(world.stdout, world.stderr, {
    json: has('--json'),
    quiet: has('--quiet'),
    noColour: has('--no-color'),
    debug: has('--debug'),
    foreignStdout,
    env: world.env,
  });
}

function unknownCommand(word: string, commands: readonly Command[]): Problem {
  const names = commands.map((command) => command.name);
  const near = nearest(word, names);
  const hint = near === null ? `known are ${names.join(', ')}` : `did you mean ${near}?`;
  return { where: received(word), received: '', rule: `is not a command; ${hint}`, kind: 'form' };
}

/**
 * Where the state of the election could not be found out, and may be found out later, the answer is "not known". A file
 * that cannot be used stays so until somebody mends it: that is a plain "no".
 */
export function exitCodeOf(error: unknown): number {
  if (!(error instanceof TenureError)) return EXIT.no;
  return error.code === 'backend-unavailable' || error.outcome === 'unknown' ? EXIT.notKnown : EXIT.no;
}

/** The nearest package.json above this file: one level deeper in `dist` than in the sources. */
function version(): string {
  for (const up of ['../../package.json', '../../../package.json']) {
    try {
      const content: unknown = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8'));
      if (typeof content === 'object' && content !== null && 'version' in content) return String(content.version);
    } catch {
      // Not at this level.
    }
  }
  return 'unknown';
}
