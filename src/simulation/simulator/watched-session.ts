import type { LeaderSession } from '../../runtime/api.ts';

/** What a contender gets: its session, with every confirmation seen from outside. */
export class WatchedSession implements LeaderSession {
  readonly #inner: LeaderSession;
  readonly #onConfirm: (address: string, promise: Promise<void>) => void;

  constructor(inner: LeaderSession, onConfirm: (address: string, promise: Promise<void>) => void) {
    this.#inner = inner;
    this.#onConfirm = onConfirm;
  }

  get id(): string {
    return this.#inner.id;
  }
  get component(): string {
    return this.#inner.component;
  }
  get fencingToken(): bigint {
    return this.#inner.fencingToken;
  }
  get deadlineMs(): number {
    return this.#inner.deadlineMs;
  }
  get remainingMs(): number {
    return this.#inner.remainingMs;
  }
  get signal(): AbortSignal {
    return this.#inner.signal;
  }
  get isCurrent(): boolean {
    return this.#inner.isCurrent;
  }

  assertCurrent(): void {
    this.#inner.assertCurrent();
  }

  confirm(reachable: Parameters<LeaderSession['confirm']>[0]): Promise<void> {
    const promise = this.#inner.confirm(reachable);
    this.#onConfirm(reachable?.address, promise);
    return promise;
  }

  onSuspension(listener: (suspended: boolean) => void): () => void {
    return this.#inner.onSuspension(listener);
  }
}
