import { join } from 'node:path';
import { describe, it } from 'vitest';
import { contractSuite } from '../../src/contract/index.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { enginesUnderTest, temporaryFolder } from '../drivers/engines.ts';

for (const { name, engine } of await enginesUnderTest()) {
  // Skipped only on a Node without node:sqlite; the title says so.
  if (engine === null) it.skip(`sqlite on ${name}`, () => {});
  else {
    contractSuite({
      name: `sqlite on ${name}`,
      describe,
      it,
      boundMs: 15_000,
      emptyStore() {
        const { folder, remove } = temporaryFolder();
        const file = join(folder, 'sub', 'tenure.db');
        return {
          backend: { name: 'sqlite', open: (context) => openSqlite({ file, pollMs: 20 }, engine, context) },
          dispose: remove,
          unusable: { name: 'sqlite', open: (context) => openSqlite({ file: folder, pollMs: 20 }, engine, context) },
          interrupt() {
            const connection = engine.open(file);
            connection.exec('BEGIN IMMEDIATE');
            return () => connection.close();
          },
        };
      },
      capabilities: {
        protection: 'lease',
        survivesReopen: true,
        differences: true,
        interrupt: true,
        failingOpen: true,
      },
    });
  }
}
