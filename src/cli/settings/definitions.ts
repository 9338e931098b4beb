export type SettingKind = 'text' | 'duration' | 'count' | 'choice' | 'switch';
export type SettingGroup = 'what' | 'where' | 'when' | 'output';

/** One setting: a flag, a `TENURE_*` variable and a key of the configuration file, all named after the same words. */
export interface Setting {
  readonly kind: SettingKind;
  readonly group: SettingGroup;
  readonly help: string;
  /** What the value is called in usage; absent for a switch. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** Smallest and largest value of a count. */
  readonly range?: readonly [number, number];
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
    choices: ['sqlite', 'kubernetes', 'single-master', 'memory'],
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
  kubeconfig: {
    kind: 'text',
    group: 'where',
    value: 'FILE',
    help: 'kubeconfig of the cluster, as kubectl takes it',
    default: 'KUBECONFIG, else ~/.kube/config, else the pod',
  },
  context: {
    kind: 'text',
    group: 'where',
    value: 'NAME',
    help: 'context of the kubeconfig',
    default: 'the current one',
  },
  namespace: {
    kind: 'text',
    group: 'where',
    value: 'NAME',
    help: 'namespace of the Lease and of what leaders publish',
    default: 'of the context or pod, else default',
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
  contender: {
    kind: 'text',
    group: 'what',
    value: 'PATH#EXPORT',
    help: 'your contender function',
    default: 'an example that is written beside the test',
    flagOnly: true,
  },
  from: {
    kind: 'text',
    group: 'what',
    value: 'FILE',
    help: 'a recording (JSON lines): its messages become the test',
    flagOnly: true,
  },
  participants: {
    kind: 'count',
    group: 'what',
    value: 'N',
    range: [1, 5],
    help: 'how many participants compete',
    default: '2',
    flagOnly: true,
  },
  components: {
    kind: 'count',
    group: 'what',
    value: 'N',
    range: [1, 5],
    help: 'how many components the election has',
    default: '2',
    flagOnly: true,
  },
  sessions: {
    kind: 'count',
    group: 'what',
    value: 'N',
    range: [1, 20],
    help: 'how many sessions may be granted in all',
    default: '3',
    flagOnly: true,
  },
  faults: {
    kind: 'count',
    group: 'what',
    value: 'N',
    range: [0, 20],
    help: 'how many deviations from the prompt course of things, anywhere in the run',
    default: '2',
    flagOnly: true,
  },
  plant: {
    kind: 'text',
    group: 'what',
    value: 'NAME',
    help: 'explore with a planted bug, in the smallest scope that shows it; `list` tells the names',
    flagOnly: true,
  },
  maxStates: {
    kind: 'count',
    group: 'when',
    value: 'N',
    range: [1, 1_000_000_000],
    help: 'give up after so many states, with 2',
    default: '10000000',
    flagOnly: true,
  },
  seed: {
    kind: 'count',
    group: 'what',
    value: 'S',
    range: [0, 2 ** 31],
    help: 'the first seed; alone: only this one, with all that it decides',
    default: '1',
    flagOnly: true,
  },
  seeds: {
    kind: 'count',
    group: 'what',
    value: 'N',
    range: [1, 2 ** 31],
    help: 'how many seeds',
    default: '1000, or 1 with --seed',
    flagOnly: true,
  },
  schedule: {
    kind: 'text',
    group: 'what',
    value: 'FILE',
    help: 'run this schedule again, as a failure left it',
    flagOnly: true,
  },
  trace: { kind: 'switch', group: 'output', help: 'every message of one run', flagOnly: true },
  out: { kind: 'text', group: 'where', value: 'DIR', help: 'folder for the files', flagOnly: true },
  force: { kind: 'switch', group: 'where', help: 'write anew what is there already', flagOnly: true },
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
