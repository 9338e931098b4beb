import { onTestFinished } from 'vitest';
import { kubernetes } from '../../../src/drivers/kubernetes/index.ts';
import type { KubernetesOptions } from '../../../src/drivers/kubernetes/options.ts';
import type { BackendContext, BackendFinding, OpenBackend } from '../../../src/ports/backend.ts';
import { testContext } from '../place.ts';
import { LocalApi } from './local-api.ts';

export const CALL = { timeoutMs: 5_000 };

export interface Opened extends OpenBackend {
  readonly findings: readonly BackendFinding[];
}

/** A local API server that ends with the test. */
export async function localApi(): Promise<LocalApi> {
  const api = await LocalApi.start();
  onTestFinished(() => api.stop());
  return api;
}

export async function openOn(
  api: Pick<LocalApi, 'url'>,
  options: KubernetesOptions = {},
  context: Partial<BackendContext> = {},
): Promise<Opened> {
  const findings: BackendFinding[] = [];
  const backend = kubernetes({ cluster: { server: api.url }, ...options });
  const opened = await backend.open({ ...testContext(), onFinding: (finding) => findings.push(finding), ...context });
  onTestFinished(() => opened.close());
  return { ...opened, findings };
}

export function acquisition(expectedVersion: bigint | null, sessionId = 's-1', holder = 'participant-1') {
  return { kind: 'acquire', expectedVersion, holder, sessionId, durationMs: 15_000 } as const;
}
