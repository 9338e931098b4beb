import type { LeaseRecord, LeaseWrite, LeaseWriteResult } from '../../ports/lease-store.ts';
import type { Revisions } from './revisions.ts';

/** The lock of one election as the simulated server keeps it. A test holds it to the arbiter machine. */
export class ServerLease {
  readonly #revisions: Revisions;
  readonly #listeners = new Set<(record: LeaseRecord | null) => void>();
  #record: LeaseRecord | null = null;

  constructor(revisions: Revisions) {
    this.#revisions = revisions;
  }

  get record(): LeaseRecord | null {
    return this.#record;
  }

  /** `at`: wall-clock text of the writer. */
  write(write: LeaseWrite, at: string): LeaseWriteResult {
    if ((this.#record?.version ?? null) !== write.expectedVersion) return this.#conflict();
    const record = this.#successor(write, at);
    if (record === null) return this.#conflict();
    this.#record = record;
    for (const listener of this.#listeners) listener(record);
    return { outcome: 'committed', record };
  }

  /** Called with every new record, in order, at once. Returns the function that stops it. */
  subscribe(listener: (record: LeaseRecord | null) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #conflict(): LeaseWriteResult {
    return { outcome: 'conflict', record: this.#record };
  }

  /** `null` where the record is not one that such a write can change. */
  #successor(write: LeaseWrite, at: string): LeaseRecord | null {
    const found = this.#record;
    if (write.kind === 'acquire') {
      const { holder, sessionId, durationMs } = write;
      const version = this.#revisions.next('lease');
      const fencingToken = this.#revisions.tokenOf(version, found?.fencingToken ?? 0n);
      return {
        version,
        holder,
        sessionId,
        fencingToken,
        durationMs,
        stepDownFor: '',
        acquiredAt: at,
        renewedAt: at,
      };
    }
    if (found === null || found.holder === '') return null;
    if (write.kind === 'request-step-down' && write.sessionId !== found.sessionId) return null;
    const version = this.#revisions.next('lease');
    if (write.kind === 'renew') return { ...found, version, durationMs: write.durationMs, renewedAt: at };
    if (write.kind === 'release') return { ...found, version, holder: '', sessionId: '', stepDownFor: '' };
    return { ...found, version, stepDownFor: write.sessionId };
  }
}
