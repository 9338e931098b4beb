import type { Fence, LeaderInformation } from '../../../machines/vocabulary.ts';
import type { ContainerState, ContainerWrite, ContainerWriteResult } from '../../ports/container.ts';
import type { Revisions } from './revisions.ts';

/** One committed change: it makes `state.version` out of `from`. */
export interface RegisterChange {
  readonly from: bigint;
  readonly state: ContainerState;
}

type Entries = ReadonlyMap<string, LeaderInformation | null>;

/** The register of one election as the simulated server keeps it. */
export class ServerRegister {
  readonly #revisions: Revisions;
  readonly #listeners = new Set<(change: RegisterChange) => void>();
  readonly #entries = new Map<string, LeaderInformation>();
  /** Key → version of its last change, deletions too. */
  readonly #changedAt = new Map<string, bigint>();
  #version = 0n;
  #fence: Fence | null = null;

  constructor(revisions: Revisions) {
    this.#revisions = revisions;
  }

  get fence(): Fence | null {
    return this.#fence;
  }

  entry(key: string): LeaderInformation | null {
    return this.#entries.get(key) ?? null;
  }

  read(since: bigint | undefined, keys: readonly string[] = [...this.#changedAt.keys()]): ContainerState {
    // Who knows a version that was never written here knows another store: it gets the whole map.
    const full = since === undefined || since > this.#version;
    const changed = new Map<string, LeaderInformation | null>();
    for (const key of keys) {
      const entry = this.entry(key);
      const isChanged = full ? entry !== null : (this.#changedAt.get(key) ?? 0n) > since;
      if (isChanged) changed.set(key, entry);
    }
    return this.#state(changed, full);
  }

  write(write: ContainerWrite): ContainerWriteResult {
    // The fence comes before the version: a deposed writer must learn that it is fenced, not that it should try again.
    const fenced = this.#refusal(write.fence);
    if (fenced !== null) return fenced;
    if (write.expectedVersion !== this.#version) {
      return { outcome: 'conflict', version: this.#version, fence: this.#fence };
    }
    const changed = new Map<string, LeaderInformation | null>();
    for (const [key, sessionId] of write.withdrawals) {
      if (this.#entries.get(key)?.sessionId === sessionId) changed.set(key, null);
    }
    for (const [key, entry] of write.puts) changed.set(key, entry);
    this.#fence = write.fence;
    this.#apply(changed);
    return { outcome: 'committed', version: this.#version };
  }

  /** An operator deletes an entry with a tool of his own. Answers what was there. */
  eraseByHand(key: string): LeaderInformation | null {
    const entry = this.entry(key);
    if (entry !== null) this.#apply(new Map([[key, null]]));
    return entry;
  }

  /** Called with every change, in order, at once. Returns the function that stops it. */
  subscribe(listener: (change: RegisterChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #apply(changed: Entries): void {
    const from = this.#version;
    this.#version = this.#revisions.next('register');
    for (const [key, entry] of changed) {
      if (entry === null) this.#entries.delete(key);
      else this.#entries.set(key, entry);
      this.#changedAt.set(key, this.#version);
    }
    const change = { from, state: this.#state(changed, false) };
    for (const listener of this.#listeners) listener(change);
  }

  #refusal(writer: Fence): ContainerWriteResult | null {
    const stored = this.#fence;
    if (stored === null || stored.fencingToken < writer.fencingToken) return null;
    if (stored.fencingToken === writer.fencingToken && stored.sessionId === writer.sessionId) return null;
    const detail = `fence of token ${stored.fencingToken} is not below ${writer.fencingToken}`;
    return { outcome: 'refused', reason: 'fenced', detail, fence: stored };
  }

  #state(changed: Entries, full: boolean): ContainerState {
    return { version: this.#version, fence: this.#fence, full, changed };
  }
}
