import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadEngine } from '../../src/drivers/sqlite/engine.ts';
import { KEPT_DELETIONS } from '../../src/drivers/sqlite/entries.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { ChangePoller } from '../../src/drivers/sqlite/poller.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import { temporaryFolder, wrapped } from './engines.ts';
import { handClock, record, testContext } from './place.ts';
import { information, put, state } from './register.ts';

const CALL = { timeoutMs: 5000 };
const FENCE = { fencingToken: 1n, sessionId: 's-1' };

describe('ChangePoller', () => {
  const place = temporaryFolder();
  const hand = handClock();
  let stamp: string | null = 'a';
  let asked = 0;
  let poller: ChangePoller;

  beforeEach(() => {
    stamp = 'a';
    asked = 0;
    hand.timers.length = 0;
    // A folder without the file: no file event comes in between.
    const file = join(place.folder, 'missing', 'tenure.db');
    const ask = (): string | null => {
      asked += 1;
      return stamp;
    };
    poller = new ChangePoller({ clock: hand.clock, file, pollMs: 20, stamp: ask });
  });
  afterEach(() => poller.close());
  afterAll(() => place.remove());

  it('has no timer without a watch, one with several, and none after the last has stopped', () => {
    expect(hand.timers).toHaveLength(0);
    const stops = [1, 2, 3].map(() => poller.subscribe(() => true));
    expect(hand.timers).toHaveLength(1);
    hand.fire();
    expect([hand.timers.length, asked]).toEqual([1, 1]);
    for (const stop of stops) stop();
    expect(hand.timers).toHaveLength(0);
    poller.wake();
    expect(hand.timers).toHaveLength(0);
  });

  it('has no timer after it was closed, whatever is subscribed then', () => {
    poller.subscribe(() => true);
    poller.close();
    poller.subscribe(() => true);
    poller.wake();
    expect(hand.timers).toHaveLength(0);
  });

  it('slows down to its interval and is quick again after a wake', () => {
    poller.subscribe(() => true);
    const delays = Array.from({ length: 7 }, () => {
      hand.fire();
      return hand.timers[0]?.delayMs;
    });
    expect(delays).toEqual([1, 2, 4, 8, 16, 20, 20]);
    poller.wake();
    expect(hand.timers.map(({ delayMs }) => delayMs)).toEqual([0]);
  });

  it('is not put off by wakes that keep coming', () => {
    poller.subscribe(() => true);
    hand.fire();
    poller.wake();
    const [due] = hand.timers;
    poller.wake();
    expect(hand.timers).toEqual([due]);
  });

  it('asks a subscriber only after a change, and again until it could read', () => {
    let readable = true;
    let reads = 0;
    poller.subscribe(() => {
      reads += 1;
      return readable;
    });
    hand.fire();
    hand.fire();
    expect(reads).toBe(1);
    readable = false;
    stamp = 'b';
    hand.fire();
    hand.fire();
    expect(reads).toBe(3);
    readable = true;
    hand.fire();
    hand.fire();
    expect(reads).toBe(4);
    stamp = null;
    hand.fire();
    expect(reads).toBe(4);
  });

  it('serves the others when a listener throws', () => {
    const served: string[] = [];
    poller.subscribe(() => {
      served.push('faulty');
      throw new Error('listener');
    });
    poller.subscribe(() => {
      served.push('other');
      return true;
    });
    expect(hand.fire).toThrow('listener');
    expect(served).toEqual(['faulty', 'other']);
    expect(hand.timers).toHaveLength(1);
    hand.fire();
    expect(served).toHaveLength(2);
  });
});

describe('sqlite watches', () => {
  let folder: string;
  let file: string;
  let remove: () => void;
  const opened: OpenBackend[] = [];
  const rows = { read: 0 };

  beforeEach(() => {
    ({ folder, remove } = temporaryFolder());
    file = join(folder, 'tenure.db');
  });
  afterEach(async () => {
    for (const backend of opened.splice(0)) await backend.close();
    remove();
  });

  const open = async (election = 'billing'): Promise<OpenBackend> => {
    const counting = wrapped(await loadEngine(), (connection) => ({
      all: (sql, params) => {
        const found = connection.all(sql, params);
        if (!sql.startsWith('PRAGMA')) rows.read += found.length;
        return found;
      },
    }));
    const backend = await openSqlite({ file, pollMs: 20 }, counting, testContext({ election }));
    opened.push(backend);
    return backend;
  };

  it('reads and reports one changed entry at the same cost among 10 and among 10 000', async () => {
    const costs: { readonly rows: number; readonly reported: number; readonly medianMs: number }[] = [];
    for (const size of [10, 10_000]) {
      const { register } = await open(`of-${size}`);
      const keys = Array.from({ length: size }, (_, n) => `job-${n}`);
      let version = await put(register, 0n, FENCE, keys);
      const watching = record(register.watch.bind(register));
      await watching.until((items) => items.length === 1);
      rows.read = 0;
      const times: number[] = [];
      for (let n = 0; n < 41; n += 1) {
        const start = performance.now();
        version = await put(register, version, FENCE, ['job-7']);
        await watching.until((items) => items.at(-1)?.version === version);
        times.push(performance.now() - start);
      }
      watching.stop();
      const reported = watching.items.slice(1).reduce((sum, item) => sum + item.changed.size, 0);
      costs.push({ rows: rows.read, reported, medianMs: times.sort((a, b) => a - b)[20] ?? 0 });
    }
    const [few, many] = costs;
    expect(many?.reported).toBe(few?.reported);
    expect(many?.rows).toBe(few?.rows);
    expect(many?.medianMs).toBeLessThan(5 * (few?.medianMs ?? 0) + 5);
  });

  it('looks at once after a write of its own, without waiting for the interval or a file event', async () => {
    const hand = handClock();
    const context = { ...testContext(), clock: hand.clock };
    const backend = await openSqlite({ file, pollMs: 5000 }, await loadEngine(), context);
    opened.push(backend);
    const stop = backend.lease.watch(() => {});
    for (let n = 0; n < 20; n += 1) hand.fire();
    expect(hand.timers.map(({ delayMs }) => delayMs)).toEqual([5000]);
    // No await before the look: a file event needs another turn of the loop.
    const writing = put(backend.register, 0n, FENCE, ['a']);
    expect(hand.timers.map(({ delayMs }) => delayMs)).toEqual([0]);
    await writing;
    stop();
    expect(hand.timers).toEqual([]);
  });

  it('finds differences by an index', async () => {
    await open();
    const connection = (await loadEngine()).open(file);
    const [plan] = connection.all(
      'EXPLAIN QUERY PLAN SELECT key, session_id, fencing_token, information FROM entry WHERE container = ? AND version > ? ORDER BY version',
      ['x', 1n],
    );
    connection.close();
    expect(plan?.detail).toMatch(/^SEARCH entry USING INDEX entry_by_version \(container=\? AND version>\?\)/);
  });

  it('gives a watch that missed forgotten deletions the whole map', async () => {
    const { register } = await open();
    const keys = Array.from({ length: KEPT_DELETIONS + 1 }, (_, n) => `job-${n}`);
    const before = await put(register, 0n, FENCE, [...keys, 'kept']);
    const halfway = await withdraw(register, before, keys.slice(1));
    const all = await withdraw(register, halfway, keys.slice(0, 1));
    expect(await state(register, { since: before })).toMatchObject({ full: true, version: all });
    expect([...(await state(register, { since: before })).changed]).toEqual([['kept', information(FENCE)]]);
    expect(await state(register, { since: halfway })).toMatchObject({ full: false });
    expect([...(await state(register, { since: halfway })).changed]).toEqual([['job-0', null]]);
  });

  it('refuses a file that was deleted and made anew, and tells the holder that its lease is gone', async () => {
    const old = await open();
    const write = { kind: 'acquire', expectedVersion: null, holder: 'one', sessionId: 's-1', durationMs: 1 } as const;
    await old.lease.write(write, CALL);
    const watching = record(old.lease.watch.bind(old.lease));
    await watching.until((items) => items.at(-1)?.holder === 'one');
    const hidden = join(folder, 'hidden');
    renameSync(file, hidden);
    await watching.until((items) => items.at(-1) === null);
    const renewal = { kind: 'renew', expectedVersion: 1n, durationMs: 1 } as const;
    expect(await old.lease.write(renewal, CALL)).toMatchObject({
      outcome: 'refused',
      detail: expect.stringMatching(/tenure\.db was deleted or replaced .* restart this process/),
    });
    for (const rest of ['-wal', '-shm']) rmSync(`${file}${rest}`, { force: true });
    const fresh = await open();
    expect((await fresh.lease.write({ ...write, holder: 'two' }, CALL)).outcome).toBe('committed');
    expect((await old.lease.read(CALL)).outcome).toBe('failed');
    watching.stop();
  });
});

async function withdraw(register: OpenBackend['register'], expectedVersion: bigint, keys: string[]): Promise<bigint> {
  const withdrawals = new Map(keys.map((key) => [key, FENCE.sessionId]));
  const result = await register.write({ expectedVersion, fence: FENCE, puts: new Map(), withdrawals }, CALL);
  if (result.outcome !== 'committed') throw new Error(`expected a commit, got ${result.outcome}`);
  return result.version;
}
