import type { Command } from './command.ts';
import { demo } from './demo.ts';
import { run } from './run.ts';
import { status } from './status.ts';
import { stepDown } from './step-down.ts';
import { watch } from './watch.ts';

/** In the order in which people need them. */
export const COMMANDS: readonly Command[] = [run, status, watch, stepDown, demo];
