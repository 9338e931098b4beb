/** What a user writes. Kept as text: these files see only the installed package, never this repository's sources. */

/** Argument: name of a subpath's factory. Prints one JSON line. */
export const SESSION = `
import { openTenure } from 'tenure';
import { memory } from 'tenure/memory';
import { sqlite } from 'tenure/sqlite';

const backends = { memory: () => memory(), sqlite: () => sqlite({ file: 'session/tenure.db' }) };
const tenure = await openTenure({ election: 'smoke', backend: backends[process.argv[2]]() });
const following = tenure.follow('web');
let told;
const led = new Promise((resolve) => { told = resolve; });
const leading = tenure.lead('web', async (session) => {
  await session.confirm({ address: 'http://127.0.0.1:1' });
  told(session.isCurrent);
  await new Promise((resolve) => session.signal.addEventListener('abort', resolve));
});
const wasCurrent = await led;
let seen;
for await (const leader of following) {
  if (leader === null) continue;
  seen = leader.address;
  break;
}
await tenure.close();
console.log(JSON.stringify({ wasCurrent, seen, phase: leading.state.phase, xstate: import.meta.resolve('xstate') }));
`;

/** Arguments: specifiers. Prints what each exports. */
export const EXPORTS = `
const found = {};
for (const specifier of process.argv.slice(2)) {
  const options = specifier.endsWith('.json') ? { with: { type: 'json' } } : undefined;
  found[specifier] = Object.keys(await import(specifier, options));
}
console.log(JSON.stringify(found));
`;

export const COMMON_JS = `
const { openTenure, TenureError } = require('tenure');
const { leadershipMachine } = require('tenure/machines');
console.log(typeof openTenure, TenureError.name, leadershipMachine.id);
`;

export const TYPES = `
import { type LeaderSession, openTenure, TenureError } from 'tenure';
import { leadershipMachine } from 'tenure/machines';
import { memory } from 'tenure/memory';
import { sqlite } from 'tenure/sqlite';
import { createActor } from 'xstate';

await using tenure = await openTenure({ election: 'types', backend: sqlite() });
const leading = tenure.lead('web', async (session: LeaderSession) => {
  const token: bigint = session.fencingToken;
  await session.confirm({ address: String(token) });
});
for await (const leader of tenure.follow('web')) {
  const address: string | undefined = leader?.address;
  if (address !== undefined) break;
}
try {
  await tenure.stepDown();
} catch (error) {
  if (error instanceof TenureError && error.code === 'not-leading') await leading.close();
}
createActor(leadershipMachine, { input: { component: 'web' } }).send({ type: 'close' });

// @ts-expect-error: an election needs its name
await openTenure({ backend: memory() });
`;

export const TSCONFIG = JSON.stringify({
  compilerOptions: {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
  },
  files: ['types.ts'],
});
