import { expect } from 'vitest';
import { objectOf } from '../api/api.ts';
import {
  type Asked,
  createdLease,
  expectRefused,
  lease,
  leases,
  nameOf,
  type Row,
  specOf,
  TIME,
  versionOf,
  withSpec,
} from './row.ts';

async function post(asked: Asked, spec: Readonly<Record<string, unknown>>) {
  return asked.api.call('POST', leases(asked), { body: lease(asked.name(), spec) });
}

export const leaseRows: readonly Row[] = [
  {
    says: 'a PUT of a Lease that does not exist creates it, with or without a resourceVersion',
    async check(asked) {
      for (const metadata of [{}, { resourceVersion: '12345' }]) {
        const name = asked.name();
        const answer = await asked.api.call('PUT', leases(asked, name), { body: lease(name, {}, metadata) });
        expect(answer.status).toBe(201);
        expect((await asked.api.call('GET', leases(asked, name))).status).toBe(200);
      }
    },
  },
  {
    says: 'a PUT of a Lease that has been deleted is a Conflict when it carries the uid, and creates nothing',
    async check(asked) {
      const dead = await createdLease(asked);
      const path = leases(asked, nameOf(dead));
      expect((await asked.api.call('DELETE', path)).status).toBe(200);
      const { uid, resourceVersion } = dead.metadata ?? {};
      for (const metadata of [{ uid }, { uid, resourceVersion }]) {
        const answer = await asked.api.call('PUT', path, { body: lease(nameOf(dead), {}, metadata) });
        expectRefused(answer, 409, 'Conflict', /StorageError: invalid object/);
      }
      expectRefused(await asked.api.call('GET', path), 404, 'NotFound');
    },
  },
  {
    says: 'a PUT of a Lease without a resourceVersion is Invalid',
    async check(asked) {
      const name = nameOf(await createdLease(asked));
      const answer = await asked.api.call('PUT', leases(asked, name), { body: lease(name) });
      expectRefused(answer, 422, 'Invalid', /must be specified for an update/);
    },
  },
  {
    says: 'a PUT of a Lease with an old resourceVersion, or with another uid, is a Conflict',
    async check(asked) {
      const first = await createdLease(asked);
      const path = leases(asked, nameOf(first));
      const second = objectOf(await asked.api.call('PUT', path, { body: withSpec(first, { holderIdentity: 'b' }) }));
      expectRefused(await asked.api.call('PUT', path, { body: first }), 409, 'Conflict');
      const uid = '00000000-0000-4000-8000-000000000000';
      const stranger = { ...second, metadata: { ...second.metadata, uid } };
      expectRefused(await asked.api.call('PUT', path, { body: stranger }), 409, 'Conflict');
      expect(objectOf(await asked.api.call('GET', path))).toEqual(second);
    },
  },
  {
    says: 'a PUT that changes nothing keeps the resourceVersion and makes no event',
    async check(asked) {
      const first = await createdLease(asked);
      const watch = await asked.api.watch(`${leases(asked)}?watch=1&fieldSelector=metadata.name%3D${nameOf(first)}`);
      expect(await watch.next(5_000)).toMatchObject({ type: 'ADDED' });
      const same = objectOf(await asked.api.call('PUT', leases(asked, nameOf(first)), { body: first }));
      expect(versionOf(same)).toBe(versionOf(first));
      expect(await watch.next(asked.silenceMs)).toBe('silence');
      watch.close();
    },
  },
  {
    says: 'a POST of a name that exists is AlreadyExists',
    async check(asked) {
      const name = nameOf(await createdLease(asked));
      expectRefused(await asked.api.call('POST', leases(asked), { body: lease(name) }), 409, 'AlreadyExists');
    },
  },
  {
    says: 'a time has six fractional digits, three or none are a BadRequest; an offset comes back as Z',
    async check(asked) {
      for (const renewTime of ['2026-01-02T03:04:05.006Z', '2026-01-02T03:04:05Z']) {
        expectRefused(await post(asked, { renewTime }), 400, 'BadRequest');
      }
      const answer = await post(asked, { renewTime: '2026-01-02T05:04:05.000006+02:00' });
      expect(specOf(objectOf(answer)).renewTime).toBe(TIME);
    },
  },
  {
    says: 'leaseDurationSeconds 0 is Invalid, 1.5 and 2^31 a BadRequest; leaseTransitions -1 is Invalid',
    async check(asked) {
      expectRefused(await post(asked, { leaseDurationSeconds: 0 }), 422, 'Invalid');
      expectRefused(await post(asked, { leaseDurationSeconds: 1.5 }), 400, 'BadRequest');
      expectRefused(await post(asked, { leaseDurationSeconds: 2 ** 31 }), 400, 'BadRequest');
      expectRefused(await post(asked, { leaseTransitions: -1 }), 422, 'Invalid');
      expect((await post(asked, { leaseDurationSeconds: 2 ** 31 - 1, leaseTransitions: 0 })).status).toBe(201);
    },
  },
  {
    says: 'holderIdentity "" is kept, null is dropped, and 5,000 characters are accepted',
    async check(asked) {
      expect(specOf(objectOf(await post(asked, { holderIdentity: '' }))).holderIdentity).toBe('');
      expect(specOf(objectOf(await post(asked, { holderIdentity: null })))).not.toHaveProperty('holderIdentity');
      const long = 'x'.repeat(5_000);
      expect(specOf(objectOf(await post(asked, { holderIdentity: long }))).holderIdentity).toBe(long);
    },
  },
  {
    says: 'strategy and preferredHolder are dropped in silence (the feature is off), unknown fields too',
    async check(asked) {
      const unknown = { strategy: 'OldestEmulationVersion', preferredHolder: 'b', neverHeardOf: 1 };
      const answer = await post(asked, unknown);
      expect(answer.status).toBe(201);
      expect(Object.keys(specOf(objectOf(answer))).sort()).toEqual([
        'holderIdentity',
        'leaseDurationSeconds',
        'renewTime',
      ]);
    },
  },
  {
    says: 'a merge PATCH without a resourceVersion always wins, with an old one is a Conflict, of none is NotFound',
    async check(asked) {
      const first = await createdLease(asked);
      const path = leases(asked, nameOf(first));
      const patch = (to: string, body: unknown) =>
        asked.api.call('PATCH', to, { body, contentType: 'application/merge-patch+json' });
      const won = objectOf(await patch(path, { spec: { holderIdentity: 'b' } }));
      expect(specOf(won).holderIdentity).toBe('b');
      const old = { metadata: { resourceVersion: versionOf(first) }, spec: { holderIdentity: 'c' } };
      expectRefused(await patch(path, old), 409, 'Conflict');
      expectRefused(await patch(leases(asked, asked.name()), { spec: { holderIdentity: 'b' } }), 404, 'NotFound');
    },
  },
  {
    says: 'server-side apply of a Lease that does not exist creates it',
    async check(asked) {
      const name = asked.name();
      const answer = await asked.api.call('PATCH', `${leases(asked, name)}?fieldManager=row`, {
        body: lease(name),
        contentType: 'application/apply-patch+yaml',
      });
      expect(answer.status).toBe(201);
    },
  },
  {
    says: 'a DELETE with a precondition that does not hold is a Conflict, with one that holds it deletes',
    async check(asked) {
      const first = await createdLease(asked);
      const path = leases(asked, nameOf(first));
      const second = objectOf(await asked.api.call('PUT', path, { body: withSpec(first, { holderIdentity: 'b' }) }));
      const remove = (preconditions: unknown) => asked.api.call('DELETE', path, { body: { preconditions } });
      expectRefused(await remove({ resourceVersion: versionOf(first) }), 409, 'Conflict');
      expectRefused(await remove({ uid: '00000000-0000-4000-8000-000000000000' }), 409, 'Conflict');
      const { uid, resourceVersion } = second.metadata ?? {};
      expect((await remove({ uid, resourceVersion })).status).toBe(200);
      expectRefused(await asked.api.call('GET', path), 404, 'NotFound');
    },
  },
];
