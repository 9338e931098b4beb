/**
 * The guard process of `tenure run`: starts the command and stops it in time, also when the wrapper is frozen or dead.
 * It is a process of its own because a process that is stopped (SIGSTOP, a paused container, a blocked write) cannot
 * watch its own deadline.
 */
import { systemClock } from '../../drivers/system/clock.ts';
import { GuardedGroup } from './guarded-group.ts';
import type { FromGuard, ToGuard } from './messages.ts';

const clock = systemClock();
let group: GuardedGroup | null = null;
let graceMs = 0;
let killed = false;

// The wrapper decides what a signal means. The guard must outlive those that are sent to everybody (a service manager).
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGQUIT'] as const)
  process.on(name, () => {});
process.stderr.on('error', () => {});

process.on('message', (message: ToGuard) => {
  if (message.kind === 'start') {
    graceMs = message.graceMs;
    group = new GuardedGroup(message, clock, tell);
  } else if (message.kind === 'deadline') group?.moveDeadline(message.deadline);
  else if (message.kind === 'stop') group?.stop(message.signal, message.graceMs, 'told');
  else group?.signal(message.signal);
});

process.on('disconnect', () => {
  if (group?.hasChild === true) group.stop('SIGTERM', graceMs, 'told');
  else process.exit(0);
});

function tell(message: FromGuard): void {
  if (message.kind === 'killed') killed = true;
  const last = message.kind === 'ended' || message.kind === 'not-spawned';
  if (process.connected) process.send?.(message, () => last && process.exit(0));
  else if (last) farewell();
}

/** Written only after the child is dead: a stderr that nobody reads may block this process for good. */
function farewell(): never {
  const how = killed ? 'SIGTERM, then SIGKILL' : 'SIGTERM';
  process.stderr.write(`tenure: the process that held the lease died; its child was ended with ${how}\n`);
  process.exit(0);
}
