import { expect } from 'vitest';
import { objectOf, type WatchEvent } from '../api/api.ts';
import {
  type Asked,
  configMaps,
  createdLease,
  expectRefused,
  lease,
  leases,
  nameOf,
  type Row,
  versionOf,
  withSpec,
} from './row.ts';

function watchPath(asked: Asked, name: string, more = ''): string {
  return `${leases(asked)}?watch=1&fieldSelector=metadata.name%3D${name}${more}`;
}

function versionsOf(event: WatchEvent | 'silence' | 'end'): unknown {
  return typeof event === 'string' ? event : [event.type, event.object.metadata?.name, versionOf(event.object)];
}

export const watchRows: readonly Row[] = [
  {
    says: 'a watch without a resourceVersion begins with the object as it is, then tells its changes and its end',
    async check(asked) {
      const first = await createdLease(asked);
      const name = nameOf(first);
      const watch = await asked.api.watch(watchPath(asked, name));
      expect(versionsOf(await watch.next(5_000))).toEqual(['ADDED', name, versionOf(first)]);
      await createdLease(asked);
      const body = withSpec(first, { holderIdentity: 'b' });
      const second = objectOf(await asked.api.call('PUT', leases(asked, name), { body }));
      expect(versionsOf(await watch.next(5_000))).toEqual(['MODIFIED', name, versionOf(second)]);
      await asked.api.call('DELETE', leases(asked, name));
      const gone = await watch.next(5_000);
      expect(gone).toMatchObject({ type: 'DELETED', object: { metadata: { uid: first.metadata?.uid } } });
      const again = await createdLease(asked, name);
      expect(versionsOf(await watch.next(5_000))).toEqual(['ADDED', name, versionOf(again)]);
      expect(again.metadata?.uid).not.toBe(first.metadata?.uid);
      watch.close();
    },
  },
  {
    says: 'a watch of an object that does not exist tells nothing until it is made',
    async check(asked) {
      const name = asked.name();
      const watch = await asked.api.watch(watchPath(asked, name));
      expect(watch.status).toBe(200);
      expect(await watch.next(asked.silenceMs)).toBe('silence');
      const made = await createdLease(asked, name);
      expect(versionsOf(await watch.next(5_000))).toEqual(['ADDED', name, versionOf(made)]);
      watch.close();
    },
  },
  {
    says: 'a watch with a resourceVersion tells what came after it, not the object as it is',
    async check(asked) {
      const first = await createdLease(asked);
      const path = leases(asked, nameOf(first));
      const second = objectOf(await asked.api.call('PUT', path, { body: withSpec(first, { holderIdentity: 'b' }) }));
      const third = objectOf(await asked.api.call('PUT', path, { body: withSpec(second, { holderIdentity: 'c' }) }));
      const watch = await asked.api.watch(watchPath(asked, nameOf(first), `&resourceVersion=${versionOf(first)}`));
      expect(versionsOf(await watch.next(5_000))).toEqual(['MODIFIED', nameOf(first), versionOf(second)]);
      expect(versionsOf(await watch.next(5_000))).toEqual(['MODIFIED', nameOf(first), versionOf(third)]);
      expect(await watch.next(asked.silenceMs)).toBe('silence');
      watch.close();
    },
  },
  {
    says: 'with allowWatchBookmarks a BOOKMARK follows the object as it is; at timeoutSeconds the stream ends in order',
    async check(asked) {
      const first = await createdLease(asked);
      const path = watchPath(asked, nameOf(first), '&allowWatchBookmarks=true&timeoutSeconds=3');
      const watch = await asked.api.watch(path);
      const types: string[] = [];
      for (;;) {
        const event = await watch.next(6_000);
        if (typeof event === 'string') {
          types.push(event);
          break;
        }
        types.push(event.type);
        if (event.type !== 'BOOKMARK') continue;
        expect(Object.keys(event.object.metadata ?? {})).toContain('resourceVersion');
        expect(event.object.metadata?.name).toBeUndefined();
      }
      // More may come, and may not: at rest the real server sends none.
      expect(types.slice(0, 2)).toEqual(['ADDED', 'BOOKMARK']);
      expect(types.slice(2, -1).every((type) => type === 'BOOKMARK')).toBe(true);
      expect(types.at(-1)).toBe('end');
    },
  },
  {
    says: 'a watch in a namespace that does not exist is 200 and silence; only a POST says NotFound',
    async check(asked) {
      const nowhere = { ...asked, namespace: asked.missingNamespace };
      const watch = await asked.api.watch(watchPath(nowhere, 'any'));
      expect(watch.status).toBe(200);
      expect(await watch.next(asked.silenceMs)).toBe('silence');
      watch.close();
      expectRefused(await asked.api.call('GET', leases(nowhere, 'any')), 404, 'NotFound', /leases.*"any" not found/);
      const post = await asked.api.call('POST', leases(nowhere), { body: lease('any') });
      expectRefused(post, 404, 'NotFound', /namespaces.*not found/);
    },
  },
  {
    says: 'a watch with a resourceVersion that is none is refused with 500; one from the future is silent until its time limit',
    async check(asked) {
      const first = await createdLease(asked);
      const garbage = await asked.api.watch(watchPath(asked, nameOf(first), '&resourceVersion=garbage'));
      expect(garbage.status).toBe(500);
      const version = BigInt(versionOf(first)) + 1_000_000n;
      const future = watchPath(asked, nameOf(first), `&resourceVersion=${version}&timeoutSeconds=1`);
      const watch = await asked.api.watch(future);
      expect(watch.status).toBe(200);
      expect(await watch.next(10_000)).toBe('end');
    },
  },
];

export const accessRows: readonly Row[] = [
  {
    says: 'without rights: Forbidden, naming user, verb, resource and namespace; with a bad token: Unauthorized',
    async check(asked) {
      const { namespace, powerlessToken: token } = asked;
      const forbidden = (verb: string, resource: string) =>
        new RegExp(
          `User "nobody" cannot ${verb} resource "${resource}" in API group .* in the namespace "${namespace}"`,
        );
      const get = await asked.api.call('GET', leases(asked, 'any'), { token });
      expectRefused(get, 403, 'Forbidden', forbidden('get', 'leases'));
      const put = await asked.api.call('PUT', configMaps(asked, 'any'), { token, body: {} });
      expectRefused(put, 403, 'Forbidden', forbidden('update', 'configmaps'));
      const watch = await asked.api.watch(watchPath(asked, 'any'), { token });
      expect(watch).toMatchObject({ status: 403, refusal: { reason: 'Forbidden' } });
      expect(String((watch.refusal as { message: string }).message)).toMatch(forbidden('watch', 'leases'));
      expectRefused(await asked.api.call('GET', leases(asked, 'any'), { token: 'bad' }), 401, 'Unauthorized');
    },
  },
];
