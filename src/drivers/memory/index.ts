import type { Backend, BackendContext, OpenBackend } from '../../ports/backend.ts';
import { MemoryContainer } from './container.ts';
import { MemoryLease } from './lease.ts';
import { OpenMemory } from './open.ts';

/** What all participants of a memory backend share: per election one lock and one register. */
export class MemoryBoard {
  readonly #elections = new Map<string, { lease: MemoryLease; register: MemoryContainer }>();

  election(name: string, isoNow: () => string): { readonly lease: MemoryLease; readonly register: MemoryContainer } {
    const known = this.#elections.get(name);
    if (known !== undefined) return known;
    const made = { lease: new MemoryLease(isoNow), register: new MemoryContainer() };
    this.#elections.set(name, made);
    return made;
  }
}

const SHARED = new MemoryBoard();

/**
 * The lock and the register in this process's memory, for tests and for embedding: the arbiter machine behind the same
 * ports as every other backend, and as strict as they are. All participants of the process share one board unless each
 * is given its own.
 */
export function memory(options: { readonly board?: MemoryBoard } = {}): Backend {
  const board = options.board ?? SHARED;
  return {
    name: 'memory',
    async open(context: BackendContext): Promise<OpenBackend> {
      const { lease, register } = board.election(context.election, () => context.clock.isoNow());
      return new OpenMemory(lease, register);
    },
  };
}
