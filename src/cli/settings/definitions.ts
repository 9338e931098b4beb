export type SettingKind = 'text' | 'duration' | 'choice' | 'switch';
export type SettingGroup = 'what' | 'where' | 'when' | 'output';

/** One setting: a flag, a `TENURE_*` variable and a key of the configuration file, all named after the same words. */
export interface Setting {
  readonly kind: SettingKind;
  readonly group: SettingGroup;
  readonly help: string;
  /** What the value is called in usage; absent for a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Shown in help; where the default is computed, in words. */
  readonly default?: string;
  /** May be given several times. */
  readonly repeatable?: boolean;
  /** Makes sense for one invocation only: no variable, no key. */
  readonly flagOnly?: boolean;
}

const define = <const T extends Readonly<Record<string, Setting>>>(settings: T) => settings;

export const SETTINGS = define({
  election: { kind: 'text', group: 'what', value: 'NAME', help: 'the election: one lock that processes compete for' },
  component: {
    kind: 'text',
    group: 'what',
    value: 'NAME',
    help: 'the component that the command stands for',
    default: 'main',
  },
  only: {
    kind: 'text',
    group: 'what',
    value: 'NAME',
    help: 'show this component only; may be repeated',
    repeatable: true,
    flagOnly: true,
  },
  name: { kind: 'text', group: 'what', value: 'NAME', help: 'name of this participant', default: 'name of the host' },
  address: {
    kind: 'text',
    group: 'what',
    value: 'TEXT',
    help: 'where the command is reachable',
    default: 'pid:PID@HOST',
  },
  once: { kind: 'switch', group: 'what', help: 'end after the first session instead of standing again' },
  restart: {
    kind: 'choice',
    group: 'what',
    value: 'WHEN',
    choices: ['never', 'on-failure', 'always'],
    help: 'start the command again when it ends by itself',
    default: 'never',
  },
  backend: {
    kind: 'choice',
    group: 'where',
    value: 'NAME',
    choices: ['sqlite', 'single-master', 'memory'],
    help: 'what keeps the lock',
    default: 'sqlite',
  },
  file: {
    kind: 'text',
    group: 'where',
    value: 'FILE',
    help: 'file of the backend',
    default: '.tenure/tenure.db; single-master: .tenure/ELECTION.json',
  },
  iKnowOnlyOneRuns: {
    kind: 'switch',
    group: 'where',
    help: 'consent that single-master needs: nothing stops a second leader',
  },
  record: {
    kind: 'text',
    group: 'where',
    value: 'FILE',
    help: 'where the recording is written',
    default: 'tenure-demo.jsonl',
    flagOnly: true,
  },
  config: {
    kind: 'text',
    group: 'where',
    value: 'FILE',
    help: 'configuration file',
    default: 'tenure.config.json, if it exists',
  },
  leaseDuration: {
    kind: 'duration',
    group: 'when',
    value: 'TIME',
    help: 'how long a lease is promised to its holder',
    default: '15s',
  },
  renew: { kind: 'duration', group: 'when', value: 'TIME', help: 'how often the holder renews', default: '5s' },
  callTimeout: {
    kind: 'duration',
    group: 'when',
    value: 'TIME',
    help: 'bound of one call to the backend',
    default: '2s',
  },
  margin: {
    kind: 'duration',
    group: 'when',
    value: 'TIME',
    help: 'distance between our deadline and the next leader',
    default: '2s',
  },
  grace: {
    kind: 'duration',
    group: 'when',
    value: 'TIME',
    help: 'time between SIGTERM and SIGKILL',
    default: '3s, less when the lease is short',
  },
  untilConfirmed: { kind: 'switch', group: 'when', help: 'end with 0 once a leader is confirmed', flagOnly: true },
  timeout: { kind: 'duration', group: 'when', value: 'TIME', help: 'give up after this time, with 2', flagOnly: true },
  json: {
    kind: 'switch',
    group: 'output',
    help: 'JSON, one document, or one a line where the command streams',
    flagOnly: true,
  },
  quiet: {
    kind: 'switch',
    group: 'output',
    help: 'no output but failures; the exit code is the answer',
    flagOnly: true,
  },
  noColor: { kind: 'switch', group: 'output', help: 'no colour and no movement', flagOnly: true },
  debug: { kind: 'switch', group: 'output', help: 'stack traces and causes of failures', flagOnly: true },
  help: { kind: 'switch', group: 'output', help: 'this text', flagOnly: true },
});

export type SettingName = keyof typeof SETTINGS;

export const COMMON: readonly SettingName[] = ['config', 'json', 'quiet', 'noColor', 'debug', 'help'];

/** Where one word must serve two settings, the flag is the same and the command decides which one is meant. */
const FLAG_NAMES: Partial<Record<SettingName, string>> = { only: 'component' };

export function setting(name: SettingName): Setting {
  return SETTINGS[name];
}

/** `leaseDuration` → `--lease-duration`. */
export function flagOf(name: SettingName): string {
  return `--${FLAG_NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `leaseDuration` → `TENURE_LEASE_DURATION`; `null` for settings of one invocation. */
export function variableOf(name: SettingName): string | null {
  if (setting(name).flagOnly === true) return null;
  return `TENURE_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];
