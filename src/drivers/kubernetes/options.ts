import type { Violation } from '../../errors.ts';
import type { ClusterAccess } from './direct-access.ts';
import type { KubeConfigLike } from './kubeconfig.ts';

export interface KubernetesOptions {
  /** File as of kubectl. Default: `KUBECONFIG`, else `~/.kube/config`, else the service account of the pod. */
  readonly kubeconfig?: string;
  /** A context of the kubeconfig. Default: the current one. */
  readonly context?: string;
  /** Where the Lease and the ConfigMaps are. Default: of the context or of the pod, else `default`. */
  readonly namespace?: string;
  /** Instead of a kubeconfig: a `KubeConfig` of @kubernetes/client-node, or the API server outright. */
  readonly cluster?: KubeConfigLike | ClusterAccess;
  /**
   * How long a holder that is not Tenure is spared after its lease has run out, in milliseconds, 0 to 60 000. client-go
   * counts its lease from the answer to a renewal, and may lead for some seconds after it has run out. Default 3 000.
   */
  readonly foreignGraceMs?: number;
}

export const DEFAULT_FOREIGN_GRACE_MS = 3_000;

const NAMES = ['kubeconfig', 'context', 'namespace', 'cluster', 'foreignGraceMs'];
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export function isKubeConfig(cluster: unknown): cluster is KubeConfigLike {
  return typeof (cluster as KubeConfigLike | undefined)?.applyToHTTPSOptions === 'function';
}

export function violationsOf(options: KubernetesOptions): Violation[] {
  const violations: Violation[] = [];
  const check = (isRight: boolean, field: string, received: unknown, rule: string): void => {
    if (!isRight) violations.push({ field, received, rule });
  };
  for (const [field, received] of Object.entries(options)) {
    check(NAMES.includes(field), field, received, `is not an option; known are ${NAMES.join(', ')}`);
  }
  const { kubeconfig, context, namespace, cluster, foreignGraceMs: grace } = options;
  check(kubeconfig === undefined || isText(kubeconfig), 'kubeconfig', kubeconfig, 'must be the path of a file');
  check(context === undefined || isText(context), 'context', context, 'must be the name of a context');
  const isNamespace = namespace === undefined || (typeof namespace === 'string' && NAMESPACE.test(namespace));
  check(isNamespace, 'namespace', namespace, 'must be 1 to 63 of a-z, 0-9 and -, with a letter or digit at both ends');
  const isGrace = grace === undefined || (typeof grace === 'number' && grace >= 0 && grace <= 60_000);
  check(isGrace, 'foreignGraceMs', grace, 'must be 0 to 60 000 milliseconds');
  if (cluster === undefined) return violations;
  const rule = 'must be a KubeConfig, or an object whose server is an http or https URL';
  check(isKubeConfig(cluster) || isServer((cluster as ClusterAccess | null)?.server), 'cluster', cluster, rule);
  const other = kubeconfig === undefined ? 'context' : 'kubeconfig';
  const isAlone = kubeconfig === undefined && context === undefined;
  check(isAlone, other, options[other], 'must not be given together with cluster, which says it all');
  return violations;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function isServer(server: unknown): boolean {
  return typeof server === 'string' && URL.canParse(server) && /^https?:$/.test(new URL(server).protocol);
}
