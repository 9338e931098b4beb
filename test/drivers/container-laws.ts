import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';
import type { Container, ContainerState, ContainerWrite, ContainerWriteResult } from '../../src/ports/container.ts';
import { type Place, type Recording, record } from './place.ts';

const CALL = { timeoutMs: 5000 };
const FIRST: Fence = { fencingToken: 1n, sessionId: 's-1' };
const SECOND: Fence = { fencingToken: 2n, sessionId: 's-2' };

export function information(fence: Fence, address = 'http://127.0.0.1:1'): LeaderInformation {
  return { ...fence, address, metadata: { zone: 'a' } };
}

/** Registers the cases that every Container passes. `makePlace` gives an empty store each time. */
export function containerLaws(name: string, makePlace: () => Promise<Place>): void {
  describe(`container laws: ${name}`, () => {
    let place: Place;
    let one: Container;
    let two: Container;

    beforeEach(async () => {
      place = await makePlace();
      one = (await place.open({ identity: 'one' })).register;
      two = (await place.open({ identity: 'two' })).register;
    });
    afterEach(() => place.dispose());

    writingLaws(
      () => one,
      () => two,
    );
    fenceLaws(() => one);
    readingLaws(() => one);
    watchingLaws(
      () => one,
      () => two,
    );
    it('keeps elections apart', async () => {
      const elsewhere = (await place.open({ election: 'shipping' })).register;
      await put(one, 0n, FIRST, ['a']);
      expect(await state(elsewhere)).toMatchObject({ version: 0n, fence: null });
      expect((await state(elsewhere)).changed.size).toBe(0);
    });
    it('answers after its backend was closed', async () => {
      const backend = await place.open();
      const watching = record(backend.register.watch.bind(backend.register));
      await watching.until((items) => items.length > 0);
      await backend.close();
      expect((await backend.register.read(CALL)).outcome).toBe('failed');
      expect(await write(backend.register, { expectedVersion: 0n })).toMatchObject({
        outcome: 'refused',
        reason: 'unavailable',
      });
      const fresh = record(one.watch.bind(one));
      await put(one, 0n, FIRST, ['a']);
      await upTo(fresh, 1n);
      fresh.stop();
      expect(watching.items).toHaveLength(1);
    });
  });
}

function writingLaws(one: () => Container, two: () => Container): void {
  it('starts empty at version 0', async () => {
    expect(await state(one())).toEqual({ version: 0n, fence: null, full: true, changed: new Map() });
  });

  it('stores entries that everybody reads, whatever characters they hold', async () => {
    const strange = {
      sessionId: 's-1',
      fencingToken: 2n ** 60n + 1n,
      address: 'é 漢 🎈 \u0000 \ud800 "\'',
      metadata: JSON.parse('{"__proto__":"x","":"empty","\\ud800":"half \\ud800"}') as Record<string, string>,
    };
    const version = await committed(write(one(), { expectedVersion: 0n, puts: new Map([['a.b-1', strange]]) }));
    const found = await state(two());
    expect(found).toMatchObject({ version, fence: FIRST });
    expect(found.changed.get('a.b-1')).toEqual(strange);
    expect(Object.keys(found.changed.get('a.b-1')?.metadata ?? {})).toEqual(Object.keys(strange.metadata));
  });

  it('answers an older version with a conflict and changes nothing', async () => {
    const version = await put(one(), 0n, FIRST, ['a']);
    const late = write(two(), { expectedVersion: 0n, puts: new Map([['b', information(FIRST)]]) });
    expect(await late).toEqual({ outcome: 'conflict', version, fence: FIRST });
    expect([...(await state(one())).changed.keys()]).toEqual(['a']);
  });

  it('commits one of many writes of the same version', async () => {
    const writes = Array.from({ length: 20 }, (_, n) => write(n % 2 ? one() : two(), { expectedVersion: 0n }));
    const outcomes = (await Promise.all(writes)).map((result) => result.outcome);
    expect(outcomes.filter((outcome) => outcome === 'committed')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(19);
  });

  it('moves the version even when nothing changes', async () => {
    const first = await committed(write(one(), { expectedVersion: 0n }));
    const second = await committed(write(one(), { expectedVersion: first }));
    expect(first > 0n && second > first).toBe(true);
    expect((await state(one())).changed.size).toBe(0);
  });

  it('deletes only an entry of the session that is named', async () => {
    const version = await put(one(), 0n, FIRST, ['a', 'b']);
    const withdrawals = new Map([
      ['a', 's-1'],
      ['b', 'somebody else'],
      ['missing', 's-1'],
    ]);
    const after = await committed(write(one(), { expectedVersion: version, withdrawals }));
    expect([...(await state(one())).changed.keys()]).toEqual(['b']);
    const again = await committed(
      write(one(), { expectedVersion: after, withdrawals: new Map([['a', 's-1']]), puts: new Map() }),
    );
    await put(one(), again, FIRST, ['a']);
    expect([...(await state(one())).changed.keys()].sort()).toEqual(['a', 'b']);
  });
}

function fenceLaws(one: () => Container): void {
  it('takes the fence of a newer session and then refuses the older one', async () => {
    const version = await put(one(), 0n, FIRST, ['a']);
    const raised = await committed(write(one(), { expectedVersion: version, fence: SECOND }));
    expect((await state(one())).fence).toEqual(SECOND);
    const late = await write(one(), { expectedVersion: raised, puts: new Map([['a', information(FIRST, 'late')]]) });
    expect(late).toMatchObject({ outcome: 'refused', reason: 'fenced' });
    expect((await state(one())).changed.get('a')?.address).not.toBe('late');
  });

  it('refuses the same token of another session', async () => {
    const version = await committed(write(one(), { expectedVersion: 0n }));
    const impostor = { fencingToken: 1n, sessionId: 'impostor' };
    expect(await write(one(), { expectedVersion: version, fence: impostor })).toMatchObject({ reason: 'fenced' });
  });

  it('says "fenced" rather than "conflict" when both are true', async () => {
    const version = await committed(write(one(), { expectedVersion: 0n, fence: SECOND }));
    expect(await write(one(), { expectedVersion: version + 7n })).toMatchObject({ reason: 'fenced' });
    expect(await state(one())).toMatchObject({ version, fence: SECOND });
  });

  it('does not raise the fence with a write that conflicts', async () => {
    const version = await committed(write(one(), { expectedVersion: 0n }));
    expect((await write(one(), { expectedVersion: version + 1n, fence: SECOND })).outcome).toBe('conflict');
    expect((await state(one())).fence).toEqual(FIRST);
  });
}

function readingLaws(one: () => Container): void {
  it('gives only what changed after a version, deletions as null', async () => {
    const first = await put(one(), 0n, FIRST, ['a', 'b', 'c']);
    const second = await put(one(), first, FIRST, ['b']);
    const third = await committed(write(one(), { expectedVersion: second, withdrawals: new Map([['c', 's-1']]) }));
    const difference = await state(one(), { since: first });
    expect(difference).toMatchObject({ full: false, version: third, fence: FIRST });
    expect([...difference.changed].sort()).toEqual([
      ['b', information(FIRST)],
      ['c', null],
    ]);
    expect([...(await state(one(), { since: second })).changed]).toEqual([['c', null]]);
    expect(await state(one(), { since: third })).toMatchObject({ full: false, changed: new Map() });
    expect([...(await state(one())).changed.keys()].sort()).toEqual(['a', 'b']);
  });

  it('gives the whole map for a version that it never had', async () => {
    const version = await put(one(), 0n, FIRST, ['a']);
    expect(await state(one(), { since: version + 5n })).toMatchObject({ full: true, version });
  });

  it('reads single keys', async () => {
    const first = await put(one(), 0n, FIRST, ['a', 'b', 'c']);
    expect([...(await state(one(), { keys: ['c', 'a', 'missing'] })).changed.keys()].sort()).toEqual(['a', 'c']);
    await put(one(), first, FIRST, ['a', 'b']);
    expect([...(await state(one(), { keys: ['a', 'c'], since: first })).changed.keys()]).toEqual(['a']);
    expect((await state(one(), { keys: [] })).changed.size).toBe(0);
  });

  it('stays right for readers from any version while very many entries come and go', async () => {
    const mirror = new Mirror();
    const slow = new Mirror();
    let version = 0n;
    for (let round = 0; round < 5; round += 1) {
      const keys = Array.from({ length: 400 }, (_, n) => `job-${round}-${n}`);
      version = await put(one(), version, FIRST, keys);
      mirror.apply(await state(one(), { since: mirror.version }));
      if (round === 0) slow.apply(await state(one()));
      const withdrawals = new Map(keys.slice(1).map((key) => [key, 's-1']));
      version = await committed(write(one(), { expectedVersion: version, withdrawals }));
      mirror.apply(await state(one(), { since: mirror.version }));
    }
    slow.apply(await state(one(), { since: slow.version }));
    const truth = await state(one());
    expect(mirror.entries).toEqual(truth.changed);
    expect(slow.entries).toEqual(truth.changed);
    expect(truth.changed.size).toBe(5);
  });
}

function watchingLaws(one: () => Container, two: () => Container): void {
  it('reports the full state first, also an empty one, and never inside of the call', async () => {
    const empty = record(one().watch.bind(one()));
    expect(empty.items).toEqual([]);
    await empty.until((items) => items.length > 0);
    expect(empty.items[0]).toEqual({ version: 0n, fence: null, full: true, changed: new Map() });
    empty.stop();
    const version = await put(one(), 0n, FIRST, ['a', 'b']);
    const watching = record(two().watch.bind(two()));
    await watching.until((items) => items.length > 0);
    expect(watching.items[0]).toMatchObject({ version, full: true });
    expect(watching.items[0]?.changed.size).toBe(2);
    watching.stop();
  });

  it('then reports differences, from its own handle and from others', async () => {
    const version = await put(one(), 0n, FIRST, ['a', 'b', 'c']);
    const watches = [record(one().watch.bind(one())), record(two().watch.bind(two()))];
    for (const watching of watches) await upTo(watching, version);
    const next = await put(one(), version, FIRST, ['b']);
    for (const watching of watches) {
      await upTo(watching, next);
      expect(watching.items.at(-1)?.full).toBe(false);
      expect([...(watching.items.at(-1)?.changed.keys() ?? [])]).toEqual(['b']);
    }
    const last = await committed(write(two(), { expectedVersion: next, withdrawals: new Map([['a', 's-1']]) }));
    for (const watching of watches) {
      await upTo(watching, last);
      expect([...(watching.items.at(-1)?.changed ?? [])]).toEqual([['a', null]]);
      watching.stop();
    }
  });

  it('adds up to the stored map, in version order, while two handles write', async () => {
    const watches = [record(one().watch.bind(one())), record(two().watch.bind(two()))];
    let version = 0n;
    for (let n = 0; n < 60; n += 1) {
      const container = n % 2 ? one() : two();
      if (n % 3 === 2) {
        const withdrawals = new Map([[`job-${n - 1}`, 's-1']]);
        version = await committed(write(container, { expectedVersion: version, withdrawals }));
      } else version = await put(container, version, FIRST, [`job-${n}`, 'busy']);
    }
    const truth = (await state(one())).changed;
    for (const watching of watches) {
      await upTo(watching, version);
      watching.stop();
      const versions = watching.items.map((item) => item.version);
      expect(versions).toEqual([...versions].sort((a, b) => Number(a - b)));
      const mirror = new Mirror();
      for (const item of watching.items) mirror.apply(item);
      expect(mirror.entries).toEqual(truth);
    }
  });

  it('is silent once stopped', async () => {
    const silent = record(one().watch.bind(one()));
    silent.stop();
    silent.stop();
    const watching = record(one().watch.bind(one()));
    await upTo(watching, await put(one(), 0n, FIRST, ['a']));
    watching.stop();
    const before = watching.items.length;
    const other = record(two().watch.bind(two()));
    await upTo(other, await put(one(), 1n, FIRST, ['b']));
    other.stop();
    expect([silent.items.length, watching.items.length]).toEqual([0, before]);
  });
}

/** A follower's copy, made of what a container reports. */
class Mirror {
  version = 0n;
  entries = new Map<string, LeaderInformation>();

  apply(reported: ContainerState): void {
    if (reported.full) this.entries = new Map();
    for (const [key, entry] of reported.changed) {
      if (entry === null) this.entries.delete(key);
      else this.entries.set(key, entry);
    }
    this.version = reported.version;
  }
}

function upTo(watching: Recording<ContainerState>, version: bigint): Promise<void> {
  return watching.until((items) => items.at(-1)?.version === version);
}

function write(container: Container, change: Partial<ContainerWrite>): Promise<ContainerWriteResult> {
  return container.write(
    { expectedVersion: 0n, fence: FIRST, puts: new Map(), withdrawals: new Map(), ...change },
    CALL,
  );
}

/** Puts an entry of `fence` at each key; answers the new version. */
export function put(container: Container, expectedVersion: bigint, fence: Fence, keys: string[]): Promise<bigint> {
  return committed(
    write(container, { expectedVersion, fence, puts: new Map(keys.map((k) => [k, information(fence)])) }),
  );
}

async function committed(writing: Promise<ContainerWriteResult>): Promise<bigint> {
  const result = await writing;
  if (result.outcome === 'committed') return result.version;
  throw new Error(`expected a commit, got ${result.outcome}${'detail' in result ? `: ${result.detail}` : ''}`);
}

export async function state(
  container: Container,
  options: { readonly since?: bigint; readonly keys?: readonly string[] } = {},
): Promise<ContainerState> {
  const reading = await container.read({ ...CALL, ...options });
  if (reading.outcome === 'found') return reading.state;
  throw new Error(`expected a state, got ${reading.detail}`);
}
