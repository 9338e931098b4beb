import { afterAll, describe, it } from 'vitest';
import { contractSuite } from '../../src/contract/index.ts';
import { kubernetes } from '../../src/drivers/kubernetes/index.ts';
import { LocalApi } from '../drivers/kubernetes/local-api.ts';

const running = new Set<LocalApi>();
afterAll(async () => {
  for (const api of running) await api.stop();
});

contractSuite({
  name: 'kubernetes over a local API server',
  describe,
  it,
  boundMs: 15_000,
  async emptyStore() {
    const api = await LocalApi.start();
    running.add(api);
    return {
      backend: kubernetes({ cluster: { server: api.url } }),
      async dispose() {
        running.delete(api);
        await api.stop();
      },
      interrupt() {
        api.intercept = () => true;
        return () => {
          api.intercept = () => false;
        };
      },
      removeLease: (election) => void api.leases.remove(election),
      tooLargeCharacters: 1_048_577,
    };
  },
  capabilities: {
    protection: 'lease',
    survivesReopen: true,
    interrupt: true,
    removeLease: true,
    sizeLimit: true,
  },
});
