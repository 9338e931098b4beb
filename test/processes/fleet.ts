import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Said {
  readonly event: string;
  readonly name?: string;
  readonly at: string;
  readonly token?: string;
  readonly code?: string;
  readonly outcome?: string;
  readonly reason?: string;
}

const child = (file: string): string => fileURLToPath(new URL(`children/${file}`, import.meta.url));

/** Real processes on one file. Every wait ends with a line that a process prints; nothing here sleeps. */
export class Fleet {
  readonly folder = mkdtempSync(join(tmpdir(), 'tenure-processes-'));
  readonly file = join(this.folder, 'tenure.db');
  readonly log = join(this.folder, 'work.log');
  readonly said: Said[] = [];
  readonly processes = new Map<string, ChildProcess>();
  #waiting: (() => void)[] = [];
  readonly #started: ChildProcess[] = [];

  worker(name: string, keepLog = false): ChildProcess {
    const started = this.#spawn(child('worker.mjs'), [this.file, name, ...(keepLog ? [this.log] : [])]);
    this.processes.set(name, started);
    return started;
  }

  holdLock(spanMs: number): void {
    this.#spawn(child('lock-holder.mjs'), [this.file, String(spanMs)]);
  }

  /** The first event from `from` on that matches. */
  async until(matches: (said: Said) => boolean, from = 0): Promise<Said> {
    for (;;) {
      const found = this.said.slice(from).find(matches);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  kill(name: string, signal: NodeJS.Signals): bigint {
    const at = process.hrtime.bigint();
    this.processes.get(name)?.kill(signal);
    return at;
  }

  /** The exit code of a process that ends by itself. */
  async ended(name: string): Promise<number | null> {
    const ending = this.processes.get(name);
    if (ending === undefined || ending.exitCode !== null) return ending?.exitCode ?? null;
    return new Promise((resolve) => ending.once('exit', (code) => resolve(code)));
  }

  async close(): Promise<void> {
    const ends = this.#started.map(async (started) => {
      if (started.exitCode !== null || started.signalCode !== null) return;
      const ended = new Promise((resolve) => started.once('exit', resolve));
      started.kill('SIGCONT');
      started.kill('SIGKILL');
      await ended;
    });
    await Promise.all(ends);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #spawn(script: string, args: readonly string[]): ChildProcess {
    const started = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
    this.#started.push(started);
    let rest = '';
    started.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.said.push(JSON.parse(line) as Said);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const resolve of waiting) resolve();
    });
    return started;
  }
}

export const msBetween = (from: bigint, to: string): number => Number(BigInt(to) - from) / 1e6;
