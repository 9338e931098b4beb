import { rmSync } from 'node:fs';
import { type KubernetesObject, objectOf } from '../api/api.ts';
import { ApiClient } from '../api/api-client.ts';
import type { ApiServer } from './api-server.ts';
import { Applier } from './apply.ts';
import { CallCounts } from './call-counts.ts';
import type { Credentials } from './credentials.ts';
import { DelayedPipe } from './delayed-pipe.ts';
import type { Etcd } from './etcd.ts';

/** What the parts of one suite's cluster are made from; `startKubernetes` fills it. */
export interface Parts {
  readonly folder: string;
  readonly credentials: Credentials;
  readonly etcd: Etcd;
  readonly apiServer: ApiServer;
  /** Another API server on a port of its own, whose etcd is at that URL. */
  another(name: string, etcdUrl: string): Promise<ApiServer>;
}

export interface KubeconfigOptions {
  /** Another server than the first one: the fault proxy, the second API server. */
  readonly url?: string;
  readonly namespace?: string;
  /** Says who one is by a client certificate instead of a token. Not through the proxy: it ends the TLS connection. */
  readonly byCertificate?: boolean;
}

export interface ServiceAccount {
  /** Valid for ten minutes, the shortest that the server gives. */
  readonly token: string;
  readonly kubeconfig: string;
  /** The folder that stands for a pod's root, and what a pod has in its environment. */
  readonly root: string;
  readonly environment: { readonly KUBERNETES_SERVICE_HOST: string; readonly KUBERNETES_SERVICE_PORT: string };
}

export interface SecondApiServer {
  readonly url: string;
  readonly admin: ApiClient;
  readonly server: ApiServer;
  /** How late everything from etcd reaches it; `Infinity` holds it. */
  lagMs: number;
}

/** A real API server on a real etcd. */
export class Kubernetes {
  readonly url: string;
  readonly caFile: string;
  readonly adminToken: string;
  readonly admin: ApiClient;
  readonly credentials: Credentials;
  readonly etcd: Etcd;
  readonly apiServer: ApiServer;
  readonly folder: string;
  readonly #parts: Parts;
  readonly #applier: Applier;
  readonly #clients: ApiClient[] = [];
  readonly #others: ApiServer[] = [];
  readonly #pipes: DelayedPipe[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.etcd = parts.etcd;
    this.apiServer = parts.apiServer;
    this.credentials = parts.credentials;
    this.folder = parts.folder;
    this.url = parts.apiServer.url;
    this.caFile = parts.credentials.caFile;
    this.adminToken = parts.credentials.user('admin').token;
    this.admin = parts.apiServer.admin;
    this.#applier = new Applier(this.admin);
  }

  /** A client of a user that the suite was started with, or of a token. Closed with the cluster. */
  client(who: { readonly user: string } | { readonly token: string }, url = this.url): ApiClient {
    const token = 'token' in who ? who.token : this.credentials.user(who.user).token;
    const client = new ApiClient({ url, ca: this.credentials.authority.certificate, token });
    this.#clients.push(client);
    return client;
  }

  /** The path of a kubeconfig for a user that the suite was started with. */
  async kubeconfig(user = 'admin', options: KubeconfigOptions = {}): Promise<string> {
    const { name, groups, token } = this.credentials.user(user);
    const { url = this.url, namespace = 'default' } = options;
    if (options.byCertificate !== true) return this.credentials.writeKubeconfig(url, namespace, { token });
    const pem = await this.credentials.authority.issue({ name, groups, use: 'client' });
    return this.credentials.writeKubeconfig(url, namespace, {
      'client-certificate-data': Buffer.from(pem.certificate).toString('base64'),
      'client-key-data': Buffer.from(pem.key).toString('base64'),
    });
  }

  /** Makes the account where there is none, and everything that a process running as it needs. */
  async serviceAccount(namespace: string, name: string, url = this.url): Promise<ServiceAccount> {
    await this.apply([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }]);
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
    const answer = objectOf(await this.admin.call('POST', path, { body }));
    const { token } = answer.status as { readonly token: string };
    const { hostname, port } = new URL(url);
    return {
      token,
      kubeconfig: this.credentials.writeKubeconfig(url, namespace, { token }),
      root: this.credentials.writePod(token, namespace),
      environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
    };
  }

  /** As `kubectl apply --server-side`, in their order; with `dryRun` the server only checks. */
  apply(objects: readonly KubernetesObject[], options: { readonly dryRun?: boolean } = {}) {
    return this.#applier.apply(objects, options.dryRun);
  }

  /** What the first API server has counted since its start. */
  metrics(): Promise<CallCounts> {
    return CallCounts.read(this.admin);
  }

  /** Ends a server (default: as a power cut does) and returns when it is ready again. */
  async restart(which: 'apiserver' | 'etcd', signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const server = which === 'etcd' ? this.etcd : this.apiServer;
    await server.process.end(signal);
    await server.start();
    // The API server finds its way back to etcd by itself.
    if (which === 'etcd') await this.apiServer.process.ready(() => this.apiServer.isReady());
  }

  /** Another API server on the same etcd. With a lag, everything that etcd tells reaches it so much later. */
  async secondApiServer(options: { readonly lagMs?: number } = {}): Promise<SecondApiServer> {
    const pipe = await DelayedPipe.open(this.etcd.port, 0);
    this.#pipes.push(pipe);
    const server = await this.#parts.another(`apiserver-${this.#others.length + 2}`, `http://127.0.0.1:${pipe.port}`);
    this.#others.push(server);
    await server.start();
    pipe.lagMs = options.lagMs ?? 0;
    return {
      url: server.url,
      admin: server.admin,
      server,
      get lagMs() {
        return pipe.lagMs;
      },
      set lagMs(value) {
        pipe.lagMs = value;
      },
    };
  }

  /** A copy of etcd as it is now, for `restore`. */
  backup(): string {
    return this.etcd.backup();
  }

  /** Everything as it was at the backup, resource versions too; all servers are restarted, as the manual asks. */
  async restore(backup: string): Promise<void> {
    const apiServers = [this.apiServer, ...this.#others];
    await Promise.all([this.etcd, ...apiServers].map((server) => server.process.end()));
    this.etcd.replaceData(backup);
    await this.etcd.start();
    await Promise.all(apiServers.map((server) => server.start()));
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.close();
    for (const pipe of this.#pipes) pipe.close();
    const servers = [this.apiServer, ...this.#others];
    for (const server of servers) server.admin.close();
    await Promise.all([this.etcd, ...servers].map((server) => server.process.end()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
