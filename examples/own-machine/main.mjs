// @ts-check
import { openTenure } from 'tenure';
import { createActor, waitFor } from 'xstate';
import { billingMachine } from './billing-machine.mjs';

/** @param {string} name */
async function startService(name) {
  // In production `backend: 'sqlite'`; the memory backend lets two participants of one process compete.
  const tenure = await openTenure({ election: 'billing', backend: 'memory', name });
  const input = { name, tenure, address: `http://${name}.example:8080`, say: console.log };
  return { tenure, actor: createActor(billingMachine, { input }).start() };
}

const north = await startService('north');
await waitFor(north.actor, (snapshot) => snapshot.matches({ leading: 'confirmed' }));
const south = await startService('south');
await waitFor(south.actor, (snapshot) => snapshot.context.leader !== null);

north.actor.send({ type: 'invoice.due', invoice: 'invoice 1' });
south.actor.send({ type: 'invoice.due', invoice: 'invoice 2' });

await north.tenure.stepDown();
await waitFor(south.actor, (snapshot) => snapshot.matches({ leading: 'confirmed' }));
await waitFor(north.actor, (snapshot) => snapshot.context.leader?.address === 'http://south.example:8080');

north.actor.send({ type: 'invoice.due', invoice: 'invoice 3' });
south.actor.send({ type: 'invoice.due', invoice: 'invoice 4' });

for (const { actor, tenure } of [north, south]) {
  actor.stop();
  await tenure.close();
}
console.log('closed');
