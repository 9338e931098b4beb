/** What an API server keeps, and what it answers about it: the rows of the table that this driver depends on. */

export interface Stored {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface StoreAnswer {
  readonly code: number;
  readonly body: unknown;
}

export interface StoreEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
}

const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** Objects of one kind in one namespace. `version` is shared by all kinds, as etcd's revision is. */
export class StoredObjects {
  readonly #isLease: boolean;
  readonly #next: () => number;
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<(event: StoreEvent) => void>();

  constructor(isLease: boolean, next: () => number) {
    this.#isLease = isLease;
    this.#next = next;
  }

  find(name: string): Stored | undefined {
    return this.#objects.get(name);
  }

  listen(listener: (event: StoreEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get(name: string): StoreAnswer {
    const found = this.#objects.get(name);
    return found === undefined ? status(404, 'NotFound', `"${name}" not found`) : { code: 200, body: found };
  }

  create(object: Stored): StoreAnswer {
    const { name } = object.metadata;
    if (this.#objects.has(name)) return status(409, 'AlreadyExists', `"${name}" already exists`);
    return this.#invalid(object) ?? { code: 201, body: this.#put('ADDED', object, `uid-${this.#next()}`) };
  }

  replace(name: string, object: Stored): StoreAnswer {
    const { uid, resourceVersion } = object.metadata;
    const found = this.#objects.get(name);
    if (this.#isLease && resourceVersion === undefined)
      return status(422, 'Invalid', 'must be specified for an update');
    if (found === undefined) {
      if (!this.#isLease) return status(404, 'NotFound', `"${name}" not found`);
      return uid === undefined ? this.create(object) : status(409, 'Conflict', 'StorageError: invalid object');
    }
    const isStale = resourceVersion !== undefined && resourceVersion !== found.metadata.resourceVersion;
    if (isStale || (uid !== undefined && uid !== found.metadata.uid)) {
      return status(409, 'Conflict', 'the object has been modified');
    }
    const invalid = this.#invalid(object);
    if (invalid !== null) return invalid;
    const version = found.metadata.resourceVersion;
    const same = { ...object, metadata: { ...object.metadata, uid: found.metadata.uid, resourceVersion: version } };
    if (JSON.stringify(sorted(same)) === JSON.stringify(sorted(found))) return { code: 200, body: found };
    return { code: 200, body: this.#put('MODIFIED', object, found.metadata.uid ?? '') };
  }

  remove(name: string, preconditions: { readonly uid?: string; readonly resourceVersion?: string } = {}): StoreAnswer {
    const found = this.#objects.get(name);
    if (found === undefined) return status(404, 'NotFound', `"${name}" not found`);
    const { uid = found.metadata.uid, resourceVersion = found.metadata.resourceVersion } = preconditions;
    if (uid !== found.metadata.uid || resourceVersion !== found.metadata.resourceVersion) {
      return status(409, 'Conflict', 'the preconditions do not hold');
    }
    this.#objects.delete(name);
    const metadata = { ...found.metadata, resourceVersion: `${this.#next()}` };
    this.#tell({ type: 'DELETED', object: { ...found, metadata } });
    return { code: 200, body: { kind: 'Status', status: 'Success' } };
  }

  #put(type: 'ADDED' | 'MODIFIED', object: Stored, uid: string): Stored {
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: `${this.#next()}` } };
    this.#objects.set(object.metadata.name, stored);
    this.#tell({ type, object: stored });
    return stored;
  }

  #tell(event: StoreEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  #invalid(object: Stored): StoreAnswer | null {
    if (!this.#isLease) return invalidData((object.data ?? {}) as Record<string, string>);
    const spec = object.spec as Readonly<Record<string, unknown>>;
    for (const field of ['acquireTime', 'renewTime']) {
      if (!MICRO_TIME.test(String(spec[field]))) return status(400, 'BadRequest', `${field} is no MicroTime`);
    }
    const seconds = spec.leaseDurationSeconds;
    if (!Number.isInteger(seconds) || Number(seconds) < 1) return status(422, 'Invalid', 'must be greater than 0');
    return null;
  }
}

export function status(code: number, reason: string, message: string): StoreAnswer {
  return { code, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code } };
}

function invalidData(data: Readonly<Record<string, string>>): StoreAnswer | null {
  const bytes = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (bytes > 1_048_576) return status(422, 'Invalid', 'Too long: may not be more than 1048576 bytes');
  const bad = Object.keys(data).find((key) => !KEY.test(key) || key.startsWith('..') || key === '.');
  return bad === undefined ? null : status(422, 'Invalid', `invalid key ${bad}`);
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
