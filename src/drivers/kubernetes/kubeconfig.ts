import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { delimiter, join } from 'node:path';
import { InvalidOptionsError, TenureError, toTenureError } from '../../errors.ts';
import type { Access, Credentials, TlsMaterial } from './access.ts';
import type { Surroundings } from './in-cluster.ts';

/** The part of `KubeConfig` of @kubernetes/client-node (1.4 and 2) that is used. */
export interface KubeConfigLike {
  getCurrentContext(): string;
  setCurrentContext(context: string): void;
  getContexts(): readonly { readonly name: string }[];
  getContextObject(name: string): { readonly namespace?: string } | null;
  getCurrentCluster(): { readonly server: string; readonly proxyUrl?: string } | null;
  /** Fills in certificates and headers; runs credential plugins where the user has one. */
  applyToHTTPSOptions(options: RequestOptions): Promise<void>;
}

interface LoadableKubeConfig extends KubeConfigLike {
  loadFromFile(file: string): void;
  mergeConfig(config: LoadableKubeConfig): void;
}

/** The files that kubectl would read, in its order; empty where there are none. */
export function kubeconfigFiles(given: string | undefined, { env }: Surroundings): readonly string[] {
  if (given !== undefined) return [given];
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return listed;
  const home = env.HOME ?? env.USERPROFILE;
  const file = home === undefined ? null : join(home, '.kube', 'config');
  return file !== null && existsSync(file) ? [file] : [];
}

export interface Chosen {
  readonly context: string | undefined;
  readonly namespace: string | undefined;
}

/** @throws TenureError `driver-missing`, `backend-unavailable` or InvalidOptionsError */
export async function accessFromFiles(files: readonly string[], chosen: Chosen): Promise<Access> {
  const load = await loader();
  const read = (): KubeConfigLike => {
    const config = fromFiles(files, load);
    if (chosen.context !== undefined) choose(config, chosen.context);
    return config;
  };
  let config = read();
  const access = accessFrom(config, chosen.namespace);
  return {
    ...access,
    credentials: () => credentialsOf(config),
    renew: async () => {
      // Tokens and certificates stand in the file itself, and what client-node has read it keeps.
      config = read();
    },
  };
}

/** @throws TenureError `backend-unavailable`: no current context, or one that cannot be used */
export function accessFrom(config: KubeConfigLike, namespace: string | undefined): Access {
  const cluster = config.getCurrentCluster();
  if (cluster === null) {
    const names = config.getContexts().map(({ name }) => name);
    throw unusable(`has no current context (it knows: ${names.join(', ') || 'none'})`);
  }
  if (cluster.proxyUrl !== undefined) throw unusable(`reaches its cluster through a proxy, which is not supported`);
  return {
    server: serverOf(cluster.server),
    namespace: namespace ?? config.getContextObject(config.getCurrentContext())?.namespace ?? 'default',
    credentials: () => credentialsOf(config),
    renew: async () => {},
  };
}

function serverOf(server: string): URL {
  if (URL.canParse(server)) return new URL(server);
  throw unusable(`names a server that is no URL: ${server}`);
}

async function loader(): Promise<() => LoadableKubeConfig> {
  try {
    const { KubeConfig } = await import('@kubernetes/client-node');
    return () => new KubeConfig() as LoadableKubeConfig;
  } catch (cause) {
    throw new TenureError(
      'driver-missing',
      'Reading a kubeconfig needs the package @kubernetes/client-node, which cannot be loaded. Run `npm install ' +
        '@kubernetes/client-node`: version 1.4 on Node 20, 2 on Node 22.19 and newer. Inside a pod it is not needed.',
      { cause, next: 'Nothing was started.' },
    );
  }
}

function fromFiles(files: readonly string[], load: () => LoadableKubeConfig): LoadableKubeConfig {
  try {
    const [first, ...rest] = files.map((file) => {
      const config = load();
      config.loadFromFile(file);
      return config;
    });
    if (first === undefined) throw new RangeError('no file');
    for (const other of rest) first.mergeConfig(other);
    return first;
  } catch (thrown) {
    throw toTenureError(thrown, 'backend-unavailable', { next: `Nothing was started. Check ${files.join(', ')}.` });
  }
}

function choose(config: KubeConfigLike, context: string): void {
  const names = config.getContexts().map(({ name }) => name);
  if (!names.includes(context)) {
    const rule = `must be a context of the kubeconfig: ${names.join(', ') || 'it has none'}`;
    throw new InvalidOptionsError([{ field: 'context', received: context, rule }]);
  }
  config.setCurrentContext(context);
}

const TLS_FIELDS = ['ca', 'cert', 'key', 'pfx', 'passphrase', 'servername', 'rejectUnauthorized'] as const;

async function credentialsOf(config: KubeConfigLike): Promise<Credentials> {
  const options: RequestOptions = { headers: {} };
  await config.applyToHTTPSOptions(options);
  const { headers, auth } = options;
  const given = Object.entries(headers ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const basic = auth ? [['authorization', `Basic ${Buffer.from(auth).toString('base64')}`] as const] : [];
  const tls = TLS_FIELDS.flatMap((field) => (options[field] === undefined ? [] : [[field, options[field]] as const]));
  return { headers: Object.fromEntries([...basic, ...given]), tls: Object.fromEntries(tls) as TlsMaterial };
}

function unusable(fact: string): TenureError {
  return new TenureError('backend-unavailable', `The kubeconfig ${fact}.`, { next: 'Nothing was started.' });
}
