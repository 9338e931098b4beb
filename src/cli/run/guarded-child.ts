import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { TenureError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import { visible } from '../text/visible.ts';
import { deadlineIn } from './deadline.ts';
import { deferred } from './deferred.ts';
import type { ChildEnd, FromGuard, ToGuard } from './messages.ts';
import { signalGroup } from './process-group.ts';

export interface GuardedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly graceMs: number;
  readonly remainingMs: number;
}

/** SIGKILL leaves so long before the deadline: room for a busy machine to carry it out. */
export const KILL_LEAD_MS = 100;
/** If the guard has not done it by then, the wrapper does. */
const OWN_KILL_LEAD_MS = 60;
const READ_MESSAGES_MS = 10;

const SHELL_CODES: Readonly<Record<string, string>> = {
  ENOENT: 'was not found',
  EACCES: 'is not executable',
  ENOEXEC: 'is not executable (no #! line)',
};

/** The wrapper's side: a guard process, and through it the command. Each watches the other. */
export class GuardedChild {
  /** Process id of the command. Rejects with `command-failed` when it could not be started. */
  readonly started: Promise<number>;
  /** Never rejects. After a failed start it settles too. */
  readonly ended: Promise<ChildEnd>;
  /** Told when the guard starts to stop the command because the deadline comes near. */
  onStopping: (leftMs: number) => void = () => {};
  readonly #clock: Clock;
  readonly #guard: ChildProcess;
  #pid: number | null = null;
  #over = false;
  #cancelOwnKill: () => void = () => {};

  constructor(command: GuardedCommand, clock: Clock) {
    this.#clock = clock;
    this.#guard = spawnGuard(command.env);
    const started = deferred<number>();
    const ended = deferred<ChildEnd>();
    this.started = started.promise;
    this.ended = ended.promise;
    // Whoever waits for the end only must not be struck by the failed start.
    started.promise.catch(() => {});
    this.#guard.on('message', (message: FromGuard) => {
      if (message.kind === 'spawned') {
        this.#pid = message.pid;
        started.resolve(message.pid);
      } else if (message.kind === 'stopping') this.onStopping(message.leftMs);
      else if (message.kind === 'not-spawned')
        started.reject(new CommandNotStarted(command.command, message.reason, message.detail));
      else if (message.kind === 'ended') this.#finish(ended.resolve, message);
    });
    const guardDied = () => {
      if (this.#pid !== null && !this.#over) signalGroup(this.#pid, 'SIGKILL');
      started.reject(
        new TenureError('command-failed', `the guard of ${visible(command.command)} died before it started`),
      );
      this.#finish(ended.resolve, { code: null, signal: 'SIGKILL', why: 'guard-died' });
    };
    this.#guard.once('exit', guardDied);
    this.#guard.once('error', guardDied);
    const { remainingMs, ...rest } = command;
    this.#send({ kind: 'start', ...rest, deadline: deadlineIn(remainingMs, clock), killLeadMs: KILL_LEAD_MS });
    this.#armOwnKill(remainingMs);
  }

  /** The lease was renewed: so long is it ours from now on. */
  feed(remainingMs: number): void {
    if (this.#over) return;
    this.#send({ kind: 'deadline', deadline: deadlineIn(remainingMs, this.#clock) });
    this.#armOwnKill(remainingMs);
  }

  stop(signal: NodeJS.Signals, graceMs: number): void {
    this.#send({ kind: 'stop', signal, graceMs });
  }

  signal(signal: NodeJS.Signals): void {
    this.#send({ kind: 'signal', signal });
  }

  #send(message: ToGuard): void {
    // A guard that is gone is noticed by its exit.
    if (this.#guard.connected) this.#guard.send(message, () => {});
  }

  /** For a guard that is frozen itself. */
  #armOwnKill(remainingMs: number): void {
    this.#cancelOwnKill();
    this.#cancelOwnKill = this.#clock.setTimer(Math.max(0, remainingMs - OWN_KILL_LEAD_MS), () => {
      // After a freeze of this process the timer comes before the guard's messages. Once they are read, a child that
      // has not ended is unreaped, so its id cannot have passed to a stranger.
      this.#cancelOwnKill = this.#clock.setTimer(READ_MESSAGES_MS, () => {
        if (this.#pid !== null) signalGroup(this.#pid, 'SIGKILL');
      });
    });
  }

  #finish(resolve: (end: ChildEnd) => void, end: ChildEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelOwnKill();
    resolve({ code: end.code, signal: end.signal, why: end.why });
  }
}

/** Its own session and group: what is sent to the wrapper's group (Ctrl-C, a kill of the group) does not reach it. */
function spawnGuard(env: Readonly<Record<string, string | undefined>>): ChildProcess {
  const { NODE_OPTIONS: _, ...plain } = env;
  const script = fileURLToPath(new URL('./guard.js', import.meta.url));
  return spawn(process.execPath, [script], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
    env: plain,
  });
}

/** `exitCode` is what a shell returns: 127 for a command that is not there, 126 for one that cannot be executed. */
export class CommandNotStarted extends TenureError {
  override readonly name = 'CommandNotStarted';
  readonly exitCode: number;

  constructor(command: string, reason: string, detail: string) {
    const why = SHELL_CODES[reason] ?? `could not be started: ${detail}`;
    super('command-failed', `the command ${visible(command)} ${why}`, { next: 'The lock was given back.' });
    this.exitCode = reason === 'ENOENT' ? 127 : 126;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof TenureError && 'exitCode' in (value as object);
  }
}
