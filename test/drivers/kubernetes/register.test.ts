import { describe, expect, it } from 'vitest';
import type { ContainerWrite } from '../../../src/ports/container.ts';
import { record } from '../place.ts';
import { CALL, localApi, openOn } from './opened.ts';
import type { Stored } from './stored-objects.ts';

const FENCE = { fencingToken: 7n, sessionId: 's-1' };
const NAME = 'billing-leaders';

function putting(expectedVersion: bigint, keys: readonly string[], address = 'http://a'): ContainerWrite {
  const puts = new Map(keys.map((key) => [key, { ...FENCE, address, metadata: {} }]));
  return { expectedVersion, fence: FENCE, puts, withdrawals: new Map() };
}

async function versionAfter(write: Promise<{ readonly outcome: string; readonly version?: bigint }>): Promise<bigint> {
  const { outcome, version } = await write;
  if (outcome !== 'committed' || version === undefined) throw new Error(`expected committed, received ${outcome}`);
  return version;
}

async function published() {
  const api = await localApi();
  const { register, findings } = await openOn(api);
  const version = await versionAfter(register.write(putting(0n, ['web']), CALL));
  const edit = (data: Record<string, string>): bigint => {
    const stored = api.configMaps.find(NAME) as Stored;
    const answer = api.configMaps.replace(NAME, { ...stored, data: { ...(stored.data as object), ...data } });
    return BigInt((answer.body as Stored).metadata.resourceVersion ?? 0);
  };
  return { api, register, findings, version, edit };
}

describe('a register that somebody edits by hand', () => {
  it('keeps the keys of others', async () => {
    const { api, register, edit } = await published();
    const version = edit({ port: '8080' });
    const next = await versionAfter(register.write(putting(version, ['api']), CALL));
    await register.write({ ...putting(next, []), withdrawals: new Map([['web', 's-1']]) }, CALL);
    const data = (api.configMaps.find(NAME) as Stored).data as object;
    expect(Object.keys(data).sort()).toEqual(['leader.api', 'port']);
  });

  it('has a damaged entry ignored, reported once, and written anew by its leader', async () => {
    const { register, findings, edit } = await published();
    const version = edit({ 'leader.web': 'nonsense' });
    for (let n = 0; n < 2; n += 1) {
      const reading = await register.read(CALL);
      expect(reading).toMatchObject({ outcome: 'found', state: { version, changed: new Map() } });
    }
    expect(findings).toEqual([
      { code: 'store-unusable', detail: `leader.web of the ConfigMap ${NAME} is ignored: it is no JSON object` },
    ]);
    await versionAfter(register.write(putting(version, ['web']), CALL));
    const again = await register.read(CALL);
    expect(again.outcome === 'found' && [...again.state.changed.keys()]).toEqual(['web']);
  });

  it('that was made without a fence is written as any other', async () => {
    const api = await localApi();
    const { register } = await openOn(api);
    const made = api.configMaps.create({ metadata: { name: NAME }, data: { port: '1' } }).body as Stored;
    const version = BigInt(made.metadata.resourceVersion ?? 0);
    const late = await register.write(putting(0n, ['web']), CALL);
    expect(late).toEqual({ outcome: 'conflict', version, fence: null });
    await versionAfter(register.write(putting(version, ['web']), CALL));
  });

  it('that was deleted is told as empty, above every version before, and can be created again', async () => {
    const { api, register, version } = await published();
    const watching = record(register.watch.bind(register));
    await watching.until((items) => items.at(-1)?.version === version);
    api.configMaps.remove(NAME);
    await watching.until((items) => items.at(-1)?.changed.get('web') === null || items.at(-1)?.changed.size === 0);
    const gone = watching.items.at(-1)?.version ?? 0n;
    expect(gone).toBeGreaterThan(version);
    for (const expectedVersion of [version, gone]) {
      const answer = await register.write(putting(expectedVersion, ['web']), CALL);
      expect(answer).toEqual({ outcome: 'conflict', version: 0n, fence: null });
    }
    const created = await versionAfter(register.write(putting(0n, ['web']), CALL));
    expect(created).toBeGreaterThan(gone);
    await watching.until((items) => items.at(-1)?.changed.get('web')?.sessionId === 's-1');
    watching.stop();
  });
});

describe('what a write of the register costs', () => {
  it('one request, with uid and version', async () => {
    const { api, register, version } = await published();
    await versionAfter(register.write(putting(version, ['api']), CALL));
    expect(api.methods()).toEqual(['GET', 'POST', 'PUT']);
    const { metadata } = JSON.parse(api.asked.at(-1)?.body ?? '') as Stored;
    expect(metadata).toMatchObject({ uid: expect.any(String), resourceVersion: `${version}` });
  });

  it('none when it is too large, counted with the values of others', async () => {
    const { api, register, edit } = await published();
    const version = edit({ big: 'x'.repeat(1_000_000) });
    await register.read(CALL);
    const before = api.asked.length;
    const answer = await register.write(putting(version, ['api'], 'é'.repeat(25_000)), CALL);
    expect(answer).toMatchObject({ outcome: 'refused', reason: 'too-large' });
    expect(api.asked).toHaveLength(before);
  });
});

describe('a watch of the register', () => {
  it('brings differences, and the whole map after a gap', async () => {
    const { api, register, version } = await published();
    const watching = record(register.watch.bind(register));
    await watching.until((items) => items.at(-1)?.version === version);
    const next = await versionAfter(register.write(putting(version, ['api']), CALL));
    await watching.until((items) => items.at(-1)?.version === next);
    expect(watching.items.at(-1)).toMatchObject({ full: false, changed: new Map([['api', { address: 'http://a' }]]) });
    api.cutWatches();
    const other = await openOn(api);
    const last = await versionAfter(other.register.write(putting(next, ['job']), CALL));
    await watching.until((items) => items.at(-1)?.version === last);
    watching.stop();
    expect(watching.items.at(-1)?.full).toBe(true);
    expect([...(watching.items.at(-1)?.changed.keys() ?? [])]).toEqual(['web', 'api', 'job']);
  });
});
