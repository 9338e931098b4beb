import { expect } from 'vitest';
import { type Answer, type Api, type KubernetesObject, objectOf, statusOf } from '../api/api.ts';

/** Where the rows are asked: the real API server, or one that claims to answer like it. */
export interface Asked {
  readonly api: Api;
  /** An existing namespace that nobody else uses. */
  readonly namespace: string;
  /** A namespace that does not exist. */
  readonly missingNamespace: string;
  /** Of a user called `nobody` who may do nothing. */
  readonly powerlessToken: string;
  /** How long a watch has to be quiet to count as silent. */
  readonly silenceMs: number;
  /** A name that no row has used. */
  name(): string;
}

/** One thing that the API server answers, and that drivers rely on. */
export interface Row {
  readonly says: string;
  check(asked: Asked): Promise<void>;
}

export function leases({ namespace }: Pick<Asked, 'namespace'>, name = ''): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases${name === '' ? '' : `/${name}`}`;
}

export function configMaps({ namespace }: Pick<Asked, 'namespace'>, name = ''): string {
  return `/api/v1/namespaces/${namespace}/configmaps${name === '' ? '' : `/${name}`}`;
}

export const TIME = '2026-01-02T03:04:05.000006Z';

export function lease(name: string, spec: Readonly<Record<string, unknown>> = {}, metadata = {}): KubernetesObject {
  const full = { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime: TIME, ...spec };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, ...metadata }, spec: full };
}

export function configMap(name: string, content: Readonly<Record<string, unknown>>, metadata = {}): KubernetesObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...content };
}

/** Creates a Lease and returns it as stored. */
export async function createdLease(asked: Asked, name = asked.name()): Promise<KubernetesObject> {
  return objectOf(await asked.api.call('POST', leases(asked), { body: lease(name) }));
}

export async function createdConfigMap(asked: Asked, content = {}): Promise<KubernetesObject> {
  return objectOf(await asked.api.call('POST', configMaps(asked), { body: configMap(asked.name(), content) }));
}

export function nameOf(object: KubernetesObject): string {
  return object.metadata?.name ?? '';
}

export function versionOf(object: KubernetesObject): string {
  return object.metadata?.resourceVersion ?? '';
}

/** The object with other fields in its spec. */
export function withSpec(object: KubernetesObject, spec: Readonly<Record<string, unknown>>): KubernetesObject {
  return { ...object, spec: { ...(object.spec as object), ...spec } };
}

export function specOf(object: KubernetesObject): Readonly<Record<string, unknown>> {
  return object.spec as Readonly<Record<string, unknown>>;
}

export function expectRefused(answer: Answer, code: number, reason: string, message: RegExp = /./): void {
  const status = statusOf(answer.body);
  expect({ code: answer.status, reason: status.reason }).toEqual({ code, reason });
  expect(status.message).toMatch(message);
}
