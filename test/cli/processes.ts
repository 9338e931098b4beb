import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Compiled, compileCommand } from './compiled.ts';

export const WORKER = fileURLToPath(new URL('./children/worker.mjs', import.meta.url));

/** As short as the rules of timing allow on a busy machine. */
export const SHORT = ['--lease-duration', '3s', '--renew', '500ms', '--call-timeout', '500ms', '--margin', '1s'];

/** One `tenure` process. Nothing in here sleeps: every wait ends with a line of output or with an end. */
export class TenureProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  /** When the process itself has ended. */
  readonly exited: Promise<number | NodeJS.Signals | null>;
  /** When its output is closed: nobody who inherited it is left, not the guard and not the command. */
  readonly closed: Promise<void>;
  #output = { stdout: '', stderr: '' };
  #isClosed = false;
  #waiting: (() => void)[] = [];

  constructor(main: string, args: readonly string[], cwd: string, env: Record<string, string>) {
    this.child = spawn(process.execPath, [main, ...args], {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = new Promise((settle) => this.child.once('exit', (code, signal) => settle(signal ?? code)));
    this.closed = new Promise((settle) => this.child.once('close', () => settle()));
    void this.closed.then(() => {
      this.#isClosed = true;
      this.#wake();
    });
    for (const name of ['stdout', 'stderr'] as const) {
      let rest = '';
      this.child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#output[name] += text;
        const parts = (rest + text).split('\n');
        rest = parts.pop() ?? '';
        this.lines.push(...parts);
        this.#wake();
      });
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get stdout(): string {
    return this.#output.stdout;
  }

  get stderr(): string {
    return this.#output.stderr;
  }

  /** The first line from `from` on that matches. Fails when the output closes without one. */
  async line(pattern: RegExp, from = 0): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of this.lines.slice(from)) {
        const match = pattern.exec(line);
        if (match !== null) return match;
      }
      if (this.#isClosed) throw new Error(`ended without ${pattern}:\n${this.lines.join('\n')}`);
      await new Promise<void>((settle) => this.#waiting.push(settle));
    }
  }

  /** Code and complete output, once all is over. */
  async end(): Promise<{
    readonly code: number | NodeJS.Signals | null;
    readonly stdout: string;
    readonly stderr: string;
  }> {
    const code = await this.exited;
    await this.closed;
    return { code, ...this.#output };
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const settle of waiting) settle();
  }
}

/** A folder with the compiled command, where processes of one test file live. */
export class Stage {
  readonly folder = mkdtempSync(join(tmpdir(), 'tenure-cli-'));
  readonly #compiled: Compiled = compileCommand();
  readonly #processes: TenureProcess[] = [];

  get main(): string {
    return this.#compiled.main;
  }

  tenure(args: readonly string[], env: Record<string, string> = {}): TenureProcess {
    const started = new TenureProcess(this.#compiled.main, args, this.folder, env);
    this.#processes.push(started);
    return started;
  }

  /** `tenure run` with a short lease and the worker of the tests. */
  run(election: string, options: readonly string[] = [], worker: readonly string[] = []): TenureProcess {
    const command = ['--', process.execPath, WORKER, ...worker];
    return this.tenure(['run', '--election', election, ...SHORT, ...options, ...command]);
  }

  /** Ends what a failed test left behind, a guard and a command that nobody watches any more included. */
  async sweep(): Promise<void> {
    for (const started of this.#processes) {
      if (started.isClosed) continue;
      started.child.kill('SIGCONT');
      started.child.kill('SIGKILL');
      for (const line of started.lines) {
        const [, command, guard] = /^started \d+ (\d+) (\d+)/.exec(line) ?? [];
        for (const pid of [guard, command]) killGroup(Number(pid));
      }
    }
    await Promise.all(this.#processes.splice(0).map((started) => started.exited));
  }

  async close(): Promise<void> {
    await this.sweep();
    this.#compiled.remove();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function killGroup(leader: number): void {
  if (!(leader > 1)) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Whether a process runs; one that has ended and waits for its parent does not. */
export async function isRunning(pid: number): Promise<boolean> {
  const ps = spawn('ps', ['-o', 'stat=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let state = '';
  ps.stdout.setEncoding('utf8').on('data', (text: string) => {
    state += text;
  });
  await new Promise((settle) => ps.once('close', settle));
  return state.trim() !== '' && !state.trim().startsWith('Z');
}

/**
 * Freezes a process, but not inside a write: it would keep the file's write lock in its sleep, and nobody could take
 * over. Linux lists the locks by process; byte 120 of the `-shm` file is SQLite's write lock.
 */
export function freezeOutsideOfWrites(pid: number): void {
  const lock = new RegExp(`POSIX +ADVISORY +WRITE +${pid} .* 120 120$`, 'm');
  for (;;) {
    process.kill(pid, 'SIGSTOP');
    if (!existsSync('/proc/locks') || !lock.test(readFileSync('/proc/locks', 'utf8'))) return;
    process.kill(pid, 'SIGCONT');
  }
}
