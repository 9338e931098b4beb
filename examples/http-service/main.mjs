// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));

/** One replica; `said` settles with the first line that starts with the word. */
class Replica {
  /** @type {string[]} */
  #lines = [];
  #wake = () => {};

  /** @param {string} file */
  constructor(file) {
    const env = { ...process.env, PORT: '0', TENURE_FILE: file };
    this.child = spawn(process.execPath, [SERVER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.ended = once(this.child, 'close');
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      console.log(line);
      this.#lines.push(line);
      this.#wake();
    });
  }

  /** @param {string} word */
  async said(word) {
    for (;;) {
      const line = this.#lines.find((candidate) => candidate.startsWith(word));
      if (line !== undefined) return line.slice(line.lastIndexOf(' ') + 1);
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
    }
  }
}

/**
 * Asks `from` for the leader until it is `expected`.
 * @param {string} from @param {string} expected
 */
async function askForLeader(from, expected) {
  for (;;) {
    const response = await fetch(`${from}/leader`, { redirect: 'manual' });
    if (response.headers.get('location') !== `${expected}/`) continue;
    console.log(`${from}/leader redirects to ${expected}`);
    console.log((await (await fetch(`${from}/leader`)).text()).trim());
    return;
  }
}

const folder = mkdtempSync(join(tmpdir(), 'tenure-http-service-'));
const file = join(folder, 'tenure.db');
/** @type {Replica[]} */
const replicas = [];
process.once('exit', () => {
  for (const { child } of replicas) child.kill();
  rmSync(folder, { recursive: true, force: true });
});
process.once('SIGINT', () => process.exit(1));
process.once('SIGTERM', () => process.exit(1));

const first = new Replica(file);
replicas.push(first);
const firstAddress = await first.said('leading');
const second = new Replica(file);
replicas.push(second);
const secondAddress = await second.said('listening');
await askForLeader(secondAddress, firstAddress);

first.child.kill('SIGTERM');
await second.said('leading');
await first.ended;
await askForLeader(secondAddress, secondAddress);

second.child.kill('SIGTERM');
await second.ended;
console.log('all replicas have ended');
