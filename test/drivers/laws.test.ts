import { join } from 'node:path';
import { it } from 'vitest';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import { type SingleMasterOptions, singleMaster } from '../../src/drivers/single-master/index.ts';
import type { Backend, OpenBackend } from '../../src/ports/backend.ts';
import { containerLaws } from './container-laws.ts';
import { enginesUnderTest, sqlitePlace, temporaryFolder } from './engines.ts';
import { leaseStoreLaws } from './lease-store-laws.ts';
import { type Place, testContext } from './place.ts';

for (const { name, engine } of await enginesUnderTest()) {
  // Skipped only on a Node without node:sqlite; the title says so.
  if (engine === null) it.skip(`sqlite on ${name}`, () => {});
  else {
    leaseStoreLaws(`sqlite on ${name}`, () => sqlitePlace(engine));
    containerLaws(`sqlite on ${name}`, () => sqlitePlace(engine));
  }
}

leaseStoreLaws('memory', async () => handlesOf(memory({ board: new MemoryBoard() })));
containerLaws('memory', async () => handlesOf(memory({ board: new MemoryBoard() })));

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
  return handlesOf(singleMaster({ iKnowOnlyOneRuns: true, publish }), remove);
}

function handlesOf(backend: Backend, remove: () => void = () => {}): Place {
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
