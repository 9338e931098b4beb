import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Connection, loadEngine } from '../../src/drivers/sqlite/engine.ts';
import { sqlite } from '../../src/drivers/sqlite/index.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { InvalidOptionsError } from '../../src/errors.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import type { LeaseWriteResult } from '../../src/ports/lease-store.ts';
import { temporaryFolder, wrapped } from './engines.ts';
import { handClock, testContext } from './place.ts';

const CALL = { timeoutMs: 5000 };

/** Runs instead of a statement; answers whether it has done so. */
type Intercept = (sql: string, connection: Connection) => boolean;

function sqliteError(code: number, message: string): Error {
  return Object.assign(new Error(message), { errcode: code });
}

describe('sqlite transactions', () => {
  let remove: () => void;
  let backend: OpenBackend;
  let intercept: Intercept = () => false;
  let executed: string[] = [];

  beforeEach(async () => {
    const watched = wrapped(await loadEngine(), (connection) => ({
      exec: (sql) => {
        executed.push(sql);
        if (!intercept(sql, connection)) connection.exec(sql);
      },
    }));
    const place = temporaryFolder();
    remove = place.remove;
    backend = await openSqlite({ file: join(place.folder, 'tenure.db'), pollMs: 20 }, watched, testContext());
    executed = [];
  });
  afterEach(async () => {
    intercept = () => false;
    await backend.close();
    remove();
  });

  const acquire = (expectedVersion: bigint | null, timeoutMs = 5000): Promise<LeaseWriteResult> =>
    backend.lease.write(
      { kind: 'acquire', expectedVersion, holder: 'h', sessionId: 's', durationMs: 1000 },
      { timeoutMs },
    );

  /** Throws `error` for the next `times` statements that are `statement`. */
  const fail = (statement: string, error: Error, times = 1): void => {
    let left = times;
    intercept = (sql) => {
      if (sql !== statement || left === 0) return false;
      left -= 1;
      throw error;
    };
  };

  it('rolls back and repeats a COMMIT that is answered "busy", so that it is done once', async () => {
    fail('COMMIT', sqliteError(5, 'database is locked'), 3);
    expect(await acquire(null)).toMatchObject({ outcome: 'committed', record: { version: 1n, fencingToken: 1n } });
    expect(executed.filter((sql) => sql === 'ROLLBACK')).toHaveLength(3);
    expect(executed.at(-1)).toBe('COMMIT');
  });

  it('leaves no lock behind when every COMMIT is answered "busy"', async () => {
    fail('COMMIT', sqliteError(5, 'database is locked'), Number.POSITIVE_INFINITY);
    expect(await acquire(null, 30)).toMatchObject({ outcome: 'refused', detail: expect.stringMatching(/locked/) });
    intercept = () => false;
    expect(await backend.lease.read(CALL)).toEqual({ outcome: 'absent' });
    expect((await acquire(null)).outcome).toBe('committed');
  });

  it('says "unknown" of a COMMIT that failed on the disk, and "refused" of one that found it full', async () => {
    fail('COMMIT', sqliteError(1034, 'disk I/O error'));
    expect(await acquire(null)).toMatchObject({ outcome: 'unknown', detail: expect.stringMatching(/tenure\.db/) });
    fail('COMMIT', sqliteError(13, 'database or disk is full'));
    expect(await acquire(null)).toMatchObject({ outcome: 'refused', detail: expect.stringMatching(/disk is full/) });
    const touch = { expectedVersion: 0n, fence: { fencingToken: 1n, sessionId: 's' } };
    fail('COMMIT', sqliteError(1034, 'disk I/O error'));
    const touching = backend.register.write({ ...touch, puts: new Map(), withdrawals: new Map() }, CALL);
    expect((await touching).outcome).toBe('unknown');
    expect((await acquire(null)).outcome).toBe('committed');
  });

  it('says "refused" of a failure before the COMMIT', async () => {
    fail('BEGIN IMMEDIATE', sqliteError(10, 'disk I/O error'));
    expect((await acquire(null)).outcome).toBe('refused');
    expect(executed).toEqual(['BEGIN IMMEDIATE']);
  });

  it('rolls back later what could not be rolled back at once', async () => {
    intercept = (sql) => {
      if (sql === 'COMMIT') throw sqliteError(10, 'disk I/O error');
      if (sql === 'ROLLBACK') throw sqliteError(10, 'disk I/O error');
      return false;
    };
    expect((await acquire(null)).outcome).toBe('unknown');
    intercept = () => false;
    executed = [];
    expect(await acquire(null)).toMatchObject({ outcome: 'committed', record: { version: 1n } });
    expect(executed).toEqual(['ROLLBACK', 'BEGIN IMMEDIATE', 'COMMIT']);
  });

  it('goes on when SQLite has rolled back by itself', async () => {
    intercept = (sql, connection) => {
      if (sql !== 'COMMIT') return false;
      connection.exec('ROLLBACK');
      throw sqliteError(13, 'database or disk is full');
    };
    expect((await acquire(null)).outcome).toBe('refused');
    intercept = () => false;
    executed = [];
    expect((await acquire(null)).outcome).toBe('committed');
    expect(executed).toEqual(['BEGIN IMMEDIATE', 'COMMIT']);
  });

  it('lets errors of the program through, and leaves no transaction open', async () => {
    const fence = { fencingToken: 1n, sessionId: 's-1' };
    const broken = { expectedVersion: 0n, fence, puts: null, withdrawals: new Map() } as never;
    await expect(backend.register.write(broken, CALL)).rejects.toThrow(TypeError);
    expect((await acquire(null)).outcome).toBe('committed');
  });

  it('ends the waiting of a call when the backend is closed, and leaves no timer', async () => {
    const hand = handClock();
    const busy = wrapped(await loadEngine(), (connection) => ({
      exec: (sql) => {
        if (sql === 'BEGIN IMMEDIATE' && locked) throw sqliteError(5, 'database is locked');
        connection.exec(sql);
      },
    }));
    let locked = false;
    const place = temporaryFolder();
    const file = join(place.folder, 'tenure.db');
    const closing = await openSqlite({ file, pollMs: 20 }, busy, { ...testContext(), clock: hand.clock });
    locked = true;
    const write = { kind: 'acquire', expectedVersion: null, holder: 'h', sessionId: 's', durationMs: 1 } as const;
    const waiting = closing.lease.write(write, { timeoutMs: 60_000 });
    expect(hand.timers).toHaveLength(1);
    await closing.close();
    expect(hand.timers).toHaveLength(0);
    expect(await waiting).toMatchObject({ outcome: 'refused', detail: expect.stringMatching(/has been closed/) });
    place.remove();
  });
});

describe('sqlite()', () => {
  it('names all options that are not valid', () => {
    expect(() => sqlite({ file: '', pollMs: 0 })).toThrow(InvalidOptionsError);
    expect(() => sqlite({ file: ':memory:' })).toThrow(/memory backend/);
    expect(() => sqlite({ pollMs: Number.NaN })).toThrow(/1 to 10 000/);
    expect(sqlite().name).toBe('sqlite');
  });

  it('says what to install when there is no engine', async () => {
    const missing = async (): Promise<never> => {
      throw new Error("Cannot find package 'libsql'");
    };
    await expect(loadEngine(() => null, missing)).rejects.toMatchObject({
      code: 'driver-missing',
      message: expect.stringMatching(/npm install libsql/),
      cause: expect.objectContaining({ message: "Cannot find package 'libsql'" }),
    });
  });
});
