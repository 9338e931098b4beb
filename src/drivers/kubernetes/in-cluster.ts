import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Access } from './access.ts';
import { directAccess } from './direct-access.ts';

export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly serviceAccountFolder: string;
}

export function surroundings(): Surroundings {
  return { env: process.env, serviceAccountFolder: SERVICE_ACCOUNT_FOLDER };
}

/** What a pod is given by its service account, or null outside of one. */
export function inClusterAccess(
  { env, serviceAccountFolder }: Surroundings,
  namespace: string | undefined,
): Access | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const tokenFile = join(serviceAccountFolder, 'token');
  if (host === undefined || host === '' || !existsSync(tokenFile)) return null;
  const authority = host.includes(':') ? `[${host}]` : host;
  const caFile = join(serviceAccountFolder, 'ca.crt');
  return directAccess(
    { server: `https://${authority}:${port}`, tokenFile, ...(existsSync(caFile) ? { caFile } : {}) },
    namespace ?? ownNamespace(serviceAccountFolder),
  );
}

function ownNamespace(folder: string): string {
  const file = join(folder, 'namespace');
  return (existsSync(file) ? readFileSync(file, 'utf8').trim() : '') || 'default';
}
