import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseRecord, LeaseStore, LeaseWriteResult } from '../../src/ports/lease-store.ts';
import { type Place, record } from './place.ts';

const CALL = { timeoutMs: 5000 };

export interface LeaseTraits {
  /** False for a backend without protection, where every acquisition and renewal is committed. */
  readonly locks: boolean;
}

/** Registers the cases that every LeaseStore passes. `makePlace` gives an empty store each time. */
export function leaseStoreLaws(
  name: string,
  makePlace: () => Promise<Place>,
  traits: LeaseTraits = { locks: true },
): void {
  describe(`lease laws: ${name}`, () => {
    let place: Place;
    let store: LeaseStore;
    let other: LeaseStore;

    beforeEach(async () => {
      place = await makePlace();
      store = (await place.open({ identity: 'one' })).lease;
      other = (await place.open({ identity: 'two' })).lease;
    });
    afterEach(() => place.dispose());

    writingLaws(
      () => store,
      () => other,
    );
    it('keeps elections apart', async () => {
      const elsewhere = (await place.open({ election: 'shipping' })).lease;
      await acquire(store, null, 's-1');
      expect(await elsewhere.read(CALL)).toEqual({ outcome: 'absent' });
      expect((await acquire(elsewhere, null, 's-2')).fencingToken).toBe(1n);
      expect((await current(store)).sessionId).toBe('s-1');
    });
    if (traits.locks) {
      lockingLaws(
        () => store,
        () => other,
      );
    }
    watchingLaws(
      () => store,
      () => other,
    );
    it('answers after its backend was closed, and close is idempotent', async () => {
      const backend = await place.open();
      const watching = record(backend.lease.watch.bind(backend.lease));
      await watching.until((items) => items.length > 0);
      await backend.close();
      await backend.close();
      expect((await backend.lease.read(CALL)).outcome).toBe('failed');
      const write = { kind: 'acquire', expectedVersion: null, holder: 'h', sessionId: 's', durationMs: 1000 } as const;
      expect((await backend.lease.write(write, CALL)).outcome).toBe('refused');
      expect((await store.read(CALL)).outcome).toBe('absent');
      const after = record(backend.lease.watch.bind(backend.lease));
      await acquire(store, null, 's-1');
      await seen(store, (found) => found?.sessionId === 's-1');
      expect([...watching.items, ...after.items]).toEqual([null]);
    });
  });
}

function writingLaws(one: () => LeaseStore, two: () => LeaseStore): void {
  it('starts without a record', async () => {
    expect(await one().read(CALL)).toEqual({ outcome: 'absent' });
  });

  it('acquires the first time with token 1, and everybody reads the same record', async () => {
    const acquired = await acquire(one(), null, 's-1');
    expect(acquired).toMatchObject({
      holder: 'holder of s-1',
      sessionId: 's-1',
      fencingToken: 1n,
      durationMs: 15_000,
      stepDownFor: '',
    });
    expect(Date.parse(acquired.acquiredAt)).toBe(Date.parse(acquired.renewedAt));
    expect(acquired.acquiredAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await current(two())).toEqual(acquired);
  });

  it('moves the version with every write, and the token only with an acquisition', async () => {
    const acquired = await acquire(one(), null, 's-1');
    const renewed = await renew(one(), acquired.version, 7000.5);
    expect(renewed).toMatchObject({ holder: acquired.holder, sessionId: 's-1', fencingToken: 1n, durationMs: 7000.5 });
    const asked = await stepDown(one(), renewed.version, 's-1');
    const released = await release(one(), asked.version);
    const versions = [acquired, renewed, asked, released].map((found) => found.version);
    expect(versions).toEqual([...versions].sort((a, b) => Number(a - b)));
    expect(new Set(versions).size).toBe(4);
  });

  it('keeps the token on release, so that the next session is above it', async () => {
    const first = await acquire(one(), null, 's-1');
    const released = await release(one(), first.version);
    expect(released).toMatchObject({ holder: '', sessionId: '', stepDownFor: '', fencingToken: 1n });
    expect((await acquire(two(), released.version, 's-2')).fencingToken).toBe(2n);
  });

  it('lets an acquisition take over a lease that is held: the store does not judge', async () => {
    const first = await acquire(one(), null, 's-1');
    const second = await acquire(two(), first.version, 's-2');
    expect(second).toMatchObject({ sessionId: 's-2', fencingToken: 2n });
  });

  it('keeps a step-down request across renewals and drops it with the next acquisition', async () => {
    const acquired = await acquire(one(), null, 's-1');
    const asked = await stepDown(one(), acquired.version, 's-1');
    expect(asked).toMatchObject({ stepDownFor: 's-1', holder: acquired.holder });
    const renewed = await renew(one(), asked.version, 15_000);
    expect(renewed.stepDownFor).toBe('s-1');
    expect((await acquire(two(), renewed.version, 's-2')).stepDownFor).toBe('');
  });

  it('answers a release or step-down request of an older version with the record it found', async () => {
    const first = await acquire(one(), null, 's-1');
    const newer = await renew(one(), first.version, 15_000);
    const late = { expectedVersion: first.version } as const;
    expect(await one().write({ kind: 'release', ...late }, CALL)).toEqual({ outcome: 'conflict', record: newer });
    expect(await one().write({ kind: 'request-step-down', ...late, sessionId: 's-1' }, CALL)).toEqual({
      outcome: 'conflict',
      record: newer,
    });
    expect(await current(one())).toEqual(newer);
  });

  it('answers a renewal where there is no record with a conflict', async () => {
    const write = { kind: 'renew', expectedVersion: 3n, durationMs: 15_000 } as const;
    expect(await one().write(write, CALL)).toEqual({ outcome: 'conflict', record: null });
  });
}

function lockingLaws(one: () => LeaseStore, two: () => LeaseStore): void {
  it('gives one record to one of many who ask at once', async () => {
    const asked = Array.from({ length: 20 }, (_, index) => tryAcquire(index % 2 ? one() : two(), null, `s-${index}`));
    const results = await Promise.all(asked);
    const winners = results.filter((result) => result.outcome === 'committed');
    expect(winners).toHaveLength(1);
    const found = await current(one());
    for (const result of results) if (result.outcome === 'conflict') expect(result.record).toEqual(found);
  });

  it('answers a late acquisition and a late renewal with the record it found', async () => {
    const first = await acquire(one(), null, 's-1');
    const taken = await acquire(two(), first.version, 's-2');
    const conflict = { outcome: 'conflict', record: taken };
    expect(await tryAcquire(one(), first.version, 's-3')).toEqual(conflict);
    expect(await tryAcquire(one(), null, 's-4')).toEqual(conflict);
    const renewal = { kind: 'renew', expectedVersion: first.version, durationMs: 15_000 } as const;
    expect(await one().write(renewal, CALL)).toEqual(conflict);
    expect(await current(one())).toEqual(taken);
  });
}

function watchingLaws(one: () => LeaseStore, two: () => LeaseStore): void {
  it('reports the absence first, then the changes made through another handle', async () => {
    const watching = record(one().watch.bind(one()));
    expect(watching.items).toEqual([]);
    await watching.until((items) => items.length > 0);
    expect(watching.items[0]).toBeNull();
    const acquired = await acquire(two(), null, 's-1');
    await watching.until((items) => items.at(-1)?.version === acquired.version);
    const released = await release(two(), acquired.version);
    await watching.until((items) => items.at(-1)?.version === released.version);
    watching.stop();
  });

  it('reports changes made through its own handle', async () => {
    const acquired = await acquire(one(), null, 's-1');
    const watching = record(one().watch.bind(one()));
    await watching.until((items) => items.at(-1)?.version === acquired.version);
    const renewed = await renew(one(), acquired.version, 15_000);
    await watching.until((items) => items.at(-1)?.version === renewed.version);
    watching.stop();
  });

  it('reports to several watches, never an older version after a newer one, and ends at the newest', async () => {
    const watches = [record(one().watch.bind(one())), record(one().watch.bind(one())), record(two().watch.bind(two()))];
    let last = await acquire(one(), null, 's-1');
    for (let n = 0; n < 50; n += 1) last = await renew(n % 2 ? one() : two(), last.version, 15_000 + n);
    for (const watching of watches) {
      await watching.until((items) => items.at(-1)?.version === last.version);
      const versions = watching.items.map((found) => found?.version ?? 0n);
      expect(versions).toEqual([...versions].sort((a, b) => Number(a - b)));
      watching.stop();
    }
  });

  it('is silent once stopped, also when stopped by another listener', async () => {
    const silent = record(one().watch.bind(one()));
    silent.stop();
    silent.stop();
    const stopper = record<LeaseRecord | null>((listener) =>
      one().watch((found) => {
        victim.stop();
        listener(found);
      }),
    );
    const victim = record(one().watch.bind(one()));
    const acquired = await acquire(one(), null, 's-1');
    await stopper.until((items) => items.at(-1)?.version === acquired.version);
    await seen(two(), (found) => found?.version === acquired.version);
    expect([...silent.items, ...victim.items]).toEqual([]);
    stopper.stop();
  });
}

async function seen(store: LeaseStore, wanted: (found: LeaseRecord | null) => boolean): Promise<void> {
  const watching = record(store.watch.bind(store));
  await watching.until((items) => items.some(wanted));
  watching.stop();
}

function tryAcquire(store: LeaseStore, expectedVersion: bigint | null, sessionId: string): Promise<LeaseWriteResult> {
  const holder = `holder of ${sessionId}`;
  return store.write({ kind: 'acquire', expectedVersion, holder, sessionId, durationMs: 15_000 }, CALL);
}

async function acquire(store: LeaseStore, expectedVersion: bigint | null, sessionId: string): Promise<LeaseRecord> {
  return committed(await tryAcquire(store, expectedVersion, sessionId));
}

async function renew(store: LeaseStore, expectedVersion: bigint, durationMs: number): Promise<LeaseRecord> {
  return committed(await store.write({ kind: 'renew', expectedVersion, durationMs }, CALL));
}

async function release(store: LeaseStore, expectedVersion: bigint): Promise<LeaseRecord> {
  return committed(await store.write({ kind: 'release', expectedVersion }, CALL));
}

async function stepDown(store: LeaseStore, expectedVersion: bigint, sessionId: string): Promise<LeaseRecord> {
  return committed(await store.write({ kind: 'request-step-down', expectedVersion, sessionId }, CALL));
}

function committed(result: LeaseWriteResult): LeaseRecord {
  if (result.outcome === 'committed') return result.record;
  throw new Error(`expected a commit, got ${result.outcome}${'detail' in result ? `: ${result.detail}` : ''}`);
}

async function current(store: LeaseStore): Promise<LeaseRecord> {
  const reading = await store.read(CALL);
  if (reading.outcome === 'found') return reading.record;
  throw new Error(`expected a record, got ${reading.outcome}`);
}
