import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { guardOfThisProcess } from './guard.ts';

export interface ServerCommand {
  readonly name: string;
  readonly path: string;
  readonly args: readonly string[];
  /** Where all that it says is kept, over restarts too. */
  readonly log: string;
}

/** One real server, in a process group of its own. */
export class ServerProcess {
  readonly command: ServerCommand;
  #child: ChildProcess | null = null;
  #exited: Promise<void> = Promise.resolve();

  constructor(command: ServerCommand) {
    this.command = command;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Starts it; whoever needs it ready asks it. */
  start(): void {
    if (this.#child !== null) throw new Error(`${this.command.name} runs already`);
    const log = openSync(this.command.log, 'a');
    const child = spawn(this.command.path, this.command.args, { stdio: ['ignore', log, log], detached: true });
    closeSync(log);
    this.#child = child;
    const pid = child.pid;
    if (pid !== undefined) guardOfThisProcess().started(pid);
    this.#exited = new Promise((settle) => {
      const over = (): void => {
        if (pid !== undefined) guardOfThisProcess().ended(pid);
        if (this.#child === child) this.#child = null;
        settle();
      };
      child.once('error', over);
      child.once('exit', over);
    });
  }

  /** At once with SIGKILL, as a power cut; in good order with SIGTERM. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.#signal('SIGCONT');
    this.#signal(signal);
    await this.#exited;
  }

  /** Nothing runs in it, its connections stay open. */
  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /**
   * Waits until `isReady` says so.
   *
   * @throws Error with the end of its log when it ends before or takes longer than `limitMs`
   */
  async ready(isReady: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
    const limit = Date.now() + limitMs;
    while (!(await isReady())) {
      if (!this.isRunning) throw new Error(`${this.command.name} ended before it was ready\n${this.lastWords()}`);
      if (Date.now() > limit) throw new Error(`${this.command.name} not ready in ${limitMs} ms\n${this.lastWords()}`);
      await new Promise((settle) => setTimeout(settle, 50));
    }
  }

  lastWords(): string {
    return readFileSync(this.command.log, 'utf8').split('\n').slice(-25).join('\n');
  }

  #signal(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
