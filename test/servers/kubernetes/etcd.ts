import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ServerProcess } from '../server-process.ts';
import { freePort } from './ports.ts';

/** One etcd, on a folder of its own. */
export class Etcd {
  readonly url: string;
  readonly port: number;
  readonly process: ServerProcess;
  readonly #data: string;
  readonly #folder: string;
  #backups = 0;

  private constructor(binary: string, folder: string, ports: readonly [number, number]) {
    const peer = `http://127.0.0.1:${ports[1]}`;
    this.port = ports[0];
    this.url = `http://127.0.0.1:${this.port}`;
    this.#folder = folder;
    this.#data = join(folder, 'etcd');
    const args = [
      ...['--data-dir', this.#data],
      // The folder is thrown away: nothing in it has to survive the machine. A killed etcd loses nothing by it.
      '--unsafe-no-fsync',
      ...['--listen-client-urls', this.url, '--advertise-client-urls', this.url],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', `default=${peer}`],
    ];
    this.process = new ServerProcess({ name: 'etcd', path: binary, args, log: join(folder, 'etcd.log') });
  }

  static async create(binary: string, folder: string): Promise<Etcd> {
    return new Etcd(binary, folder, [await freePort(), await freePort()]);
  }

  async start(): Promise<void> {
    this.process.start();
    await this.process.ready(() => this.#isHealthy());
  }

  /** A copy of its files at one moment: it stands still meanwhile, as a power cut at that moment would leave it. */
  backup(): string {
    this.#backups++;
    const copy = join(this.#folder, `etcd-backup-${this.#backups}`);
    this.process.freeze();
    try {
      cpSync(this.#data, copy, { recursive: true });
    } finally {
      this.process.thaw();
    }
    return copy;
  }

  /** Puts a copy in place. Only while it does not run. */
  replaceData(backup: string): void {
    if (this.process.isRunning) throw new Error('etcd runs: end it before its files are replaced');
    rmSync(this.#data, { recursive: true, force: true });
    cpSync(backup, this.#data, { recursive: true });
  }

  async #isHealthy(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/health`, { signal: AbortSignal.timeout(2_000) })).ok;
    } catch {
      // Not listening yet.
      return false;
    }
  }
}
