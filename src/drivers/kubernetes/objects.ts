/** What the API server keeps of one thing, as far as this driver looks at it. All the rest is passed back as it came. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

export interface Metadata {
  readonly name: string;
  readonly namespace: string;
  /** Absent in what is about to be created. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** Where objects of one kind live, and what they are called. */
export interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
}

export const LEASE: Kind = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', resource: 'leases' };
export const CONFIG_MAP: Kind = { apiVersion: 'v1', kind: 'ConfigMap', resource: 'configmaps' };

/** Path of all objects of a kind in a namespace. */
export function collectionPath({ apiVersion, resource }: Kind, namespace: string): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${group}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

/** Null for what is no stored object: a page of some proxy, a damaged answer. Lists and watches leave `kind` out of items. */
export function toObject(value: unknown): KubeObject | null {
  if (!isRecord(value) || !isRecord(value.metadata)) return null;
  const { name, uid, resourceVersion } = value.metadata;
  if (typeof name !== 'string' || typeof uid !== 'string') return null;
  // An opaque text by the letter of older API servers, a whole number on all there are; official since Kubernetes 1.35.
  if (typeof resourceVersion !== 'string' || !/^\d{1,39}$/.test(resourceVersion)) return null;
  return value as unknown as KubeObject;
}

export function versionOf(object: KubeObject): bigint {
  return BigInt(object.metadata.resourceVersion ?? '0');
}

export function annotationsOf({ metadata }: KubeObject): Readonly<Record<string, string>> {
  return metadata.annotations ?? {};
}

/** The same object with some annotations set (text) or taken away (null), and without what only the server writes. */
export function annotated(object: KubeObject, changes: Readonly<Record<string, string | null>>): KubeObject {
  // Field ownership is kept by the server when it is left out, and would double the size of every request.
  const { managedFields: _, ...metadata } = object.metadata;
  const annotations = Object.fromEntries(
    Object.entries({ ...annotationsOf(object), ...changes }).filter((entry): entry is [string, string] => {
      return entry[1] !== null;
    }),
  );
  return { ...object, metadata: { ...metadata, name: metadata.name, namespace: metadata.namespace, annotations } };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
