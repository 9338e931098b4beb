import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { Output, TextStream } from './output.ts';
import type { SettingName } from './settings/definitions.ts';
import type { Settings } from './settings/settings.ts';

/** Everything outside the program that a command may touch. */
export interface World {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly host: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly signals: Signals;
}

export interface Signals {
  /** While a listener is there, the signal does not end the process. Returns the function that removes it. */
  on(names: readonly NodeJS.Signals[], listener: (name: NodeJS.Signals) => void): () => void;
}

export interface Invocation {
  readonly settings: Settings;
  /** The command behind `--`; empty where the command takes none. */
  readonly rest: readonly string[];
  readonly output: Output;
  readonly world: World;
}

export interface Command {
  readonly name: string;
  readonly sentence: string;
  readonly usage: string;
  /** The three that people need: what it is for, and the line. */
  readonly examples: readonly (readonly [purpose: string, line: string])[];
  readonly settings: readonly SettingName[];
  readonly takesCommand?: boolean;
  readonly exitCodes: readonly (readonly [code: string, meaning: string])[];
  run(invocation: Invocation): Promise<number>;
}

/** Exit codes of every command but `run`, which returns the code of its child. */
export const EXIT = { yes: 0, no: 1, notKnown: 2 } as const;
