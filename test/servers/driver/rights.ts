import type { KubernetesObject } from '../api/api.ts';

const VERBS = ['get', 'create', 'update', 'watch'];
const GROUP = 'rbac.authorization.k8s.io';

/** The rights that the driver's README asks for and no other, in every namespace, for a user. */
export function rightsOf(user: string, verbs: readonly string[] = VERBS): readonly KubernetesObject[] {
  const name = `tenure-${user}`;
  const rules = [
    { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs },
    { apiGroups: [''], resources: ['configmaps'], verbs },
  ];
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name };
  const subjects = [{ apiGroup: GROUP, kind: 'User', name: user }];
  return [
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata: { name }, rules },
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef, subjects },
  ] as unknown as readonly KubernetesObject[];
}

export function namespace(name: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as unknown as KubernetesObject;
}
