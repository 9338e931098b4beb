import { type ChildProcess, spawn } from 'node:child_process';
import { binaryPath } from './building/build.ts';
import { guardOfThisProcess } from './guard.ts';

export interface ClientGoOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly lease: string;
  readonly identity: string;
  /** Default 15,000, client-go's own. */
  readonly leaseDurationMs?: number;
  /** Default 10,000. */
  readonly renewDeadlineMs?: number;
  /** Default 2,000. */
  readonly retryPeriodMs?: number;
  /** Gives the Lease back at SIGTERM (client-go's ReleaseOnCancel). */
  readonly release?: boolean;
}

/**
 * `leading` is OnStartedLeading, `told-to-stop` the end of the context that it was given, `lost` OnStoppedLeading (also
 * when it never led), `observed` OnNewLeader.
 */
export interface ClientGoEvent {
  readonly event: 'started' | 'leading' | 'told-to-stop' | 'lost' | 'observed';
  readonly identity: string;
  readonly leader?: string;
  /** Of the machine's wall clock, as Date.now() but finer. */
  readonly atMs: number;
}

/** One process with client-go's own elector: somebody else's participant on the same Lease. */
export class ClientGo {
  readonly events: ClientGoEvent[] = [];
  readonly exited: Promise<void>;
  readonly #child: ChildProcess;
  #log = '';
  #isClosed = false;
  #waiting: (() => void)[] = [];

  constructor(path: string, args: readonly string[]) {
    this.#child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const { pid } = this.#child;
    if (pid !== undefined) guardOfThisProcess().started(pid);
    this.exited = new Promise((settle) => {
      this.#child.once('error', () => settle());
      this.#child.once('close', () => settle());
    });
    void this.exited.then(() => {
      this.#isClosed = true;
      if (pid !== undefined) guardOfThisProcess().ended(pid);
      this.#wake();
    });
    let rest = '';
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      this.events.push(...lines.map((line) => JSON.parse(line) as ClientGoEvent));
      this.#wake();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-8_000);
    });
  }

  /** What client-go itself said last. */
  get log(): string {
    return this.#log;
  }

  /** The first event of that name from `from` on. Fails when the process ends without one. */
  async event(name: ClientGoEvent['event'], from = 0): Promise<ClientGoEvent> {
    for (;;) {
      const found = this.events.slice(from).find(({ event }) => event === name);
      if (found !== undefined) return found;
      if (this.#isClosed) throw new Error(`client-go ended without '${name}'\n${this.#log}`);
      await new Promise<void>((settle) => this.#waiting.push(settle));
    }
  }

  /** SIGTERM, and waits for its end; it gives the Lease back if it was started with `release`. */
  async stop(): Promise<void> {
    this.signal('SIGTERM');
    await this.exited;
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }

  /** SIGSTOP and SIGCONT freeze it and let it go on. */
  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const settle of waiting) settle();
  }
}

/** @throws ServerMissing where it cannot be built */
export async function startClientGo(options: ClientGoOptions): Promise<ClientGo> {
  const milliseconds = (value: number): string => `${value}ms`;
  const args = {
    kubeconfig: options.kubeconfig,
    namespace: options.namespace,
    lease: options.lease,
    identity: options.identity,
    'lease-duration': milliseconds(options.leaseDurationMs ?? 15_000),
    'renew-deadline': milliseconds(options.renewDeadlineMs ?? 10_000),
    'retry-period': milliseconds(options.retryPeriodMs ?? 2_000),
    release: String(options.release ?? false),
  };
  const path = await binaryPath('client-go-elector');
  return new ClientGo(
    path,
    Object.entries(args).map(([name, value]) => `-${name}=${value}`),
  );
}
