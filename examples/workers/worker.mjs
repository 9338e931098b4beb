// @ts-check
import cluster from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTenure } from 'tenure';
import { sqlite } from 'tenure/sqlite';
import { appendResult, readResults } from './results.mjs';

const { TENURE_FILE: file = '.tenure/tenure.db', RESULTS_FILE: results = 'results.jsonl' } = process.env;
const nightMs = Number(process.env.NIGHT_MS ?? 24 * 60 * 60 * 1_000);

const tenure = await openTenure({
  election: 'workers',
  backend: sqlite({ file }),
  // A crash is noticed after at most `leaseDurationMs`; shorter than the default, because these workers share a machine.
  timing: { leaseDurationMs: 3_000, renewMs: 500, callTimeoutMs: 500, marginMs: 1_000 },
  onFinding: ({ code, detail }) => console.error(`${code}: ${detail}`),
});

tenure.lead('nightly-report', async (session) => {
  await session.confirm({ address: `pid:${process.pid}` });
  tell({ type: 'leading', token: String(session.fencingToken) });
  let night = (await readResults(results)).at(-1)?.night ?? 0;
  for (;;) {
    // Rejects when the session ends, which ends this function: only then can another worker start.
    await sleep(nightMs, undefined, { signal: session.signal });
    night += 1;
    const total = night * 100;
    session.assertCurrent();
    await appendResult(results, { night, total, fencingToken: String(session.fencingToken), pid: process.pid });
    tell({ type: 'wrote', night });
  }
});

/** @typedef {{ type: 'leading', token: string } | { type: 'wrote', night: number }} FromWorker */

/** @param {FromWorker} message */
function tell(message) {
  // Under PM2 nobody listens; under node:cluster the primary does.
  process.send?.(message);
}

async function shutDown() {
  await tenure.close();
  // The channel to a cluster's primary would keep the process alive.
  cluster.worker?.disconnect();
}
process.once('SIGTERM', shutDown);
process.once('SIGINT', shutDown);
