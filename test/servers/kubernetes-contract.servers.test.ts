import { afterAll, describe, it } from 'vitest';
import { contractSuite } from '../../src/contract/index.ts';
import { kubernetes as kubernetesBackend } from '../../src/drivers/kubernetes/index.ts';
import { describeOnKubernetes } from './describe-kubernetes.ts';
import { namespace, rightsOf } from './driver/rights.ts';
import { faults } from './proxy/faults.ts';
import { FaultProxy } from './proxy.ts';

await describeOnKubernetes('tenure/kubernetes', { users: { tenure: [] } }, (kubernetes) => {
  let proxy: FaultProxy | null = null;
  let stores = 0;
  afterAll(() => proxy?.close());

  async function ways(): Promise<FaultProxy> {
    if (proxy !== null) return proxy;
    const { url, credentials } = kubernetes();
    await kubernetes().apply(rightsOf('tenure'));
    proxy = await FaultProxy.start({ target: url, authority: credentials.authority });
    return proxy;
  }

  contractSuite({
    name: 'on a real API server',
    describe,
    it,
    boundMs: 15_000,
    async emptyStore() {
      const way = await ways();
      stores += 1;
      const place = `store-${stores}`;
      await kubernetes().apply([namespace(place)]);
      const kubeconfig = await kubernetes().kubeconfig('tenure', { url: way.url, namespace: place });
      return {
        backend: kubernetesBackend({ kubeconfig }),
        interrupt() {
          const held = way.on({ namespace: place }, faults.hold());
          way.cutConnections();
          return () => held.end();
        },
        async removeLease(election) {
          await kubernetes().admin.call(
            'DELETE',
            `/apis/coordination.k8s.io/v1/namespaces/${place}/leases/${election}`,
          );
        },
        tooLargeCharacters: 1_048_577,
      };
    },
    capabilities: { protection: 'lease', survivesReopen: true, interrupt: true, removeLease: true, sizeLimit: true },
  });
});
