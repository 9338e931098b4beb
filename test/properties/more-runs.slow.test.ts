import { describe, it } from 'vitest';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import { onLease, showing } from '../contract/broken/broken.ts';
import { containerProperty } from './container-model.ts';
import { follower } from './follower.ts';
import { holds, isBroken } from './holds.ts';
import { leaseProperty } from './lease-model.ts';
import { tokensProperty } from './participants.ts';
import { retrievalProperty } from './retrieval-model.ts';
import { serialProperty } from './serial-sessions.ts';
import { memoryStores, sqliteStores } from './stores.ts';

/** The same properties, as often as a nightly run can afford; `PROPERTY_SEED` tries other cases. */
describe('many runs', () => {
  it('container, memory', () => holds(containerProperty(memoryStores()), 10_000));
  it('container, sqlite', async () => {
    const stores = sqliteStores();
    await holds(containerProperty(stores), 400).finally(() => stores.remove());
  });
  it('lease, memory', () => holds(leaseProperty(memoryStores()), 5_000));
  it('lease, sqlite', async () => {
    const stores = sqliteStores();
    await holds(leaseProperty(stores), 300).finally(() => stores.remove());
  });
  it('retrieval', () => holds(retrievalProperty(follower), 20_000));
  it('tokens', () =>
    holds(
      tokensProperty(() => memory({ board: new MemoryBoard() })),
      600,
    ));
  it('serial sessions', () => holds(serialProperty(), 1_500));
});

/** Others take over long before the holder gives up by itself, which matters once it is cut off. */
const hasty = onLease(
  '',
  'shows a tenth of what the holder promised',
  () => (real) => showing(real, (record) => ({ ...record, durationMs: record.durationMs / 10 })),
);

describe('the property about tokens finds a store that', () => {
  it(hasty.fault, () =>
    isBroken(
      tokensProperty(() => hasty.emptyStore().backend),
      /is granted while/,
    ),
  );
});
