import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { type Asked, createdLease, leases, nameOf, versionOf } from './answers/row.ts';
import { ROWS } from './answers/rows.ts';
import { describeOnKubernetes } from './describe-kubernetes.ts';
import type { Kubernetes } from './kubernetes/kubernetes.ts';

let names = 0;

function asked(kubernetes: Kubernetes): Asked {
  return {
    api: kubernetes.admin,
    namespace: 'default',
    missingNamespace: 'nowhere',
    powerlessToken: kubernetes.credentials.user('nobody').token,
    silenceMs: 300,
    name: () => `row-${++names}`,
  };
}

await describeOnKubernetes('the real API server', { users: { nobody: [] } }, (kubernetes) => {
  it.each(ROWS.map((row) => [row.says, row] as const))('%s', async (_, row) => row.check(asked(kubernetes())));

  // Not a row: it is about bytes on a connection, which a stand-in for the server does not have.
  it('a DELETE whose body has no length deletes without its preconditions, and the body spoils the next request', async () => {
    const where = asked(kubernetes());
    const victim = await createdLease(where);
    const body = JSON.stringify({ preconditions: { resourceVersion: `${versionOf(victim)}0` } });
    const head = [
      `DELETE ${leases(where, nameOf(victim))} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${kubernetes().adminToken}`,
      'Content-Type: application/json',
    ];
    const next = 'GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const statuses = await rawStatuses(kubernetes(), `${head.join('\r\n')}\r\n\r\n${body}${next}`);
    expect(statuses).toEqual([200, 400]);
    expect((await where.api.call('GET', leases(where, nameOf(victim)))).status).toBe(404);
  });
});

/** Sends bytes on a fresh connection and returns the status of every answer, until the server closes it. */
async function rawStatuses({ url, credentials }: Kubernetes, bytes: string): Promise<readonly number[]> {
  const { port } = new URL(url);
  const socket = connect({ host: '127.0.0.1', port: Number(port), ca: credentials.authority.certificate });
  // Its end would take the request back: the server ends a connection on which it has seen nonsense.
  socket.write(bytes);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk);
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]));
}
