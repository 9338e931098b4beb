import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';
import type { CallOptions } from './lease-store.ts';

/** A versioned, fenced key-value map that is changed only by compare-and-set. The register is one of these. */

/** Changes since a version. `full` says that `changed` holds the whole map rather than a difference. */
export interface ContainerState {
  /** Grows with every committed write. `0n` means nothing has ever been written. */
  readonly version: bigint;
  readonly fence: Fence | null;
  readonly full: boolean;
  /** A `null` value is a deletion. */
  readonly changed: ReadonlyMap<string, LeaderInformation | null>;
}

export type ContainerReading =
  | { readonly outcome: 'found'; readonly state: ContainerState }
  | { readonly outcome: 'failed'; readonly detail: string };

export interface ContainerWrite {
  readonly expectedVersion: bigint;
  /** The writer's fence. Refused when the stored fence is newer, or equal in token and of another session. */
  readonly fence: Fence;
  readonly puts: ReadonlyMap<string, LeaderInformation>;
  /**
   * Key → session: the key is deleted only when its stored entry is of that session, else it is left alone. Done before
   * the puts: a key in both ends up with its new entry.
   */
  readonly withdrawals: ReadonlyMap<string, string>;
}

/** The fence is looked at before the version: a deposed writer must hear that it is `fenced`, not that it should try again. */
export type ContainerWriteResult =
  | { readonly outcome: 'committed'; readonly version: bigint }
  | { readonly outcome: 'conflict'; readonly version: bigint; readonly fence: Fence | null }
  | { readonly outcome: 'refused'; readonly reason: 'unavailable' | 'too-large'; readonly detail: string }
  | { readonly outcome: 'refused'; readonly reason: 'fenced'; readonly detail: string; readonly fence?: Fence }
  | { readonly outcome: 'unknown'; readonly detail: string };

export interface Container {
  /** Without `since` the whole map; with it, only what changed after that version. */
  read(
    options: CallOptions & { readonly since?: bigint; readonly keys?: readonly string[] },
  ): Promise<ContainerReading>;
  /** A committed write always moves the version, even one that changes nothing (a touch). */
  write(write: ContainerWrite, options: CallOptions): Promise<ContainerWriteResult>;
  /**
   * First reports the full state, then what changes, touches too; in version order and whoever wrote it. Never calls
   * inside of this call. Returns the function that stops it, which may be called again. No call comes after that.
   */
  watch(listener: (state: ContainerState) => void): () => void;
}
