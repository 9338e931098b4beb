import type { OpenBackend } from '../../ports/backend.ts';
import type { Container, ContainerReading, ContainerWriteResult } from '../../ports/container.ts';
import type { LeaseReading, LeaseStore, LeaseWriteResult } from '../../ports/lease-store.ts';

const CLOSED = 'the backend has been closed';

/** One participant's handle on the shared board. Once closed it answers like every closed backend, and is told nothing. */
export class OpenMemory implements OpenBackend {
  readonly place = 'memory (this process)';
  readonly protection = 'lease';
  readonly lease: LeaseStore;
  readonly register: Container;
  readonly #stops = new Set<() => void>();
  #isClosed = false;

  constructor(lease: LeaseStore, register: Container) {
    // Passed on as they are, not through one more `async`: a closed handle must not make an open one slower by a turn.
    const closed = <T>(answer: T, open: () => Promise<T>): Promise<T> =>
      this.#isClosed ? Promise.resolve(answer) : open();
    this.lease = {
      read: (call) => closed<LeaseReading>({ outcome: 'failed', detail: CLOSED }, () => lease.read(call)),
      write: (write, call) =>
        closed<LeaseWriteResult>({ outcome: 'refused', detail: CLOSED }, () => lease.write(write, call)),
      watch: (listener) => this.#scoped(() => lease.watch(listener)),
    };
    this.register = {
      read: (options) => closed<ContainerReading>({ outcome: 'failed', detail: CLOSED }, () => register.read(options)),
      write: (write, call) =>
        closed<ContainerWriteResult>({ outcome: 'refused', reason: 'unavailable', detail: CLOSED }, () =>
          register.write(write, call),
        ),
      watch: (listener) => this.#scoped(() => register.watch(listener)),
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#stops.clear();
  }

  #scoped(watch: () => () => void): () => void {
    if (this.#isClosed) return () => {};
    const stop = watch();
    this.#stops.add(stop);
    return () => {
      this.#stops.delete(stop);
      stop();
    };
  }
}
