import { expect, it } from 'vitest';
import { matches, parseRequest } from './api-request.ts';

const REST = { userAgent: 'tenure/1', connection: 1, atMs: 0 };
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/ns/leases';

it.each([
  ['GET', `${LEASES}/demo`, 'get', 'leases', 'ns', 'demo', ''],
  ['GET', LEASES, 'list', 'leases', 'ns', '', ''],
  ['GET', `${LEASES}?watch=1&fieldSelector=metadata.name%3Ddemo`, 'watch', 'leases', 'ns', 'demo', ''],
  ['GET', `${LEASES}?watch=true`, 'watch', 'leases', 'ns', '', ''],
  ['POST', '/api/v1/namespaces/ns/configmaps', 'create', 'configmaps', 'ns', '', ''],
  ['PUT', '/api/v1/namespaces/ns/pods/a/status', 'update', 'pods', 'ns', 'a', 'status'],
  ['PATCH', `${LEASES}/demo`, 'patch', 'leases', 'ns', 'demo', ''],
  ['DELETE', `${LEASES}/demo`, 'delete', 'leases', 'ns', 'demo', ''],
  ['DELETE', LEASES, 'deletecollection', 'leases', 'ns', '', ''],
  ['GET', '/apis/coordination.k8s.io/v1/leases', 'list', 'leases', '', '', ''],
  ['GET', '/api/v1/namespaces', 'list', 'namespaces', '', '', ''],
  ['GET', '/api/v1/namespaces/ns', 'get', 'namespaces', '', 'ns', ''],
  ['GET', '/readyz', 'other', '', '', '', ''],
  ['GET', '/api', 'other', '', '', '', ''],
])('%s %s is %s of %s', (method, url, verb, resource, namespace, name, subresource) => {
  expect(parseRequest(method, url, REST)).toMatchObject({ verb, resource, namespace, name, subresource, path: url });
});

it('a pattern matches when all that it names is equal', () => {
  const request = parseRequest('PUT', `${LEASES}/demo`, REST);
  expect(matches({}, request)).toBe(true);
  expect(matches({ verb: 'update', name: 'demo', userAgent: /^tenure/ }, request)).toBe(true);
  expect(matches({ verb: 'update', name: 'other' }, request)).toBe(false);
  expect(matches({ userAgent: /^client-go/ }, request)).toBe(false);
  expect(matches({ where: ({ connection }) => connection === 2 }, request)).toBe(false);
});
