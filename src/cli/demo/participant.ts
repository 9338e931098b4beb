import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { monotonicNs } from '../../drivers/system/monotonic.ts';
import type { FromWorker, ToWorker } from './messages.ts';

/** One participant of the demo, as its own process. */
export class Participant {
  readonly name: string;
  identity = '';
  /** Why it ended without being asked to; empty while it lives. */
  complaint = '';
  readonly #process: ChildProcess;

  constructor(
    name: string,
    args: readonly string[],
    hear: (message: FromWorker) => void,
    died: (atNs: bigint) => void,
  ) {
    this.name = name;
    const script = fileURLToPath(new URL('./worker.js', import.meta.url));
    this.#process = spawn(process.execPath, [script, ...args, name], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.complaint += text;
    });
    this.#process.on('message', hear);
    this.#process.once('exit', () => died(monotonicNs()));
    this.#process.once('error', (error) => {
      this.complaint += error.message;
      died(monotonicNs());
    });
  }

  tell(message: ToWorker): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  /** Lets it end by itself; without the channel nothing keeps it alive. */
  dismiss(): void {
    if (this.#process.connected) this.#process.disconnect();
  }
}
