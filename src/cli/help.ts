import type { Command } from './command.ts';
import { CONFIG_FILE } from './settings/config-file.ts';
import { COMMON, flagOf, type SettingGroup, type SettingName, setting, variableOf } from './settings/definitions.ts';
import { columns } from './text/columns.ts';

const GROUPS: readonly SettingGroup[] = ['what', 'where', 'when', 'output'];

/** `tenure COMMAND --help`: a sentence, usage, examples, options by question, variables, exit codes. */
export function commandHelp(command: Command): string[] {
  const names = [...command.settings, ...COMMON];
  const variables = names.flatMap((name) => {
    const variable = variableOf(name);
    return variable === null ? [] : [[{ text: variable }, { text: `same as ${flagOf(name)}` }]];
  });
  return [
    command.sentence,
    '',
    `Usage: ${command.usage}`,
    '',
    'Examples:',
    ...command.examples.flatMap(([purpose, line]) => [`  # ${purpose}`, `  ${line}`]),
    ...options(names),
    '',
    `Environment (flags win; then these; then ${CONFIG_FILE}, whose keys are the flags in camelCase):`,
    ...columns([...variables, [{ text: 'NO_COLOR' }, { text: 'any value: same as --no-color' }]], {
      screen: null,
      indent: 2,
    }),
    '',
    'Exit codes:',
    ...columns(
      command.exitCodes.map(([code, meaning]) => [{ text: code }, { text: meaning }]),
      { screen: null, indent: 2 },
    ),
  ];
}

/** All groups share one column, so that the eye finds every description at the same place. */
function options(names: readonly SettingName[]): string[] {
  const ordered = GROUPS.map((group) => names.filter((name) => setting(name).group === group));
  const lines = columns(
    ordered.flat().map((name) => [{ text: usageOf(name) }, { text: describe(name) }]),
    { screen: null, indent: 2 },
  );
  return GROUPS.flatMap((group, index) => {
    const before = ordered.slice(0, index).flat().length;
    const own = lines.slice(before, before + (ordered[index]?.length ?? 0));
    return own.length === 0 ? [] : ['', `${group[0]?.toUpperCase()}${group.slice(1)}:`, ...own];
  });
}

function usageOf(name: SettingName): string {
  const { value } = setting(name);
  return value === undefined ? flagOf(name) : `${flagOf(name)} ${value}`;
}

function describe(name: SettingName): string {
  const { help, choices, default: fallback } = setting(name);
  const parts = [help];
  if (choices !== undefined) parts.push(`: ${choices.join(', ')}`);
  if (fallback !== undefined) parts.push(` (default ${fallback})`);
  return parts.join('');
}

export function overallHelp(commands: readonly Command[]): string[] {
  return [
    'Leader election for processes: who leads, where it is, and work that runs only while leading.',
    '',
    'Usage: tenure COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...columns(
      commands.map((command) => [{ text: command.name }, { text: command.sentence }]),
      { screen: null, indent: 2 },
    ),
    '',
    'Examples:',
    '  # see it happen: three processes, a real kill -9',
    '  tenure demo',
    '  # run a job on one machine of many, or in one process of many',
    '  tenure run --election nightly -- node job.js',
    '  # ask who leads',
    '  tenure status --election nightly',
    '',
    'tenure COMMAND --help tells everything about one command; tenure --version the version.',
  ];
}
