import type { Fence, LeaderInformation } from '../../../machines/vocabulary.ts';
import type {
  Container,
  ContainerReading,
  ContainerState,
  ContainerWrite,
  ContainerWriteResult,
} from '../../ports/container.ts';
import type { CallOptions } from '../../ports/lease-store.ts';
import type { Answer, Api, Call } from './api.ts';
import {
  type Content,
  type ContentReader,
  dataOf,
  encodeEntry,
  encodeFence,
  FENCE_NOTE,
  LARGEST_BYTES,
  sizeOf,
  WRITES_NOTE,
} from './container-codec.ts';
import type { Followed } from './followed.ts';
import { entryKey } from './names.ts';
import { annotated, annotationsOf, CONFIG_MAP, type KubeObject, versionOf } from './objects.ts';

export interface ContainerOptions {
  readonly api: Api;
  readonly followed: Followed;
  readonly reader: ContentReader;
  readonly name: string;
}

/** A fenced map as a ConfigMap. Every write names the uid and the version of the object that it replaces. */
export class KubernetesContainer implements Container {
  readonly #api: Api;
  readonly #followed: Followed;
  readonly #reader: ContentReader;
  readonly #name: string;

  constructor({ api, followed, reader, name }: ContainerOptions) {
    this.#api = api;
    this.#followed = followed;
    this.#reader = reader;
    this.#name = name;
  }

  /** Always the whole map: a ConfigMap keeps no version for each of its keys. */
  read({
    timeoutMs,
    keys,
  }: CallOptions & { readonly since?: bigint; readonly keys?: readonly string[] }): Promise<ContainerReading> {
    return this.#api.within(timeoutMs, async (call) => {
      const found = await this.#followed.look(call);
      if (found.kind === 'failed') return { outcome: 'failed', detail: found.detail };
      const object = found.kind === 'found' ? found.object : null;
      const { fence, entries } = this.#reader.read(object);
      const changed = keys === undefined ? entries : only(keys, entries);
      return { outcome: 'found', state: { version: currentVersion(object), fence, full: true, changed } };
    });
  }

  write(write: ContainerWrite, { timeoutMs }: CallOptions): Promise<ContainerWriteResult> {
    return this.#api.within(timeoutMs, async (call) => {
      const found = await this.#replaced(write.expectedVersion, call);
      if (found.kind === 'failed') return { outcome: 'refused', reason: 'unavailable', detail: found.detail };
      const object = found.kind === 'found' ? found.object : null;
      return this.#refusal(object, write) ?? (await this.#store(object, write, call));
    });
  }

  watch(listener: (state: ContainerState) => void): () => void {
    let before: Content | null = null;
    return this.#followed.subscribe(({ object, version }, isAnew) => {
      const content = this.#reader.read(object);
      const full = before === null || isAnew;
      const changed = full || before === null ? content.entries : difference(before, content);
      before = content;
      listener({ version, fence: content.fence, full, changed });
    });
  }

  /** The object of that version: the one known already where it is that one, so that a write costs one request. */
  async #replaced(version: bigint, call: Call): ReturnType<Followed['look']> {
    const { known } = this.#followed;
    if (known && versionOf(known) === version) return { kind: 'found', object: known };
    if (known === null && version === 0n) return { kind: 'absent' };
    return await this.#followed.look(call);
  }

  /** The fence before the version: a deposed writer must hear that it is fenced, not that it should try again. */
  #refusal(object: KubeObject | null, { fence: writer, expectedVersion }: ContainerWrite): ContainerWriteResult | null {
    const { fence } = this.#reader.read(object);
    if (fence !== null && isFenced(fence, writer)) {
      const detail = `the ConfigMap ${this.#name} is fenced at token ${fence.fencingToken} of session ${fence.sessionId}`;
      return { outcome: 'refused', reason: 'fenced', detail, fence };
    }
    const version = currentVersion(object);
    return version === expectedVersion ? null : { outcome: 'conflict', version, fence };
  }

  async #store(object: KubeObject | null, write: ContainerWrite, call: Call): Promise<ContainerWriteResult> {
    const next = this.#changed(object ?? this.#empty(), write);
    const bytes = sizeOf(next);
    if (bytes > LARGEST_BYTES) {
      const detail = `the ConfigMap ${this.#name} would hold ${bytes} bytes, at most ${LARGEST_BYTES} are allowed`;
      return { outcome: 'refused', reason: 'too-large', detail };
    }
    const answer =
      object === null
        ? await this.#api.create(CONFIG_MAP, next, call)
        : await this.#api.replace(CONFIG_MAP, next, call);
    if (answer.kind !== 'done') return await this.#notDone(answer, object === null, write, call);
    this.#followed.see(answer.object);
    return { outcome: 'committed', version: versionOf(answer.object) };
  }

  async #notDone(
    answer: Exclude<Answer, { kind: 'done' }>,
    isCreation: boolean,
    write: ContainerWrite,
    call: Call,
  ): Promise<ContainerWriteResult> {
    const { kind, detail } = answer;
    if (kind === 'unknown') return { outcome: 'unknown', detail };
    if (kind === 'too-large') return { outcome: 'refused', reason: 'too-large', detail };
    // Only the creation itself is told that the namespace does not exist: reading there looks like no ConfigMap.
    if (kind === 'refused' || (kind === 'missing' && isCreation)) {
      return { outcome: 'refused', reason: 'unavailable', detail };
    }
    const found = await this.#followed.look(call);
    const now = found.kind === 'found' ? found.object : null;
    const refusal = found.kind === 'failed' ? null : this.#refusal(now, write);
    // What the conflict was about cannot be read, or is gone again: the write is certainly not done.
    return refusal ?? { outcome: 'refused', reason: 'unavailable', detail };
  }

  #empty(): KubeObject {
    const { apiVersion, kind } = CONFIG_MAP;
    return { apiVersion, kind, metadata: { name: this.#name, namespace: this.#api.namespace } };
  }

  #changed(object: KubeObject, { fence, puts, withdrawals }: ContainerWrite): KubeObject {
    const { entries } = this.#reader.read(object);
    const data = new Map(Object.entries(dataOf(object)));
    for (const [component, sessionId] of withdrawals) {
      if (entries.get(component)?.sessionId === sessionId) data.delete(entryKey(component));
    }
    for (const [component, information] of puts) data.set(entryKey(component), encodeEntry(component, information));
    const writes = Number(annotationsOf(object)[WRITES_NOTE] ?? 0);
    const notes = {
      [FENCE_NOTE]: encodeFence(fence),
      [WRITES_NOTE]: `${Number.isSafeInteger(writes) ? writes + 1 : 1}`,
    };
    return { ...annotated(object, notes), data: Object.fromEntries(data) };
  }
}

function currentVersion(object: KubeObject | null): bigint {
  return object === null ? 0n : versionOf(object);
}

function isFenced(stored: Fence, writer: Fence): boolean {
  if (stored.fencingToken !== writer.fencingToken) return stored.fencingToken > writer.fencingToken;
  return stored.sessionId !== writer.sessionId;
}

function only(
  keys: readonly string[],
  entries: ReadonlyMap<string, LeaderInformation>,
): ReadonlyMap<string, LeaderInformation> {
  return new Map(
    keys.flatMap((key) => {
      const entry = entries.get(key);
      return entry === undefined ? [] : [[key, entry] as const];
    }),
  );
}

/** An unchanged value is the same object, so that finding what changed costs no comparison of contents. */
function difference(before: Content, now: Content): ReadonlyMap<string, LeaderInformation | null> {
  const changed = new Map<string, LeaderInformation | null>();
  for (const [key, entry] of now.entries) if (before.entries.get(key) !== entry) changed.set(key, entry);
  for (const key of before.entries.keys()) if (!now.entries.has(key)) changed.set(key, null);
  return changed;
}
