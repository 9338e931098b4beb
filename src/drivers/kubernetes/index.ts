import { InvalidOptionsError } from '../../errors.ts';
import type { Backend } from '../../ports/backend.ts';
import { findAccess } from './find-access.ts';
import { surroundings } from './in-cluster.ts';
import { openElection } from './open.ts';
import { DEFAULT_FOREIGN_GRACE_MS, type KubernetesOptions, violationsOf } from './options.ts';
import { SharedConnections } from './shared-connections.ts';

export type { ClusterAccess } from './direct-access.ts';
export type { KubeConfigLike } from './kubeconfig.ts';
export type { KubernetesOptions } from './options.ts';

/**
 * Elections in a Kubernetes cluster: one Lease each, and a ConfigMap for what the leaders publish. All elections that are
 * opened with the same object share their connections. A kubeconfig needs the package @kubernetes/client-node; inside a
 * pod, and with `cluster` as an API server named outright, nothing but Node is needed.
 * @throws InvalidOptionsError. `open` rejects with a TenureError: `backend-unavailable` where no cluster is known or the
 * kubeconfig cannot be used, `driver-missing`, or InvalidOptionsError for a context that is not there. It asks the API
 * server nothing, so one that is away is waited for.
 */
export function kubernetes(options: KubernetesOptions = {}): Backend {
  const violations = violationsOf(options);
  if (violations.length > 0) throw new InvalidOptionsError(violations);
  const { foreignGraceMs = DEFAULT_FOREIGN_GRACE_MS } = options;
  const connections = new SharedConnections(() => findAccess(options, surroundings()));
  return {
    name: 'kubernetes',
    async open(context) {
      const { wire, access, leave } = await connections.join();
      const { namespace, server } = access;
      return openElection({ wire, namespace, server: server.host, foreignGraceMs, onClose: leave }, context);
    },
  };
}
