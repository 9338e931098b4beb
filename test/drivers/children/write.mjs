// Writes for ever and reports each version that was answered as committed. Ends by being killed.
import { openBackend } from './open.mjs';

const CALL = { timeoutMs: 30_000 };
const fence = { fencingToken: 1n, sessionId: 'shared' };
const { register } = await openBackend();
for (;;) {
  const { state } = await register.read({ ...CALL, keys: [] });
  const entries = Array.from({ length: 50 }, (_, n) => [
    `job-${n}`,
    { ...fence, address: 'x'.repeat(200), metadata: { version: `${state.version + 1n}` } },
  ]);
  const write = { expectedVersion: state.version, fence, puts: new Map(entries), withdrawals: new Map() };
  const answer = await register.write(write, CALL);
  if (answer.outcome !== 'committed') throw new Error(answer.outcome);
  await new Promise((sent) => process.send({ version: `${answer.version}` }, sent));
}
