import { TenureError } from '../../errors.ts';
import type { Access } from './access.ts';
import { directAccess } from './direct-access.ts';
import { inClusterAccess, type Surroundings } from './in-cluster.ts';
import { accessFrom, accessFromFiles, kubeconfigFiles } from './kubeconfig.ts';
import { isKubeConfig, type KubernetesOptions } from './options.ts';

/**
 * Which cluster is meant: what was given, else a kubeconfig, else that of the pod. There is no further guess: a process
 * that finds no cluster must not believe that it leads.
 * @throws TenureError `backend-unavailable`, `driver-missing` or InvalidOptionsError
 */
export async function findAccess(options: KubernetesOptions, around: Surroundings): Promise<Access> {
  const { cluster, kubeconfig, context, namespace } = options;
  if (cluster !== undefined) {
    return isKubeConfig(cluster) ? accessFrom(cluster, namespace) : directAccess(cluster, namespace ?? 'default');
  }
  const files = kubeconfigFiles(kubeconfig, around);
  if (files.length > 0) return await accessFromFiles(files, { context, namespace });
  const access = context === undefined ? inClusterAccess(around, namespace) : null;
  if (access !== null) return access;
  throw new TenureError(
    'backend-unavailable',
    'No Kubernetes cluster is known: there is no kubeconfig (KUBECONFIG, ~/.kube/config), and this process does not run ' +
      'in a pod with a service account. Name a kubeconfig, or choose another backend.',
    { next: 'Nothing was started.' },
  );
}
