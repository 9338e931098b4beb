import type { Command } from './command.ts';
import { demo } from './demo.ts';
import { explore } from './explore.ts';
import { generateTests } from './generate-tests.ts';
import { run } from './run.ts';
import { simulate } from './simulate.ts';
import { status } from './status.ts';
import { stepDown } from './step-down.ts';
import { watch } from './watch.ts';

/** In the order in which people need them. */
export const COMMANDS: readonly Command[] = [run, status, watch, stepDown, demo, explore, simulate, generateTests];
