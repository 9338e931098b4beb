import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect } from 'node:tls';
import { expect, it, onTestFinished } from 'vitest';
import {
  type Asked,
  configMap,
  configMaps,
  createdLease,
  lease,
  leases,
  nameOf,
  specOf,
  versionOf,
  withSpec,
} from './answers/row.ts';
import { objectOf } from './api/api.ts';
import { ApiClient } from './api/api-client.ts';
import { repositoryRoot } from './building/recipe.ts';
import { describeOnKubernetes } from './describe-kubernetes.ts';

let names = 0;
const HERE = { namespace: 'default' };

await describeOnKubernetes('the servers of a suite', { users: { limited: ['testers'] } }, (kubernetes) => {
  const asked = (): Asked => ({
    ...HERE,
    api: kubernetes().admin,
    missingNamespace: 'nowhere',
    powerlessToken: '',
    silenceMs: 300,
    name: () => `served-${++names}`,
  });

  it('keep what was written over a kill of the API server and of etcd, on the same ports', async () => {
    const lease = await createdLease(asked());
    for (const which of ['apiserver', 'etcd'] as const) {
      await kubernetes().restart(which);
      expect(objectOf(await kubernetes().admin.call('GET', leases(HERE, nameOf(lease))))).toEqual(lease);
    }
  });

  it('go back in time at a restore: the same resource versions are given again', async () => {
    const lease = await createdLease(asked());
    const path = leases(HERE, nameOf(lease));
    const backup = kubernetes().backup();
    const take = (holderIdentity: string) =>
      kubernetes().admin.call('PUT', path, { body: withSpec(lease, { holderIdentity }) });
    const lost = objectOf(await take('b'));
    await kubernetes().restore(backup);
    expect(objectOf(await kubernetes().admin.call('GET', path))).toEqual(lease);
    const again = objectOf(await take('c'));
    expect(specOf(again).holderIdentity).toBe('c');
    expect(BigInt(versionOf(again)) - BigInt(versionOf(lost))).toBeLessThan(100n);
  });

  it('can be two API servers on one etcd, of which the second hears everything late', async () => {
    const second = await kubernetes().secondApiServer();
    onTestFinished(() => second.server.process.end());
    const lease = await createdLease(asked());
    const path = leases(HERE, nameOf(lease));
    expect(objectOf(await second.admin.call('GET', path))).toEqual(lease);
    const selector = `${leases(HERE)}?watch=1&fieldSelector=metadata.name%3D${nameOf(lease)}`;
    const prompt = await kubernetes().admin.watch(selector);
    const late = await second.admin.watch(selector);
    for (const watch of [prompt, late]) expect(await watch.next(5_000)).toMatchObject({ type: 'ADDED' });
    second.lagMs = Number.POSITIVE_INFINITY;
    await kubernetes().admin.call('PUT', path, { body: withSpec(lease, { holderIdentity: 'b' }) });
    expect(await prompt.next(5_000)).toMatchObject({ type: 'MODIFIED', object: { spec: { holderIdentity: 'b' } } });
    expect(await late.next(500)).toBe('silence');
    // From its cache it still tells what was.
    const cached = objectOf(await second.admin.call('GET', `${path}?resourceVersion=0`));
    expect(specOf(cached).holderIdentity).toBe('a');
    second.lagMs = 0;
    expect(await late.next(5_000)).toMatchObject({ type: 'MODIFIED', object: { spec: { holderIdentity: 'b' } } });
  });

  it('know a user by token or certificate, with the rights of its groups and no others', async () => {
    await kubernetes().apply([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'readers', namespace: 'default' },
        rules: [{ apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'readers', namespace: 'default' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'readers' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'testers' }],
      },
    ]);
    const lease = await createdLease(asked());
    const path = leases(HERE, nameOf(lease));
    const byToken = kubernetes().client({ user: 'limited' });
    // RBAC objects reach the server's own cache a moment later.
    await expect.poll(async () => (await byToken.call('GET', path)).status).toBe(200);
    expect((await byToken.call('PUT', path, { body: lease })).status).toBe(403);
    const file = await kubernetes().kubeconfig('limited', { byCertificate: true });
    const [{ user }] = JSON.parse(readFileSync(file, 'utf8')).users;
    const decoded = (field: string): string => Buffer.from(user[field], 'base64').toString();
    const byCertificate = new ApiClient({
      url: kubernetes().url,
      ca: readFileSync(kubernetes().caFile, 'utf8'),
      certificate: { certificate: decoded('client-certificate-data'), key: decoded('client-key-data') },
    });
    onTestFinished(() => byCertificate.close());
    expect((await byCertificate.call('GET', path)).status).toBe(200);
    expect((await byCertificate.call('PUT', path, { body: lease })).status).toBe(403);
  });

  it('give a service account a short-lived token, which is worth nothing once the account is gone', async () => {
    const account = await kubernetes().serviceAccount('default', 'worker');
    const secrets = `${account.root}/var/run/secrets/kubernetes.io/serviceaccount`;
    expect(readFileSync(`${secrets}/token`, 'utf8')).toBe(account.token);
    expect(readFileSync(`${secrets}/namespace`, 'utf8')).toBe('default');
    const client = kubernetes().client({ token: account.token });
    const whoami = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const review = () => client.call('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: whoami });
    expect((await review()).body).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:worker' } },
    });
    await kubernetes().admin.call('DELETE', '/api/v1/namespaces/default/serviceaccounts/worker');
    // The server remembers a good token for up to 10 s.
    await expect.poll(async () => (await review()).status, { timeout: 20_000, interval: 500 }).toBe(401);
  });

  it('apply objects, refuse bad ones with the reason, and store nothing in a dry run', async () => {
    const good = configMap('applied', { data: { a: '1' } });
    await kubernetes().apply([good], { dryRun: true });
    expect((await kubernetes().admin.call('GET', configMaps(HERE, 'applied'))).status).toBe(404);
    expect(await kubernetes().apply([good])).toMatchObject([{ data: { a: '1' } }]);
    expect((await kubernetes().admin.call('GET', configMaps(HERE, 'applied'))).status).toBe(200);
    await expect(kubernetes().apply([configMap('applied', { data: { 'a b': '1' } })])).rejects.toThrow(/Invalid/);
    await expect(kubernetes().apply([{ ...good, kind: 'Secretive' }])).rejects.toThrow(/knows no Secretive of v1/);
  });

  it('count calls exactly: nobody else makes calls on Leases', async () => {
    const lease = await createdLease(asked());
    const before = await kubernetes().metrics();
    await new Promise((settle) => setTimeout(settle, 11_000));
    for (let calls = 0; calls < 3; calls++) await kubernetes().admin.call('GET', leases(HERE, nameOf(lease)));
    await kubernetes().admin.call('PUT', leases(HERE, nameOf(lease)), { body: lease });
    const after = await kubernetes().metrics();
    const counted = (verb: string): number =>
      after.count({ verb, resource: 'leases' }) - before.count({ verb, resource: 'leases' });
    expect(['GET', 'PUT', 'POST', 'LIST', 'PATCH'].map(counted)).toEqual([3, 1, 0, 0, 0]);
  });

  it('show a new certificate after a restart', async () => {
    const before = await serialOf(kubernetes().url);
    const { credentials } = kubernetes();
    credentials.replaceCertificate(await credentials.authority.issue({ name: 'kube-apiserver', use: 'server' }));
    await kubernetes().restart('apiserver');
    expect(await serialOf(kubernetes().url)).not.toBe(before);
  });

  it('end, and leave no files, when the process that started them is killed', async () => {
    const byHand = startByHand();
    onTestFinished(() => void byHand.child.kill('SIGKILL'));
    const { server = '', logs = '' } = await byHand.told;
    expect(existsSync(logs)).toBe(true);
    await expect(serialOf(server)).resolves.toMatch(/^[0-9A-F]+$/);
    byHand.child.kill('SIGKILL');
    await expect.poll(() => existsSync(logs), { timeout: 20_000 }).toBe(false);
    await expect(serialOf(server)).rejects.toThrow(/ECONNREFUSED/);
  });
});

/** What `npm run server:kubernetes` does. */
function startByHand() {
  const root = repositoryRoot();
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'test/servers'], { cwd: root });
  const child = spawn(process.execPath, ['dist/test/servers/by-hand.js'], { cwd: root });
  const read = async (): Promise<Record<string, string>> => {
    const told: Record<string, string> = {};
    for await (const line of createInterface({ input: child.stdout })) {
      const [, name = '', value = ''] = /^(.*?) {2,}(\S+)$/.exec(line) ?? [];
      told[name] = value;
      if (line.includes('Ctrl-C')) break;
    }
    return told;
  };
  return { child, told: read() };
}

const COORDINATED = [
  '--feature-gates=CoordinatedLeaderElection=true',
  '--runtime-config=coordination.k8s.io/v1beta1=true',
];

await describeOnKubernetes('a server with coordinated elections', { apiServerFlags: COORDINATED }, (kubernetes) => {
  it('keeps strategy and preferredHolder of a Lease, and knows LeaseCandidates', async () => {
    const body = lease('coordinated', { strategy: 'OldestEmulationVersion', preferredHolder: 'b' });
    const stored = objectOf(await kubernetes().admin.call('POST', leases(HERE), { body }));
    expect(specOf(stored)).toMatchObject({ strategy: 'OldestEmulationVersion', preferredHolder: 'b' });
    const candidates = '/apis/coordination.k8s.io/v1beta1/namespaces/default/leasecandidates';
    expect((await kubernetes().admin.call('GET', candidates)).status).toBe(200);
  });
});

function serialOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Only looks at the certificate.
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
