// Opens, watches, writes and closes `rounds` times; then nothing may be left that keeps the process alive.
import { args, openBackend } from './open.mjs';

const CALL = { timeoutMs: 30_000 };
const fence = { fencingToken: 1n, sessionId: 'shared' };
for (let round = 0; round < Number(args[0]); round += 1) {
  const { register, lease, close } = await openBackend();
  await new Promise((settle) => void register.watch(settle));
  lease.watch(() => {});
  for (let committed = false; !committed; ) {
    const { state } = await register.read({ ...CALL, keys: [] });
    const write = { expectedVersion: state.version, fence, puts: new Map(), withdrawals: new Map() };
    committed = (await register.write(write, CALL)).outcome === 'committed';
  }
  await close();
}
process.disconnect();
