import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAccess } from '../../../src/drivers/kubernetes/find-access.ts';
import { kubernetes } from '../../../src/drivers/kubernetes/index.ts';
import type { KubernetesOptions } from '../../../src/drivers/kubernetes/options.ts';
import { testContext } from '../place.ts';
import { acquisition, CALL, localApi } from './opened.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'tenure-access-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** A kubeconfig with two contexts of one server. */
function kubeconfig(server: string, token = 'secret', extra: object = {}): string {
  const file = join(folder(), 'config');
  const config = {
    'current-context': 'one',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true, ...extra } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [
      { name: 'one', context: { cluster: 'c', user: 'u', namespace: 'apps' } },
      { name: 'two', context: { cluster: 'c', user: 'u' } },
    ],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

const NOWHERE = { env: {}, serviceAccountFolder: join(tmpdir(), 'tenure-no-account') };

describe('without a kubeconfig', () => {
  it('and outside a cluster nothing is opened: no process may believe that it leads', async () => {
    await expect(findAccess({}, NOWHERE)).rejects.toMatchObject({ code: 'backend-unavailable', outcome: 'not-done' });
    const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    await expect(findAccess({}, { ...NOWHERE, env })).rejects.toMatchObject({ code: 'backend-unavailable' });
  });

  it('the service account of the pod is used; its token is read before each request', async () => {
    const account = folder();
    writeFileSync(join(account, 'token'), 'first\n');
    writeFileSync(join(account, 'namespace'), 'apps');
    writeFileSync(join(account, 'ca.crt'), 'PEM');
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' };
    const access = await findAccess({}, { env, serviceAccountFolder: account });
    expect([access.server.href, access.namespace]).toEqual(['https://[fd00::1]:6443/', 'apps']);
    expect(await access.credentials()).toEqual({ headers: { authorization: 'Bearer first' }, tls: { ca: 'PEM' } });
    writeFileSync(join(account, 'token'), 'second\n');
    expect((await access.credentials()).headers).toEqual({ authorization: 'Bearer second' });
    const named = await findAccess({ namespace: 'other' }, { env, serviceAccountFolder: account });
    expect(named.namespace).toBe('other');
  });
});

describe('with a kubeconfig', () => {
  it('the current context says server, namespace and token', async () => {
    const api = await localApi();
    const access = await findAccess({ kubeconfig: kubeconfig(api.url) }, NOWHERE);
    expect([access.server.origin, access.namespace]).toEqual([api.url, 'apps']);
    const { headers } = await access.credentials();
    expect(Object.values(headers)).toEqual(['Bearer secret']);
  });

  it('KUBECONFIG and the home folder are looked at, in this order, before the pod', async () => {
    const home = folder();
    mkdirSync(join(home, '.kube'));
    const account = folder();
    writeFileSync(join(account, 'token'), 't');
    const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
    const file = kubeconfig('http://in-variable');
    writeFileSync(join(home, '.kube', 'config'), JSON.stringify({}));
    const around = { env: { ...pod, HOME: home, KUBECONFIG: file }, serviceAccountFolder: account };
    expect((await findAccess({}, around)).server.host).toBe('in-variable');
    const withoutVariable = { ...around, env: { ...pod, HOME: home } };
    await expect(findAccess({}, withoutVariable)).rejects.toThrow('has no current context');
    const withoutHome = { ...around, env: { ...pod, HOME: folder() } };
    expect((await findAccess({}, withoutHome)).server.host).toBe('10.0.0.1');
  });

  it('a context and a namespace can be chosen', async () => {
    const file = kubeconfig('http://server');
    expect((await findAccess({ kubeconfig: file, context: 'two' }, NOWHERE)).namespace).toBe('default');
    const chosen = await findAccess({ kubeconfig: file, context: 'two', namespace: 'mine' }, NOWHERE);
    expect(chosen.namespace).toBe('mine');
    await expect(findAccess({ kubeconfig: file, context: 'three' }, NOWHERE)).rejects.toMatchObject({
      code: 'invalid-options',
      violations: [{ field: 'context', received: 'three', rule: expect.stringContaining('one, two') }],
    });
  });

  it('a KubeConfig of the application is taken as it is', async () => {
    const { KubeConfig } = await import('@kubernetes/client-node');
    const api = await localApi();
    const config = new KubeConfig();
    config.loadFromFile(kubeconfig(api.url));
    const opened = await kubernetes({ cluster: config, namespace: 'mine' }).open(testContext());
    onTestFinished(() => opened.close());
    expect((await opened.lease.read(CALL)).outcome).toBe('absent');
    const [asked] = api.asked;
    expect([asked?.headers.authorization, asked?.path]).toEqual(['Bearer secret', expect.stringContaining('/mine/')]);
  });

  it('what cannot be used is a coded error', async () => {
    const missing = findAccess({ kubeconfig: join(tmpdir(), 'tenure-no-kubeconfig') }, NOWHERE);
    await expect(missing).rejects.toMatchObject({ code: 'backend-unavailable' });
    const proxied = findAccess({ kubeconfig: kubeconfig('https://server', 't', { 'proxy-url': 'http://p' }) }, NOWHERE);
    await expect(proxied).rejects.toMatchObject({
      code: 'backend-unavailable',
      message: expect.stringContaining('proxy'),
    });
    const nameless = findAccess({ kubeconfig: kubeconfig('no url') }, NOWHERE);
    await expect(nameless).rejects.toThrow('no URL');
  });

  it('an election runs, and after a 401 the file is read anew', async () => {
    const api = await localApi();
    const file = kubeconfig(api.url, 'old');
    api.intercept = ({ headers }, response) => {
      if (headers.authorization === 'Bearer new') return false;
      writeFileSync(
        file,
        JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), users: [{ name: 'u', user: { token: 'new' } }] }),
      );
      response.writeHead(401).end();
      return true;
    };
    const opened = await kubernetes({ kubeconfig: file }).open(testContext());
    onTestFinished(() => opened.close());
    expect((await opened.lease.write(acquisition(null), CALL)).outcome).toBe('committed');
    expect(api.asked[0]?.path).toBe('/apis/coordination.k8s.io/v1/namespaces/apps/leases');
  });
});

describe('options', () => {
  it.each([
    ['an unknown one', { nameSpace: 'a' }, ['nameSpace']],
    ['a namespace that is no name', { namespace: 'A_b' }, ['namespace']],
    ['an empty file', { kubeconfig: '' }, ['kubeconfig']],
    ['a negative grace', { foreignGraceMs: -1 }, ['foreignGraceMs']],
    ['a cluster without a server', { cluster: {} }, ['cluster']],
    ['a cluster and a kubeconfig', { cluster: { server: 'https://a' }, kubeconfig: 'b' }, ['kubeconfig']],
    ['two wrong ones', { namespace: '', context: '' }, ['context', 'namespace']],
  ])('%s is named with its rule', (_, options, fields) => {
    const violations = (): unknown => kubernetes(options as KubernetesOptions);
    expect(violations).toThrow(
      expect.objectContaining({ violations: fields.map((field) => expect.objectContaining({ field })) }),
    );
  });
});

describe('one backend', () => {
  it('shares its connections among the elections that are opened with it', async () => {
    const api = await localApi();
    const backend = kubernetes({ cluster: { server: api.url } });
    const elections = ['a', 'b', 'c'];
    const opened = await Promise.all(elections.map((election) => backend.open(testContext({ election }))));
    for (const { lease } of opened) await lease.write(acquisition(null), CALL);
    expect(api.connections).toBe(1);
    const [first, ...others] = opened;
    for (const one of others) await one.close();
    expect((await first?.lease.read(CALL))?.outcome).toBe('found');
    await first?.close();
  });
});
