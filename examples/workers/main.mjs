// @ts-check
import cluster from 'node:cluster';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readResults } from './results.mjs';

const WORKERS = 3;
const NIGHTS_EACH = 3;

const folder = mkdtempSync(join(tmpdir(), 'tenure-workers-'));
// The workers end with this process: node:cluster sees to that.
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
process.once('SIGINT', () => process.exit(1));
process.once('SIGTERM', () => process.exit(1));

const resultsFile = join(folder, 'results.jsonl');
cluster.setupPrimary({ exec: fileURLToPath(new URL('worker.mjs', import.meta.url)) });
const fork = () => cluster.fork({ TENURE_FILE: join(folder, 'tenure.db'), RESULTS_FILE: resultsFile, NIGHT_MS: '100' });
for (let count = 0; count < WORKERS; count += 1) fork();

const first = await nights(NIGHTS_EACH);
first.process.kill('SIGKILL');
await once(first, 'exit');
console.log('the leader was killed; the others wait until its lease has run out');
fork();
const second = await nights(NIGHTS_EACH);

const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
const ended = workers.map((worker) => once(worker, 'exit'));
for (const worker of workers) worker.process.kill('SIGTERM');
await Promise.all(ended);
for (const { night, total, fencingToken } of await readResults(resultsFile)) {
  console.log(`night ${night}: ${total} (fencing token ${fencingToken})`);
}
console.log(`${first.id === second.id ? 'nobody' : 'another worker'} took over; all workers have ended`);

/**
 * The worker that leads, once it has written so many results.
 * @param {number} count
 * @returns {Promise<import('node:cluster').Worker>}
 */
function nights(count) {
  let left = count;
  return new Promise((resolve) => {
    /** @type {(worker: import('node:cluster').Worker, message: import('./worker.mjs').FromWorker) => void} */
    const listen = (worker, message) => {
      if (message.type === 'leading') console.log(`worker ${worker.id} leads with fencing token ${message.token}`);
      else left -= 1;
      if (left > 0) return;
      cluster.off('message', listen);
      resolve(worker);
    };
    cluster.on('message', listen);
  });
}
