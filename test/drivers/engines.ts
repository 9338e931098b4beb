import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Connection, type Engine, libsqlEngine, nodeEngine } from '../../src/drivers/sqlite/engine.ts';

export interface EngineUnderTest {
  readonly name: string;
  /** Null where this Node does not have it; the cases are skipped then, and their title says why. */
  readonly engine: Engine | null;
}

/** Both engines. Each test uses one file with one engine: two copies of SQLite must not share a file in a process. */
export async function enginesUnderTest(): Promise<EngineUnderTest[]> {
  const builtin = nodeEngine();
  const libsql = await libsqlEngine();
  return [
    { name: libsql.name, engine: libsql },
    {
      name: builtin === null ? `node:sqlite (Node ${process.version} does not have it)` : builtin.name,
      engine: builtin,
    },
  ];
}

/** An engine with some calls of its connections replaced. */
export function wrapped(real: Engine, change: (connection: Connection) => Partial<Connection>): Engine {
  return {
    name: real.name,
    open: (path) => {
      const connection = real.open(path);
      return { ...connection, ...change(connection) };
    },
  };
}

/** A new folder for one test, deleted by `remove`. */
export function temporaryFolder(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-drivers-'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
