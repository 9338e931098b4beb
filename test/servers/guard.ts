import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { repositoryRoot } from './building/recipe.ts';

let guard: Guard | null = null;

export function guardOfThisProcess(): Guard {
  guard ??= new Guard();
  return guard;
}

/**
 * Ends servers whose starter has died without ending them (kill -9, a crash, Ctrl-C): a small process of its own
 * session, whose input closes with the starter.
 */
class Guard {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = spawn(process.execPath, [join(repositoryRoot(), 'test/servers/children/guard.mjs')], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // Its end is noticed where it matters: a server is left over. A write to it must not end the tests.
    this.#child.stdin?.on('error', () => {});
    // It does not keep its starter alive.
    this.#child.unref();
    (this.#child.stdin as Socket | null)?.unref();
  }

  /** Registers the leader of a process group. */
  started(pid: number): void {
    this.#tell(`start ${pid}`);
  }

  ended(pid: number): void {
    this.#tell(`end ${pid}`);
  }

  /** Removed with everything in it at the end, if it is still there. */
  folder(path: string): void {
    this.#tell(`folder ${path}`);
  }

  #tell(line: string): void {
    this.#child.stdin?.write(`${line}\n`);
  }
}
