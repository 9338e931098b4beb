import { constants } from 'node:os';
import { TenureError } from '../errors.ts';
import type { LeaderSession, Tenure } from '../runtime/api.ts';
import { loadBackend } from './backends/choose.ts';
import type { Command, Invocation } from './command.ts';
import { deferred } from './run/deferred.ts';
import { CommandNotStarted } from './run/guarded-child.ts';
import { Interrupts } from './run/interrupts.ts';
import { planRun } from './run/plan.ts';
import { type RunParts, runSession } from './run/session.ts';
import { RunTalk } from './run/talk.ts';

export const run: Command = {
  name: 'run',
  sentence: 'Run a command only while this process leads the election, and stop it before another can lead.',
  usage: 'tenure run --election NAME [OPTIONS] -- COMMAND [ARGUMENTS]',
  examples: [
    ['a nightly job in one process of many', 'tenure run --election nightly -- node job.js'],
    [
      'a server that is restarted when it fails, with its address',
      'tenure run --election api --address http://10.0.0.7:80 --restart on-failure -- node server.js',
    ],
    [
      'fail over within seconds',
      'tenure run --election api --lease-duration 3s --renew 500ms --call-timeout 400ms --margin 1s -- ./worker',
    ],
  ],
  settings: [
    'election',
    'component',
    'name',
    'address',
    'restart',
    'once',
    'backend',
    'file',
    'kubeconfig',
    'context',
    'namespace',
    'iKnowOnlyOneRuns',
    'leaseDuration',
    'renew',
    'callTimeout',
    'margin',
    'grace',
  ],
  takesCommand: true,
  exitCodes: [
    ['CODE', 'of the command, once it has ended by itself or after SIGINT or SIGTERM; 128 + N when signal N ended it'],
    ['126, 127', 'the command cannot be executed, was not found'],
    ['1', 'bad input, or a file that cannot be used; nothing was started'],
    ['2', 'the backend is out of reach'],
  ],
  run: runCommand,
};

async function runCommand({ settings, rest, output, world }: Invocation): Promise<number> {
  const plan = planRun(settings, rest, world.host);
  if (process.platform === 'win32') {
    throw new TenureError('command-failed', 'tenure run needs process groups, which Windows does not have');
  }
  const talk = new RunTalk(output, plan);
  const interrupts = new Interrupts(world.signals);
  try {
    const parts = { plan, talk, interrupts, clock: world.clock, env: world.env, host: world.host };
    return await lead(parts);
  } catch (error) {
    if (!(error instanceof CommandNotStarted)) throw error;
    output.failure(error);
    return error.exitCode;
  } finally {
    interrupts.close();
  }
}

async function lead(parts: RunParts): Promise<number> {
  const { plan, talk } = parts;
  const { openTenure } = await import('../runtime/open-tenure.ts');
  const tenure = await openTenure({
    election: plan.election,
    backend: await loadBackend(plan.backend),
    name: plan.name,
    timing: plan.timingOptions,
    onFinding: (finding) => talk.finding(finding.detail, finding.code),
  });
  try {
    talk.standing(tenure.place, tenure.identity);
    if (tenure.protection === 'none') talk.unprotected();
    return await standUntilDone(tenure, parts);
  } finally {
    await tenure.close();
  }
}

/** Stands, session after session, until the command or a signal decides the exit code. */
async function standUntilDone(tenure: Tenure, parts: RunParts): Promise<number> {
  const { plan, interrupts } = parts;
  const done = deferred<number>();
  let over = false;
  let running = false;
  const end = (code: number) => {
    over = true;
    done.resolve(code);
  };
  const endByInterrupt = () => {
    if (!running) end(128 + constants.signals[interrupts.first ?? 'SIGTERM']);
  };
  const contend = async (session: LeaderSession) => {
    if (over) return;
    running = true;
    try {
      const outcome = await runSession(session, parts);
      if (outcome !== 'stand-again') end(outcome.code);
    } catch (error) {
      over = true;
      done.reject(error);
    }
    running = false;
    if (interrupts.ending) endByInterrupt();
  };
  const stand = (): void => {
    // A child that was stopped in a session which recovered after that leaves the component resigned: stand again.
    tenure.lead(plan.component, contend).closed.then(() => over || stand());
  };
  stand();
  if (interrupts.ending) endByInterrupt();
  else interrupts.signal.addEventListener('abort', endByInterrupt, { once: true });
  return await done.promise;
}
