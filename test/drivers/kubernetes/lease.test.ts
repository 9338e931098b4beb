import { describe, expect, it } from 'vitest';
import type { LeaseWriteResult } from '../../../src/ports/lease-store.ts';
import { record } from '../place.ts';
import { send } from './local-api.ts';
import { acquisition, CALL, localApi, openOn } from './opened.ts';
import type { Stored } from './stored-objects.ts';

const RENEW = { kind: 'renew', durationMs: 15_000 } as const;

function committed(result: LeaseWriteResult) {
  if (result.outcome !== 'committed') throw new Error(`expected committed, received ${JSON.stringify(result.outcome)}`);
  return result.record;
}

async function held() {
  const api = await localApi();
  const { lease } = await openOn(api);
  const acquired = committed(await lease.write(acquisition(null), CALL));
  return { api, lease, acquired };
}

describe('the calls that a lease costs', () => {
  it('one for each acquisition, renewal and release of what is known', async () => {
    const { api, lease, acquired } = await held();
    const renewed = committed(await lease.write({ ...RENEW, expectedVersion: acquired.version }, CALL));
    const released = committed(await lease.write({ kind: 'release', expectedVersion: renewed.version }, CALL));
    committed(await lease.write(acquisition(released.version, 's-2'), CALL));
    expect(api.methods()).toEqual(['POST', 'PUT', 'PUT', 'PUT']);
  });

  it('every replacement names uid and version', async () => {
    const { api, lease, acquired } = await held();
    await lease.write({ ...RENEW, expectedVersion: acquired.version }, CALL);
    const { metadata } = JSON.parse(api.asked.at(-1)?.body ?? '') as Stored;
    expect(metadata).toMatchObject({ uid: expect.any(String), resourceVersion: `${acquired.version}` });
  });
});

describe('a Lease that is deleted', () => {
  it('and created again by somebody with the same content is not ours any more', async () => {
    const { api, lease, acquired } = await held();
    const copy = api.leases.find('billing') as Stored;
    api.leases.remove('billing');
    api.leases.create(copy);
    const answer = await lease.write({ ...RENEW, expectedVersion: acquired.version }, CALL);
    expect(answer).toMatchObject({ outcome: 'conflict', record: { holder: 'participant-1', sessionId: '' } });
    const watching = record(lease.watch.bind(lease));
    await watching.until((items) => items.length > 0);
    watching.stop();
    expect(watching.items[0]).toMatchObject({ sessionId: '' });
  });

  it('is not created again by a renewal, and where a server does so that is a lost lease', async () => {
    const { api, lease, acquired } = await held();
    api.leases.remove('billing');
    // A server that does not look at the uid.
    api.intercept = ({ method, body }, response) => {
      if (method !== 'PUT') return false;
      const object = JSON.parse(body) as Stored;
      const { uid: _, ...metadata } = object.metadata;
      send(response, api.leases.replace('billing', { ...object, metadata }));
      return true;
    };
    const answer = await lease.write({ ...RENEW, expectedVersion: acquired.version }, CALL);
    expect(answer).toEqual({ outcome: 'conflict', record: null });
    expect(api.leases.find('billing')).toBeUndefined();
  });
});

describe('a renewal', () => {
  it('that is answered with the version from before is none', async () => {
    const { api, lease, acquired } = await held();
    api.intercept = ({ method }, response) => {
      if (method !== 'PUT') return false;
      send(response, api.leases.get('billing'));
      return true;
    };
    const answer = await lease.write({ ...RENEW, expectedVersion: acquired.version }, CALL);
    expect(answer).toEqual({ outcome: 'refused', detail: 'the renew changed nothing' });
  });

  it('leaves what others keep in the Lease as it is', async () => {
    const { api, lease } = await held();
    const stored = api.leases.find('billing') as Stored;
    const annotations = { ...stored.metadata.annotations, note: 'mine' };
    const metadata = { ...stored.metadata, labels: { team: 'a' }, annotations };
    api.leases.replace('billing', { ...stored, metadata, spec: { ...(stored.spec as object), priority: 7 } });
    const reading = await lease.read(CALL);
    if (reading.outcome !== 'found') throw new Error('there is a Lease');
    const renewed = committed(await lease.write({ ...RENEW, expectedVersion: reading.record.version }, CALL));
    await lease.write({ kind: 'release', expectedVersion: renewed.version }, CALL);
    const after = api.leases.find('billing');
    expect(after).toMatchObject({
      metadata: { labels: { team: 'a' }, annotations: { note: 'mine' } },
      spec: { priority: 7 },
    });
  });

  it('of which the server kept the write but not the answer is found by the next one', async () => {
    const { api, lease, acquired } = await held();
    api.intercept = ({ method }, response, next) => {
      if (method !== 'PUT') return false;
      // Applied; the answer never arrives.
      const { end } = response;
      response.end = (() => response.socket?.destroy()) as unknown as typeof end;
      next();
      return true;
    };
    expect((await lease.write({ ...RENEW, expectedVersion: acquired.version }, CALL)).outcome).toBe('unknown');
    api.intercept = () => false;
    const again = await lease.write({ ...RENEW, expectedVersion: acquired.version }, CALL);
    expect(again).toMatchObject({ outcome: 'conflict', record: { sessionId: 's-1', version: acquired.version + 1n } });
  });
});

describe('a lease that cannot be acquired', () => {
  it('because it is coordinated by the API server', async () => {
    const { api, lease } = await held();
    const stored = api.leases.find('billing') as Stored;
    const spec = { ...(stored.spec as object), strategy: 'OldestEmulationVersion' };
    const changed = api.leases.replace('billing', { ...stored, spec }).body as Stored;
    const answer = await lease.write(acquisition(BigInt(changed.metadata.resourceVersion ?? 0), 's-2'), CALL);
    expect(answer).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('OldestEmulationVersion') });
  });

  it('because the namespace does not exist, which only the creation is told', async () => {
    const api = await localApi();
    const { lease } = await openOn(api, { namespace: 'missing' });
    expect(await lease.read(CALL)).toEqual({ outcome: 'absent' });
    const answer = await lease.write(acquisition(null), CALL);
    expect(answer).toMatchObject({
      outcome: 'refused',
      detail: expect.stringContaining('namespaces "missing" not found'),
    });
  });
});

describe('another kind of elector', () => {
  it('that holds the Lease cannot be renewed, released or asked to step down', async () => {
    const { api, lease } = await held();
    const stored = api.leases.find('billing') as Stored;
    const robbed = api.leases.replace('billing', {
      ...stored,
      spec: { ...(stored.spec as object), holderIdentity: 'them' },
    });
    const expectedVersion = BigInt((robbed.body as Stored).metadata.resourceVersion ?? 0);
    for (const write of [RENEW, { kind: 'release' }, { kind: 'request-step-down', sessionId: '' }] as const) {
      const answer = await lease.write({ ...write, expectedVersion }, CALL);
      expect(answer).toMatchObject({
        outcome: 'conflict',
        record: { holder: 'them', sessionId: '', durationMs: 18_000 },
      });
    }
  });
});

describe('a store that was restored from a copy', () => {
  it('is reported, and can be written again', async () => {
    const api = await localApi();
    const { lease, findings } = await openOn(api);
    const acquired = committed(await lease.write(acquisition(null), CALL));
    const old = api.leases.find('billing') as Stored;
    api.intercept = ({ method }, response) => {
      if (method !== 'GET') return false;
      const metadata = { ...old.metadata, resourceVersion: '5' };
      send(response, { code: 200, body: { ...old, metadata } });
      return true;
    };
    expect(await lease.read(CALL)).toMatchObject({ outcome: 'found', record: { version: 5n } });
    expect(findings.map(({ detail }) => detail)).toEqual([expect.stringContaining('restored from a copy')]);
    expect(acquired.version).toBeGreaterThan(5n);
  });
});
