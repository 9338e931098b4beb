import { arbiterMachine } from '../../machines/index.ts';
import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';
import { start } from './stepper.ts';
import type { Message } from './world-participant.ts';

type Answer = Readonly<Record<string, unknown>> & { readonly type: string };

/** The lease, kept by the arbiter machine. `apply` is one atomic moment; when its answer arrives is another matter. */
export class LeaseStore {
  readonly #arbiter = start(arbiterMachine);
  readonly #onWrite: () => void;
  #sessions = 0;

  constructor(onWrite: () => void) {
    this.#onWrite = onWrite;
  }

  get record() {
    return this.#arbiter.context.record;
  }

  /** The answer, still without the times that only the asker's clock can give. */
  apply(holder: string, { type, sessionId, expectedVersion }: Message): Answer {
    const what = type.slice('lease.'.length);
    if (what === 'read') return { type: 'record.seen', record: this.record };
    const own = what === 'acquire' ? `${holder}/${++this.#sessions}` : String(sessionId);
    const common = { requestId: 0, expectedVersion, holder, sessionId: own, durationMs: 15_000, at: '' };
    const [answer] = this.#arbiter.send({ type: what, ...common } as never);
    const { record } = this;
    if (answer?.type === 'committed') this.#onWrite();
    const session = { id: own, fencingToken: record?.fencingToken ?? 0n };
    return { type: `${what}.${answer?.type ?? 'conflict'}`, record, session, sessionId: own };
  }
}

/** The register: versioned, fenced, changed by compare-and-set only. */
export class RegisterStore {
  readonly entries = new Map<string, LeaderInformation>();
  version = 0n;
  fence: Fence | null = null;
  readonly #onWrite: (changed: ReadonlyMap<string, LeaderInformation | null>) => void;
  readonly #onDelete: (component: string, entry: LeaderInformation, withdrawnBy: string) => void;

  constructor(
    onWrite: (changed: ReadonlyMap<string, LeaderInformation | null>) => void,
    onDelete: (component: string, entry: LeaderInformation, withdrawnBy: string) => void,
  ) {
    this.#onWrite = onWrite;
    this.#onDelete = onDelete;
  }

  apply(message: Message): Answer {
    const { type, readId, writeId, keys } = message;
    if (type === 'container.read') {
      const entries = new Map((keys as readonly string[]).map((key) => [key, this.entries.get(key) ?? null]));
      return { type: 'read.found', readId, version: this.version, fence: this.fence, entries };
    }
    const fence = message.fence as Fence;
    if (this.#isFenced(fence)) return { type: 'write.fenced', writeId, fence: this.fence };
    if (message.expectedVersion !== this.version) {
      return { type: 'write.conflict', writeId, version: this.version, fence: this.fence };
    }
    this.version += 1n;
    this.fence = fence;
    this.#onWrite(this.#change(message));
    return { type: 'write.committed', writeId, version: this.version };
  }

  /** Somebody who keeps no rules removes an entry. */
  erase(component: string): void {
    if (!this.entries.delete(component)) return;
    this.version += 1n;
    this.#onWrite(new Map([[component, null]]));
  }

  #isFenced({ fencingToken, sessionId }: Fence): boolean {
    if (this.fence === null) return false;
    if (this.fence.fencingToken !== fencingToken) return this.fence.fencingToken > fencingToken;
    return this.fence.sessionId !== sessionId;
  }

  #change(message: Message): Map<string, LeaderInformation | null> {
    const changed = new Map<string, LeaderInformation | null>();
    for (const [key, entry] of message.puts as ReadonlyMap<string, LeaderInformation>) {
      this.entries.set(key, entry);
      changed.set(key, entry);
    }
    for (const [key, sessionId] of message.withdrawals as ReadonlyMap<string, string>) {
      const entry = this.entries.get(key);
      if (entry?.sessionId !== sessionId) continue;
      this.entries.delete(key);
      changed.set(key, null);
      this.#onDelete(key, entry, sessionId);
    }
    return changed;
  }
}
