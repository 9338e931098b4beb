// Adds `rounds` to a counter in the register and acquires the lease as often; reports how that went.
import { args, openBackend } from './open.mjs';

const rounds = Number(args[0]);
const CALL = { timeoutMs: 30_000 };
const fence = { fencingToken: 1n, sessionId: 'shared' };
const backend = await openBackend();
const tokens = [];
let conflicts = 0;
let slowestMs = 0;

async function timed(call) {
  const start = performance.now();
  const answer = await call;
  slowestMs = Math.max(slowestMs, performance.now() - start);
  if (answer.outcome === 'conflict') conflicts += 1;
  else if (!['committed', 'found', 'absent'].includes(answer.outcome)) throw new Error(JSON.stringify(answer));
  return answer;
}

async function increment() {
  for (;;) {
    const { state } = await timed(backend.register.read({ ...CALL, keys: ['counter'] }));
    const count = Number(state.changed.get('counter')?.metadata.count ?? 0) + 1;
    const entry = { ...fence, address: '', metadata: { count: `${count}` } };
    const puts = new Map([['counter', entry]]);
    const write = { expectedVersion: state.version, fence, puts, withdrawals: new Map() };
    if ((await timed(backend.register.write(write, CALL))).outcome === 'committed') return;
  }
}

async function acquire(sessionId) {
  for (;;) {
    const reading = await timed(backend.lease.read(CALL));
    const expectedVersion = reading.outcome === 'found' ? reading.record.version : null;
    const write = { kind: 'acquire', expectedVersion, holder: 'child', sessionId, durationMs: 15_000 };
    const answer = await timed(backend.lease.write(write, CALL));
    if (answer.outcome === 'committed') return `${answer.record.fencingToken}`;
  }
}

for (let round = 0; round < rounds; round += 1) {
  await increment();
  tokens.push(await acquire(`${process.pid}-${round}`));
}
await backend.close();
process.send({ tokens, conflicts, slowestMs }, () => process.disconnect());
