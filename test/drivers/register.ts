import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';
import type { Container, ContainerState } from '../../src/ports/container.ts';

const CALL = { timeoutMs: 5000 };

export function information(fence: Fence, address = 'http://127.0.0.1:1'): LeaderInformation {
  return { ...fence, address, metadata: { zone: 'a' } };
}

/** Puts an entry of `fence` at each key; answers the new version. */
export async function put(
  container: Container,
  expectedVersion: bigint,
  fence: Fence,
  keys: readonly string[],
): Promise<bigint> {
  const puts = new Map(keys.map((key) => [key, information(fence)]));
  const result = await container.write({ expectedVersion, fence, puts, withdrawals: new Map() }, CALL);
  if (result.outcome === 'committed') return result.version;
  throw new Error(`expected a commit, got ${result.outcome}${'detail' in result ? `: ${result.detail}` : ''}`);
}

export async function state(
  container: Container,
  options: { readonly since?: bigint; readonly keys?: readonly string[] } = {},
): Promise<ContainerState> {
  const reading = await container.read({ ...CALL, ...options });
  if (reading.outcome === 'found') return reading.state;
  throw new Error(`expected a state, got ${reading.detail}`);
}
