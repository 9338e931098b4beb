import { join } from 'node:path';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import { sqlite } from '../../src/drivers/sqlite/index.ts';
import { systemClock } from '../../src/drivers/system/clock.ts';
import { systemRandom } from '../../src/drivers/system/random.ts';
import type { Backend, OpenBackend } from '../../src/ports/backend.ts';
import { temporaryFolder } from '../drivers/engines.ts';

/** Many stores one after the other, each with two handles that are closed afterwards. */
export interface Stores {
  with(run: (handles: readonly [OpenBackend, OpenBackend]) => Promise<void>): Promise<void>;
  remove(): void;
}

function stores(backend: () => Backend, remove: () => void): Stores {
  let count = 0;
  return {
    async with(run) {
      // An election of its own is as good as a store of its own, which the contract suite shows, and much quicker.
      count += 1;
      const shared = backend();
      const context = { election: `run-${count}`, clock: systemClock(), random: systemRandom() };
      const handles = [
        await shared.open({ ...context, identity: 'one' }),
        await shared.open({ ...context, identity: 'two' }),
      ] as const;
      try {
        await run(handles);
      } finally {
        for (const handle of handles) await handle.close();
      }
    },
    remove,
  };
}

export function memoryStores(): Stores {
  return stores(
    () => memory({ board: new MemoryBoard() }),
    () => {},
  );
}

export function sqliteStores(): Stores {
  const { folder, remove } = temporaryFolder();
  return stores(() => sqlite({ file: join(folder, 'tenure.db') }), remove);
}

/** A new store of the given kind for each run. */
export function storesOf(make: () => Backend): Stores {
  return stores(make, () => {});
}
