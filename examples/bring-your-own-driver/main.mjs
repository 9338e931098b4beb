// @ts-check
import { once } from 'node:events';
import { Participant } from './participant.mjs';
import { Lock, Register } from './store.mjs';

const lock = new Lock();
const register = new Register();

/** @param {string} name */
function join(name) {
  /** @type {() => void} */
  let started = () => {};
  const leads = new Promise((resolve) => {
    started = () => resolve(undefined);
  });
  const participant = new Participant({
    name,
    lock,
    register,
    async work({ fencingToken }, signal, confirm) {
      console.log(`${name}: leads with fencing token ${fencingToken}`);
      confirm(`http://${name}.example:8080`);
      started();
      if (!signal.aborted) await once(signal, 'abort');
      console.log(`${name}: stops (${signal.reason})`);
    },
  });
  return { participant, leads };
}

/**
 * What a follower sees; a real one would watch.
 * @param {string} address
 */
async function seen(address) {
  for (;;) {
    const { entry } = await register.read();
    if (entry?.address === address) return console.log(`register: ${address} with fencing token ${entry.fencingToken}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const north = join('north');
await north.leads;
await seen('http://north.example:8080');
const { entry: old } = await register.read();

const south = join('south');
north.participant.stepDown();
await south.leads;
await seen('http://south.example:8080');

// What north wrote too late, for instance because its process was frozen for a while.
const late = await register.write(old?.fencingToken ?? 0n, old);
console.log(`register: a late write of north is ${late.outcome}`);

await north.participant.close();
await south.participant.close();
console.log(`register: ${(await register.read()).entry === null ? 'empty' : 'still holds an entry'}`);
