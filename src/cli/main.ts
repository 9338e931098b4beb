#!/usr/bin/env node
import { hostname } from 'node:os';
import { systemClock } from '../drivers/system/clock.ts';
import { systemRandom } from '../drivers/system/random.ts';
import type { Signals } from './command.ts';
import { runCommandLine } from './command-line.ts';
import { COMMANDS } from './commands.ts';

const signals: Signals = {
  on: (names, listener) => {
    const receive = (name: NodeJS.Signals) => listener(name);
    for (const name of names) process.on(name, receive);
    return () => {
      for (const name of names) process.off(name, receive);
    };
  },
};

// A reader that has seen enough (`| head -1`) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});
// Talk that nobody can read must not end work that goes on.
process.stderr.on('error', () => {});

process.exitCode = await runCommandLine(process.argv.slice(2), COMMANDS, {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  host: hostname(),
  clock: systemClock(),
  random: systemRandom(),
  signals,
});
