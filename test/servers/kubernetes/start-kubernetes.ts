import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryPath } from '../building/build.ts';
import { guardOfThisProcess } from '../guard.ts';
import { ApiServer } from './api-server.ts';
import { Credentials } from './credentials.ts';
import { Etcd } from './etcd.ts';
import { Kubernetes } from './kubernetes.ts';

export interface KubernetesOptions {
  /** Beside `admin`: name → groups. Each gets the token `NAME-token` and what RBAC objects give it, nothing else. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
  /** More flags of kube-apiserver, such as `--feature-gates=CoordinatedLeaderElection=true`. */
  readonly apiServerFlags?: readonly string[];
}

/** More than once only where another process took a port between the look and the start. */
const TRIES = 3;

/**
 * Starts etcd and kube-apiserver in a fresh folder and returns when they are ready; about 3 s. They end with `stop()`,
 * or by themselves when this process ends in any other way.
 *
 * @throws ServerMissing where the binaries cannot be had
 */
export async function startKubernetes(options: KubernetesOptions = {}): Promise<Kubernetes> {
  const binaries = { etcd: await binaryPath('etcd'), apiServer: await binaryPath('kube-apiserver') };
  for (let tries = 1; ; tries++) {
    try {
      return await startOnce(binaries, options);
    } catch (error) {
      if (tries === TRIES || !/address already in use/.test(String(error))) throw error;
    }
  }
}

async function startOnce(
  binaries: { readonly etcd: string; readonly apiServer: string },
  options: KubernetesOptions,
): Promise<Kubernetes> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-kubernetes-'));
  guardOfThisProcess().folder(folder);
  const started: (Etcd | ApiServer)[] = [];
  try {
    const credentials = await Credentials.create(folder, options.users ?? {});
    const etcd = await Etcd.create(binaries.etcd, folder);
    started.push(etcd);
    const apiServer = (name: string, etcdUrl: string): Promise<ApiServer> => {
      const flags = options.apiServerFlags ?? [];
      return ApiServer.create({ name, binary: binaries.apiServer, folder, etcdUrl, credentials, flags });
    };
    await etcd.start();
    const first = await apiServer('apiserver-1', etcd.url);
    started.push(first);
    await first.start();
    return new Kubernetes({ folder, credentials, etcd, apiServer: first, another: apiServer });
  } catch (error) {
    await Promise.all(started.map((server) => server.process.end()));
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
