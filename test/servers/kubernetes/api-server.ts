import { join } from 'node:path';
import { ApiClient } from '../api/api-client.ts';
import { ServerProcess } from '../server-process.ts';
import type { Credentials } from './credentials.ts';
import { freePort } from './ports.ts';

export interface ApiServerOptions {
  readonly name: string;
  readonly binary: string;
  readonly folder: string;
  readonly etcdUrl: string;
  readonly credentials: Credentials;
  readonly flags: readonly string[];
}

/** One kube-apiserver. It keeps its port over restarts. */
export class ApiServer {
  readonly url: string;
  readonly port: number;
  readonly process: ServerProcess;
  /** As a member of `system:masters`. */
  readonly admin: ApiClient;

  private constructor(options: ApiServerOptions, port: number) {
    this.port = port;
    this.url = `https://127.0.0.1:${port}`;
    const { name, binary, folder, credentials } = options;
    const args = [...flagsOf(options, port), ...options.flags];
    this.process = new ServerProcess({ name, path: binary, args, log: join(folder, `${name}.log`) });
    this.admin = new ApiClient({
      url: this.url,
      ca: credentials.authority.certificate,
      token: credentials.user('admin').token,
    });
  }

  static async create(options: ApiServerOptions): Promise<ApiServer> {
    return new ApiServer(options, await freePort());
  }

  async start(): Promise<void> {
    this.process.start();
    await this.process.ready(() => this.isReady());
  }

  async isReady(): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(5_000);
      if ((await this.admin.call('GET', '/readyz', { signal })).status !== 200) return false;
      // Made by a controller of the server that /readyz does not wait for.
      return (await this.admin.call('GET', '/api/v1/namespaces/default', { signal })).status === 200;
    } catch {
      // Not listening yet, or no answer from etcd.
      return false;
    }
  }
}

function flagsOf({ etcdUrl, credentials }: ApiServerOptions, port: number): readonly string[] {
  return [
    ...['--etcd-servers', etcdUrl, '--bind-address', '127.0.0.1', '--secure-port', String(port)],
    // Without it the server looks for a default route and refuses to start on a machine that has none.
    ...['--advertise-address', '127.0.0.1', '--endpoint-reconciler-type', 'none'],
    ...['--tls-cert-file', credentials.certificateFile, '--tls-private-key-file', credentials.keyFile],
    ...['--client-ca-file', credentials.caFile, '--token-auth-file', credentials.tokensFile],
    ...['--authorization-mode', 'RBAC', '--service-account-issuer', 'https://kubernetes.default.svc'],
    ...['--service-account-signing-key-file', credentials.signingKeyFile],
    ...['--service-account-key-file', credentials.signingKeyFile],
    ...['--service-cluster-ip-range', '10.0.0.0/24', '--disable-admission-plugins', 'ServiceAccount'],
    // A Lease of its own, renewed every 10 s, would be among the calls that a suite counts.
    ...['--feature-gates', 'APIServerIdentity=false'],
  ];
}
