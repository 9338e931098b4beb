import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection, Engine } from '../../src/drivers/sqlite/engine.ts';
import { classify, type FailureKind } from '../../src/drivers/sqlite/failures.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { DamagedRow } from '../../src/drivers/sqlite/rows.ts';
import type { ErrorCode } from '../../src/errors.ts';
import { enginesUnderTest, temporaryFolder } from './engines.ts';
import { testContext } from './place.ts';

const CALL = { timeoutMs: 5000 };

describe('classify', () => {
  it.each<[string, FailureKind]>([
    ['database is locked', 'busy'],
    ['locking protocol', 'busy'],
    ['file is not a database', 'not-a-database'],
    ['database disk image is malformed', 'corrupt'],
    ['attempt to write a readonly database', 'read-only'],
    ['unable to open database file', 'cannot-open'],
    ['database or disk is full', 'full'],
    ['disk I/O error', 'io'],
    ['ConnectionFailed("Unable to open connection to local database /data/5: 14")', 'cannot-open'],
    ['ConnectionFailed("Unable to open connection to local database /data/14: 23")', 'no-permission'],
  ])('understands the text %j alone', (message, kind) => {
    expect(classify(new Error(message))).toEqual({ kind, message });
  });

  it('goes by the code before the text, extended codes included', () => {
    const snapshot = Object.assign(new Error('malformed words'), { errcode: 517 });
    expect(classify(snapshot)?.kind).toBe('busy');
    expect(classify(Object.assign(new Error('x'), { rawCode: 522 }))?.kind).toBe('io');
    expect(classify(Object.assign(new Error('x'), { rawCode: 1 }))?.kind).toBe('other');
  });

  it('takes a row of the wrong shape for damage', () => {
    expect(classify(new DamagedRow('column version holds nothing'))?.kind).toBe('corrupt');
  });

  it('leaves errors of the program alone', () => {
    expect(classify(new TypeError('x is not a function'))).toBeNull();
    expect(classify('a string')).toBeNull();
  });
});

for (const { name, engine } of await enginesUnderTest()) {
  // Skipped only on a Node without node:sqlite; the title says so.
  describe.skipIf(engine === null)(`real failures on ${name}`, () => {
    let folder: string;
    let file: string;
    let remove: () => void;

    beforeEach(() => {
      ({ folder, remove } = temporaryFolder());
      file = join(folder, 'tenure.db');
    });
    afterEach(() => remove());

    it('classifies what the engine throws', () => {
      for (const [kind, cause] of causes(present(engine), folder)) {
        let thrown: unknown;
        try {
          cause();
        } catch (error) {
          thrown = error;
        }
        expect([kind, classify(thrown)?.kind]).toEqual([kind, kind]);
      }
    });

    it('refuses what is not a database and leaves it as it was', async () => {
      const content = 'this is a text file and not a database\n'.repeat(50);
      writeFileSync(file, content);
      await refused(present(engine), file, 'store-unusable', /is not an SQLite database/);
      writeFileSync(file, 'short');
      await refused(present(engine), file, 'store-unusable', /is not an SQLite database/);
      expect(readFileSync(file, 'utf8')).toBe('short');
    });

    it('takes an empty file for a new one', async () => {
      writeFileSync(file, '');
      const backend = await openSqlite({ file, pollMs: 20 }, present(engine), testContext());
      expect((await backend.lease.read(CALL)).outcome).toBe('absent');
      await backend.close();
    });

    it('refuses a directory, and a folder that is a file', async () => {
      mkdirSync(file);
      await refused(present(engine), file, 'store-unusable', /is a directory/);
      writeFileSync(join(folder, 'plain'), '');
      await refused(present(engine), join(folder, 'plain', 'tenure.db'), 'store-unusable', /plain/);
    });

    it("refuses another program's database and does not even switch its journal mode", async () => {
      const connection = present(engine).open(file);
      connection.exec('CREATE TABLE theirs (id INTEGER)');
      connection.close();
      const before = readFileSync(file);
      await refused(present(engine), file, 'store-unusable', /database of another program/);
      expect(readFileSync(file).equals(before)).toBe(true);
    });

    it('refuses another layout of its own', async () => {
      const backend = await openSqlite({ file, pollMs: 20 }, present(engine), testContext());
      await backend.close();
      const connection = present(engine).open(file);
      connection.exec('PRAGMA user_version = 99');
      connection.close();
      await refused(present(engine), file, 'store-unusable', /layout 99, and this version of Tenure reads layout 1/);
    });

    it('refuses a file that it can read but not write', async () => {
      await (await openSqlite({ file, pollMs: 20 }, present(engine), testContext())).close();
      const readOnly: Engine = {
        name: 'libsql',
        open: (path) => {
          const connection = present(engine).open(path);
          connection.exec('PRAGMA query_only = ON');
          return connection;
        },
      };
      await refused(readOnly, file, 'store-read-only', /can be read but not written/);
    });

    it('answers damage that is found later with the name of the file, and a write changes nothing', async () => {
      const backend = await openSqlite({ file, pollMs: 20 }, present(engine), testContext());
      await backend.close();
      damage(present(engine), file);
      const damaged = await openSqlite({ file, pollMs: 20 }, present(engine), testContext());
      const reading = await damaged.lease.read(CALL);
      const write = { kind: 'acquire', expectedVersion: null, holder: 'h', sessionId: 's', durationMs: 1 } as const;
      const writing = await damaged.lease.write(write, CALL);
      const register = await damaged.register.read(CALL);
      const touch = { expectedVersion: 0n, fence: { fencingToken: 1n, sessionId: 's' } };
      const touching = await damaged.register.write({ ...touch, puts: new Map(), withdrawals: new Map() }, CALL);
      expect([reading.outcome, writing.outcome, register.outcome, touching.outcome]).toEqual([
        'failed',
        'refused',
        'failed',
        'refused',
      ]);
      for (const answer of [reading, writing, register, touching]) {
        expect('detail' in answer && answer.detail).toMatch(/tenure\.db is damaged .*restore a copy/);
      }
      await damaged.close();
    });
  });
}

/** Makes each failure really happen. */
function causes(engine: Engine, folder: string): [FailureKind, () => void][] {
  const path = (name: string): string => join(folder, name);
  const withTable = (name: string): Connection => {
    const connection = engine.open(path(name));
    connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, v TEXT)');
    return connection;
  };
  writeFileSync(path('text'), 'not a database '.repeat(100));
  const holder = withTable('busy');
  return [
    ['cannot-open', () => engine.open(folder)],
    ['not-a-database', () => engine.open(path('text')).all('PRAGMA user_version')],
    [
      'busy',
      () => {
        holder.exec('BEGIN IMMEDIATE');
        try {
          engine.open(path('busy')).exec('PRAGMA busy_timeout = 0; BEGIN IMMEDIATE');
        } finally {
          holder.close();
        }
      },
    ],
    ['read-only', () => withTable('query').exec("PRAGMA query_only = ON; INSERT INTO t (v) VALUES ('x')")],
    ['full', () => withTable('full').exec('PRAGMA max_page_count = 3; INSERT INTO t (v) VALUES (zeroblob(100000))')],
    ['too-large', () => withTable('large').all('SELECT zeroblob(2147483647)')],
    ['other', () => withTable('syntax').exec('SELEC')],
  ];
}

/** Overwrites every page after the first with noise: the header stays good, so the file opens. */
function damage(engine: Engine, file: string): void {
  const connection = engine.open(file);
  connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
  connection.close();
  const pages = readFileSync(file);
  writeFileSync(file, pages.fill(0xab, 4096));
}

async function refused(engine: Engine, file: string, code: ErrorCode, message: RegExp): Promise<void> {
  const opening = openSqlite({ file, pollMs: 20 }, engine, testContext());
  await expect(opening).rejects.toMatchObject({ code, outcome: 'not-done', message: expect.stringMatching(message) });
  await expect(opening).rejects.toMatchObject({ message: expect.stringContaining(file.split('/').at(-2) ?? '') });
  await expect(opening).rejects.toMatchObject({ next: expect.stringMatching(/Nothing was changed/) });
}

function present(engine: Engine | null): Engine {
  if (engine === null) throw new Error('a skipped case ran');
  return engine;
}
