import type { ErrorCode } from '../errors.ts';
import type { Clock } from './clock.ts';
import type { Container } from './container.ts';
import type { LeaseStore } from './lease-store.ts';
import type { Random } from './random.ts';

export interface BackendContext {
  /** Name of the election; the lock and the register belong to it. */
  readonly election: string;
  /** Identity of this participant: name and a random UUID per start. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Receives what people should know and what the backend goes on without, such as a damaged entry that it ignores. */
  readonly onFinding?: (finding: BackendFinding) => void;
}

export interface BackendFinding {
  readonly code: ErrorCode;
  readonly detail: string;
}

/** What a user passes as `backend:`. Opening it may fail with a coded TenureError; nothing is left open then. */
export interface Backend {
  /** The word of the `--backend` switch. */
  readonly name: string;
  open(context: BackendContext): Promise<OpenBackend>;
}

export interface OpenBackend {
  /** Where the election lives, for people: `sqlite (.tenure/tenure.db)`. */
  readonly place: string;
  /** `none`: nothing keeps a second process from leading too. */
  readonly protection: 'lease' | 'none';
  readonly lease: LeaseStore;
  readonly register: Container;
  /**
   * Idempotent. Calls that are under way are answered, later ones answer `failed` or `refused`, and watches are silent.
   * After it settles nothing of the backend keeps the process alive.
   */
  close(): Promise<void>;
}
