import type { Fence, LeaderInformation } from '../../../machines/vocabulary.ts';
import type {
  Container,
  ContainerReading,
  ContainerState,
  ContainerWrite,
  ContainerWriteResult,
} from '../../ports/container.ts';
import type { CallOptions } from '../../ports/lease-store.ts';
import { Broadcast } from './broadcast.ts';

/** A fenced container in memory. The newest change of each key is kept, deletions too, so that differences are cheap. */
export class MemoryContainer implements Container {
  readonly #news = new Broadcast<ContainerState>();
  readonly #entries = new Map<string, LeaderInformation>();
  /** Key → version of its last change, oldest change first. */
  readonly #changes = new Map<string, bigint>();
  #version = 0n;
  #fence: Fence | null = null;

  async read(
    options: CallOptions & { readonly since?: bigint; readonly keys?: readonly string[] },
  ): Promise<ContainerReading> {
    const { since, keys = [...this.#changes.keys()] } = options;
    // Who knows a version that was never written here knows another store: it gets the whole map.
    const full = since === undefined || since > this.#version;
    const changed = new Map<string, LeaderInformation | null>();
    for (const key of keys) {
      const entry = this.#entries.get(key) ?? null;
      const isChanged = full ? entry !== null : (this.#changes.get(key) ?? 0n) > since;
      if (isChanged) changed.set(key, entry);
    }
    return { outcome: 'found', state: this.#state(changed, full) };
  }

  async write(write: ContainerWrite, _call: CallOptions): Promise<ContainerWriteResult> {
    const refusal = refusalOf(this.#fence, write.fence);
    if (refusal !== null) return refusal;
    if (write.expectedVersion !== this.#version) {
      return { outcome: 'conflict', version: this.#version, fence: this.#fence };
    }
    this.#version += 1n;
    this.#fence = write.fence;
    const changed = new Map<string, LeaderInformation | null>();
    for (const [key, sessionId] of write.withdrawals) {
      if (this.#entries.get(key)?.sessionId === sessionId) changed.set(key, null);
    }
    for (const [key, entry] of write.puts) changed.set(key, entry);
    for (const [key, entry] of changed) this.#apply(key, entry);
    this.#news.publish(this.#state(changed, false));
    return { outcome: 'committed', version: this.#version };
  }

  watch(listener: (state: ContainerState) => void): () => void {
    return this.#news.subscribe(listener, this.#fullState());
  }

  #apply(key: string, entry: LeaderInformation | null): void {
    if (entry === null) this.#entries.delete(key);
    else this.#entries.set(key, entry);
    this.#changes.delete(key);
    this.#changes.set(key, this.#version);
  }

  #fullState(): ContainerState {
    return this.#state(new Map(this.#entries), true);
  }

  #state(changed: ReadonlyMap<string, LeaderInformation | null>, full: boolean): ContainerState {
    return { version: this.#version, fence: this.#fence, full, changed };
  }
}

/** The fence comes before the version: a deposed writer must learn that it is fenced, not that it should try again. */
function refusalOf(stored: Fence | null, writer: Fence): ContainerWriteResult | null {
  if (stored === null || stored.fencingToken < writer.fencingToken) return null;
  if (stored.fencingToken === writer.fencingToken && stored.sessionId === writer.sessionId) return null;
  const detail = `fence of token ${stored.fencingToken} is not below ${writer.fencingToken}`;
  return { outcome: 'refused', reason: 'fenced', detail, fence: stored };
}
