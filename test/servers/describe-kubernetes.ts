import { afterAll, beforeAll, describe } from 'vitest';
import { binaryPath, ServerMissing } from './building/build.ts';
import type { Binary } from './building/recipe.ts';
import type { Kubernetes } from './kubernetes/kubernetes.ts';
import { type KubernetesOptions, startKubernetes } from './kubernetes/start-kubernetes.ts';

export interface SuiteOptions extends KubernetesOptions {
  /** Also needed: `client-go-elector`. */
  readonly needs?: readonly Binary[];
}

const START_LIMIT_MS = 120_000;

/**
 * A suite on a real API server of its own, running from its first test to its last. Builds the servers before, where
 * that has not been done yet. Where they cannot be had, the suite is skipped and says what to install; with `CI` in the
 * environment it fails.
 */
export async function describeOnKubernetes(
  name: string,
  options: SuiteOptions,
  body: (kubernetes: () => Kubernetes) => void,
): Promise<void> {
  const missing = await firstMissing(['etcd', 'kube-apiserver', ...(options.needs ?? [])]);
  if (missing !== null) {
    if (isContinuousIntegration()) throw missing;
    process.stderr.write(`\ntenure servers: SKIPPED "${name}". ${missing.message}\n\n`);
    // The machine lacks what is said in the line above; a machine that decides about changes does not get here.
    return void describe.skip(`${name} (${missing.message.split('\n')[0]})`, () => body(neverStarted));
  }
  describe(name, () => {
    let running: Kubernetes | null = null;
    beforeAll(async () => {
      running = await startKubernetes(options);
    }, START_LIMIT_MS);
    afterAll(() => running?.stop());
    body(() => running ?? neverStarted());
  });
}

function isContinuousIntegration(): boolean {
  return !['', '0', 'false'].includes(process.env.CI ?? '');
}

function neverStarted(): never {
  throw new Error('the API server runs from the first test on: ask for it inside a test or a hook');
}

async function firstMissing(binaries: readonly Binary[]): Promise<ServerMissing | null> {
  try {
    for (const binary of binaries) await binaryPath(binary);
    return null;
  } catch (error) {
    if (error instanceof ServerMissing) return error;
    throw error;
  }
}
