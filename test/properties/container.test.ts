import { describe, it } from 'vitest';
import type { Broken } from '../contract/broken/broken.ts';
import { registerFenceFaults, registerWritingFaults } from '../contract/broken/register-faults.ts';
import { registerReadingFaults, registerWatchingFaults } from '../contract/broken/register-view-faults.ts';
import { containerProperty } from './container-model.ts';
import { holds, isBroken } from './holds.ts';
import { memoryStores, sqliteStores, storesOf } from './stores.ts';

describe('a container answers any sequence of reads and writes as the model does', () => {
  it('memory', () => holds(containerProperty(memoryStores()), 200));

  it('sqlite', async () => {
    const stores = sqliteStores();
    await holds(containerProperty(stores), 15).finally(() => stores.remove());
  });
});

const FAULTS: readonly Broken[] = [
  ...registerWritingFaults,
  ...registerFenceFaults,
  ...registerReadingFaults,
  ...registerWatchingFaults,
];

/** Each with what the property says of it. */
const FOUND: readonly (readonly [string, RegExp])[] = [
  ['does not check the fence', /a write with token 1 over [23]/],
  ['compares tokens only', /a write with token 2 over 2/],
  ['wants a higher token for every write', /a write with token/],
  ['looks at the version first', /a write with token/],
  ['raises the fence before it looks at the version', /a write with token|the register in the end|what a conflict/],
  ['takes older versions', /a write with token/],
  ['takes a touch for nothing', /moves the version up|a write with token/],
  ['withdraws without comparing the session', /the register in the end|a reading since/],
  ['withdraws after it has put', /the register in the end|a reading since/],
  ['never forgets what was withdrawn', /the register in the end|a reading since/],
  ['replaces the whole map', /the register in the end|a reading since/],
  ['leaves deletions out', /a reading since/],
  ['finds nothing newer', /the whole map/],
  ['pays no heed to the keys', /a reading since/],
  ['repeats the change before the newest', /a watch goes back/],
];

describe('the property finds a container that', () => {
  it.each(FOUND)('%s', async (fault, says) => {
    const broken = FAULTS.find((one) => one.fault === fault);
    if (broken === undefined) throw new Error(`there is no fault "${fault}"`);
    await isBroken(containerProperty(storesOf(() => broken.emptyStore().backend)), says, 2_000);
  });
});
