import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { systemClock } from '../../src/drivers/system/clock.ts';
import { temporaryFolder } from '../drivers/engines.ts';
import type { LocalApi } from '../drivers/kubernetes/local-api.ts';
import { acquisition, CALL, localApi, openOn } from '../drivers/kubernetes/opened.ts';
import { invoke } from './invoke.ts';

/** A kubeconfig in the working directory of the command. */
function kubeconfigFor(api: LocalApi): { readonly kubeconfig: string } {
  const { folder, remove } = temporaryFolder();
  onTestFinished(remove);
  const kubeconfig = join(folder, 'config');
  const config = {
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server: api.url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'secret' } }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u', namespace: 'shop' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return { kubeconfig };
}

async function asked(api: LocalApi, ...args: readonly string[]) {
  const { kubeconfig } = kubeconfigFor(api);
  const [command = '', ...rest] = args;
  const where = ['--backend', 'kubernetes', '--kubeconfig', kubeconfig, '--election', 'billing'];
  return await invoke([command, ...where, ...rest], COMMANDS, { clock: systemClock() });
}

describe('on Kubernetes', () => {
  it('status shows who leads, and where the Lease is', async () => {
    const api = await localApi();
    const { lease, register } = await openOn(api, { namespace: 'shop' });
    const acquired = await lease.write(acquisition(null, 's-1', 'api-1-8f14e45f-0000-4000-8000-000000000000'), CALL);
    if (acquired.outcome !== 'committed') throw new Error(acquired.outcome);
    const fence = { sessionId: 's-1', fencingToken: acquired.record.fencingToken };
    const puts = new Map([['main', { ...fence, address: 'http://10.4.1.17', metadata: {} }]]);
    await register.write({ expectedVersion: 0n, fence, puts, withdrawals: new Map() }, CALL);
    const { code, stdout } = await asked(api, 'status');
    expect(code).toBe(0);
    expect(stdout).toContain(`billing  on kubernetes (namespace shop, Lease billing, ${new URL(api.url).host}), held`);
    expect(stdout).toMatch(/main +api-1-8f14 +\d+ +http:\/\/10\.4\.1\.17 +● confirmed/);
  });

  it('status says that nobody leads where there is no Lease, and creates none', async () => {
    const api = await localApi();
    expect((await asked(api, 'status')).code).toBe(1);
    expect(new Set(api.methods())).toEqual(new Set(['GET']));
  });

  it('status does not know when the API server is away', async () => {
    const api = await localApi();
    await api.stop();
    const { code, stderr } = await asked(api, 'status');
    expect(code).toBe(2);
    expect(stderr).toContain('ECONNREFUSED');
  });

  it('a namespace that is none, and a context that is not there, are bad input', async () => {
    const api = await localApi();
    const namespace = await asked(api, 'status', '--namespace', 'A_B');
    expect([namespace.code, namespace.stderr]).toEqual([1, expect.stringContaining('--namespace')]);
    const context = await asked(api, 'status', '--context', 'there');
    expect([context.code, context.stderr]).toEqual([
      1,
      expect.stringContaining('must be a context of the kubeconfig: here'),
    ]);
    expect(api.asked).toEqual([]);
  });
});
