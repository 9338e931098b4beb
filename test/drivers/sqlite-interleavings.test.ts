import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/drivers/sqlite/engine.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { enginesUnderTest, temporaryFolder, wrapped } from './engines.ts';
import { testContext } from './place.ts';
import { put, state } from './register.ts';

const OLD = { fencingToken: 1n, sessionId: 's-1' };
const NEW = { fencingToken: 2n, sessionId: 's-2' };

for (const { name, engine } of await enginesUnderTest()) {
  // Skipped only on a Node without node:sqlite; the title says so.
  if (engine === null) it.skip(`interleavings on ${name}`, () => {});
  else describe(`interleavings on ${name}`, () => interleavings(engine));
}

/** What another process may do between two statements of this one, made to happen. */
function interleavings(engine: Engine): void {
  let file: string;
  let remove: () => void;

  beforeEach(() => {
    const place = temporaryFolder();
    file = join(place.folder, 'tenure.db');
    remove = place.remove;
  });
  afterEach(() => remove());

  it('reads header and entries of one moment, whatever is committed between the two', async () => {
    const other = await openSqlite({ file, pollMs: 20 }, engine, testContext());
    await put(other.register, 0n, OLD, ['a']);
    let between: Promise<bigint> | null = null;
    const interrupted = wrapped(engine, (connection) => ({
      all: (sql, params) => {
        if (sql.includes('FROM entry')) between ??= put(other.register, 1n, NEW, ['a', 'b']);
        return connection.all(sql, params);
      },
    }));
    const reader = await openSqlite({ file, pollMs: 20 }, interrupted, testContext());
    const found = await state(reader.register);
    expect(await between).toBe(2n);
    expect(found).toMatchObject({ version: 1n, fence: OLD });
    expect([...found.changed].map(([key, entry]) => [key, entry?.sessionId])).toEqual([['a', 's-1']]);
    expect(await state(reader.register)).toMatchObject({ version: 2n, fence: NEW });
    await reader.close();
    await other.close();
  });

  it('creates the tables once when another process creates them between the look and the lock', async () => {
    let first: Promise<void> | null = null;
    const slow = wrapped(engine, (connection) => ({
      exec: (sql) => {
        if (sql === 'BEGIN IMMEDIATE') first ??= createAndWrite();
        connection.exec(sql);
      },
    }));
    const createAndWrite = async (): Promise<void> => {
      const backend = await openSqlite({ file, pollMs: 20 }, engine, testContext());
      await put(backend.register, 0n, OLD, ['a']);
      await backend.close();
    };
    const backend = await openSqlite({ file, pollMs: 20 }, slow, testContext());
    await first;
    expect((await state(backend.register)).changed.has('a')).toBe(true);
    await backend.close();
  });

  it('closes the connection of an open that failed', async () => {
    const theirs = engine.open(file);
    theirs.exec('CREATE TABLE theirs (id INTEGER)');
    theirs.close();
    const events: string[] = [];
    const counting = wrapped(engine, (connection) => {
      events.push('open');
      return {
        close: () => {
          events.push('close');
          connection.close();
        },
      };
    });
    const opening = openSqlite({ file, pollMs: 20 }, counting, testContext());
    await expect(opening).rejects.toMatchObject({ code: 'store-unusable' });
    expect(events).toEqual(['open', 'close']);
  });

  it('gives the lock back when a connection is closed inside of a transaction', async () => {
    await (await openSqlite({ file, pollMs: 20 }, engine, testContext())).close();
    const [one, two] = [engine.open(file), engine.open(file)];
    for (const connection of [one, two]) connection.exec('PRAGMA busy_timeout = 0');
    one.exec('BEGIN IMMEDIATE');
    expect(one.all('SELECT count(*) AS n FROM lease')).toMatchObject([{ n: 0n }]);
    expect(() => two.exec('BEGIN IMMEDIATE')).toThrow(/locked/);
    one.close();
    one.close();
    two.exec('BEGIN IMMEDIATE');
    two.close();
  });
}
