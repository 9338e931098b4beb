import { expect } from 'vitest';
import { type Answer, objectOf } from '../api/api.ts';
import {
  type Asked,
  configMap,
  configMaps,
  createdConfigMap,
  expectRefused,
  nameOf,
  type Row,
  versionOf,
} from './row.ts';

const LIMIT = 1_048_576;
const ANNOTATIONS_LIMIT = 262_144;

function post(asked: Asked, content: Readonly<Record<string, unknown>>, metadata = {}): Promise<Answer> {
  return asked.api.call('POST', configMaps(asked), { body: configMap(asked.name(), content, metadata) });
}

export const configMapRows: readonly Row[] = [
  {
    says: 'a PUT of a ConfigMap that does not exist is NotFound, with or without a resourceVersion',
    async check(asked) {
      for (const metadata of [{}, { resourceVersion: '12345' }]) {
        const name = asked.name();
        const body = configMap(name, { data: { a: '1' } }, metadata);
        expectRefused(await asked.api.call('PUT', configMaps(asked, name), { body }), 404, 'NotFound');
      }
    },
  },
  {
    says: 'a PUT of a ConfigMap without a resourceVersion wins in silence',
    async check(asked) {
      const name = nameOf(await createdConfigMap(asked, { data: { a: '1' } }));
      const body = configMap(name, { data: { b: '2' } });
      const won = objectOf(await asked.api.call('PUT', configMaps(asked, name), { body }));
      expect(won.data).toEqual({ b: '2' });
    },
  },
  {
    says: 'a PUT of a ConfigMap with an old resourceVersion, or with another uid, is a Conflict',
    async check(asked) {
      const first = await createdConfigMap(asked, { data: { a: '1' } });
      const path = configMaps(asked, nameOf(first));
      const second = objectOf(await asked.api.call('PUT', path, { body: { ...first, data: { a: '2' } } }));
      expect(versionOf(second)).not.toBe(versionOf(first));
      expectRefused(await asked.api.call('PUT', path, { body: { ...first, data: { a: '3' } } }), 409, 'Conflict');
      const uid = '00000000-0000-4000-8000-000000000000';
      const stranger = { ...second, metadata: { ...second.metadata, uid } };
      expectRefused(await asked.api.call('PUT', path, { body: stranger }), 409, 'Conflict');
    },
  },
  {
    says: 'the values of a ConfigMap are at most 1,048,576 bytes together, binaryData as decoded; keys do not count',
    async check(asked) {
      const key = 'k'.repeat(253);
      expect((await post(asked, { data: { [key]: 'x'.repeat(LIMIT) } })).status).toBe(201);
      const over = { data: { a: 'x'.repeat(LIMIT - 1), b: 'xx' } };
      expectRefused(await post(asked, over), 422, 'Invalid', /1048576 bytes/);
      // Two bytes in one character.
      expectRefused(await post(asked, { data: { a: 'ü'.repeat(LIMIT / 2), b: 'x' } }), 422, 'Invalid');
      const binary = (bytes: number) => ({ binaryData: { a: Buffer.alloc(bytes, 1).toString('base64') } });
      expect((await post(asked, binary(LIMIT))).status).toBe(201);
      expectRefused(await post(asked, binary(LIMIT + 1)), 422, 'Invalid');
    },
  },
  {
    says: 'annotations are at most 262,144 bytes together, keys and values',
    async check(asked) {
      const annotated = (bytes: number) => ({ annotations: { 'a/b': 'x'.repeat(bytes - 3) } });
      expect((await post(asked, {}, annotated(ANNOTATIONS_LIMIT))).status).toBe(201);
      expectRefused(await post(asked, {}, annotated(ANNOTATIONS_LIMIT + 1)), 422, 'Invalid', /262144/);
    },
  },
  {
    says: 'a key of a ConfigMap has 1 to 253 characters of [-._a-zA-Z0-9], is not . and does not begin with ..',
    async check(asked) {
      for (const key of ['a-._Z9', '.a', 'a..', 'x'.repeat(253)]) {
        const answer = await post(asked, { data: { [key]: '' } });
        expect([key, answer.status]).toEqual([key, 201]);
      }
      for (const key of ['', '.', '..', '...', '..a', 'a/b', 'a b', 'ü', 'x'.repeat(254)]) {
        const answer = await post(asked, { data: { [key]: '' } });
        expect([key, answer.status]).toEqual([key, 422]);
      }
    },
  },
  {
    says: 'a value with NUL is kept, a lone surrogate is replaced',
    async check(asked) {
      const nul = objectOf(await post(asked, { data: { a: 'x\0y' } }));
      expect(nul.data).toEqual({ a: 'x\0y' });
      const lone = JSON.stringify(configMap(asked.name(), { data: { a: 'x\ud800y' } }));
      expect(lone).toContain('\\ud800');
      const stored = objectOf(await asked.api.call('POST', configMaps(asked), { body: lone }));
      expect(stored.data).toEqual({ a: 'x\ufffdy' });
    },
  },
  {
    says: 'data of an immutable ConfigMap never changes again, its annotations do',
    async check(asked) {
      const fixed = await createdConfigMap(asked, { data: { a: '1' }, immutable: true });
      const path = configMaps(asked, nameOf(fixed));
      const changed = await asked.api.call('PUT', path, { body: { ...fixed, data: { a: '2' } } });
      expectRefused(changed, 422, 'Invalid', /immutable/);
      const metadata = { ...fixed.metadata, annotations: { a: '1' } };
      expect((await asked.api.call('PUT', path, { body: { ...fixed, metadata } })).status).toBe(200);
    },
  },
];
