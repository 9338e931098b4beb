import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One main package each of the Go module in `go/`. */
export type Binary = 'etcd' | 'kube-apiserver' | 'client-go-elector';

export const KUBERNETES_VERSION = 'v1.34.4';

/** What the binary costs where nothing is cached yet, so that nobody takes a long build for a hung one. */
export const COSTS: Readonly<Record<Binary, string>> = {
  etcd: 'about a minute on two cores',
  'kube-apiserver': 'about four minutes on two cores, 2 GB of memory and 3 GB of disk for the caches of Go',
  'client-go-elector': 'seconds once kube-apiserver is built, about a minute before',
};

export const FLAGS: readonly string[] = [
  '-trimpath',
  '-buildvcs=false',
  `-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=${KUBERNETES_VERSION}`,
];

/** The folder with package.json: compiled to JavaScript, this file lies deeper than its source. */
export function repositoryRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) throw new Error('no package.json above the tests');
    folder = dirname(folder);
  }
  return folder;
}

export function moduleFolder(): string {
  return join(repositoryRoot(), 'test/servers/go');
}

/** Outside the clone, so that a fresh clone of the same versions builds nothing. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const base = environment.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(base, 'tenure', 'servers', `${process.platform}-${process.arch}-${hashOf(moduleFolder())}`);
}

/** Of all that decides the binaries: the pinned versions, the main packages and the flags. */
export function hashOf(folder: string): string {
  const hash = createHash('sha256').update(JSON.stringify(FLAGS));
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /(?:^go\.(?:mod|sum)|\.go)$/.test(name))
    .sort();
  for (const name of sources) hash.update(`\0${name}\0`).update(readFileSync(join(folder, name)));
  return hash.digest('hex').slice(0, 16);
}

/** A folder with etcd and kube-apiserver that the user brings along, as `setup-envtest` fills it. */
export function broughtAlong(binary: Binary, environment: NodeJS.ProcessEnv = process.env): string | null {
  const folder = environment.KUBEBUILDER_ASSETS;
  if (folder === undefined || folder === '' || binary === 'client-go-elector') return null;
  return join(folder, binary);
}
