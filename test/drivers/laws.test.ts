import { join } from 'node:path';
import { it } from 'vitest';
import { type SingleMasterOptions, singleMaster } from '../../src/drivers/single-master/index.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import { containerLaws } from './container-laws.ts';
import { enginesUnderTest, sqlitePlace, temporaryFolder } from './engines.ts';
import { leaseStoreLaws } from './lease-store-laws.ts';
import { type Place, testContext } from './place.ts';

for (const { name, engine } of await enginesUnderTest()) {
  if (engine === null) it.skip(`sqlite on ${name}`, () => {});
  else {
    leaseStoreLaws(`sqlite on ${name}`, () => sqlitePlace(engine));
    containerLaws(`sqlite on ${name}`, () => sqlitePlace(engine));
  }
}

const boards: Record<string, () => Promise<Place>> = {
  file: async () => {
    const { folder, remove } = temporaryFolder();
    return singleMasterPlace(join(folder, 'sub', 'leaders.json'), remove);
  },
  object: async () => singleMasterPlace({}, () => {}),
};

for (const [board, makePlace] of Object.entries(boards)) {
  leaseStoreLaws(`single-master, ${board}`, makePlace, { locks: false });
  containerLaws(`single-master, ${board}`, makePlace);
}

function singleMasterPlace(publish: NonNullable<SingleMasterOptions['publish']>, remove: () => void): Place {
  const backend = singleMaster({ iKnowOnlyOneRuns: true, publish });
  const opened: OpenBackend[] = [];
  return {
    open: async (options) => {
      const handle = await backend.open(testContext(options));
      opened.push(handle);
      return handle;
    },
    dispose: async () => {
      for (const handle of opened) await handle.close();
      remove();
    },
  };
}
