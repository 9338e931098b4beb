import { describe, it } from 'vitest';
import { leaseLockingFaults, leaseWatchingFaults, leaseWritingFaults } from '../contract/broken/lease-faults.ts';
import { holds, isBroken } from './holds.ts';
import { leaseProperty } from './lease-model.ts';
import { memoryStores, sqliteStores, storesOf } from './stores.ts';

describe('a lease answers any sequence of writes as the model does: tokens grow, one holder', () => {
  it('memory', () => holds(leaseProperty(memoryStores()), 200));

  it('sqlite', async () => {
    const stores = sqliteStores();
    await holds(leaseProperty(stores), 15).finally(() => stores.remove());
  });
});

const FAULTS = [...leaseWritingFaults, ...leaseLockingFaults, ...leaseWatchingFaults];

const FOUND: readonly (readonly [string, RegExp])[] = [
  ['counts anew after a release', /the token grows|the token after/],
  ['forgets the token of a released lease', /the token after release/],
  ['counts the token with every renewal', /the token after renew/],
  ['keeps the session of a released lease', /what release is answered with/],
  ['renews without moving the version', /the version grows/],
  ['judges that a held lease cannot be taken', /acquire of/],
  ['drops the request with the next renewal', /what renew is answered with/],
  ['asks whoever holds the lease, not who was named', /request-step-down of/],
  ['renews a lease that was released', /renew of/],
  ['leaves the record out of a conflict', /whether a conflict carries a record/],
  ['acquires any version', /acquire of/],
  ['renews any version', /renew of/],
  ['repeats the record before the newest', /a watch never goes back/],
];

describe('the property finds a lease that', () => {
  it.each(FOUND)('%s', async (fault, says) => {
    const broken = FAULTS.find((one) => one.fault === fault);
    if (broken === undefined) throw new Error(`there is no fault "${fault}"`);
    await isBroken(leaseProperty(storesOf(() => broken.emptyStore().backend)), says, 2_000);
  });
});
