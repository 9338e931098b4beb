/** The lock of one election as a backend keeps it. Implementations never decide; they answer. */

/** The lease as stored. Wall-clock texts are for people: no decision is ever taken from them. */
export interface LeaseRecord {
  /** Compare-and-set token; grows with every write. */
  readonly version: bigint;
  /** Identity of the holder; `''` once released. */
  readonly holder: string;
  /** Session of the newest acquisition; `''` once released. */
  readonly sessionId: string;
  /** Token of the newest acquisition; kept when the lease is released, so that it only grows. */
  readonly fencingToken: bigint;
  /** What the holder promised: after this span without a new version, others may take over. */
  readonly durationMs: number;
  /** The session that somebody asked to step down; `''` when nobody did. */
  readonly stepDownFor: string;
  /** ISO time of the acquisition, on the holder's clock. Display only. */
  readonly acquiredAt: string;
  /** ISO time of the newest renewal, on the holder's clock. Display only. */
  readonly renewedAt: string;
}

export type LeaseReading =
  | { readonly outcome: 'found'; readonly record: LeaseRecord }
  | { readonly outcome: 'absent' }
  | { readonly outcome: 'failed'; readonly detail: string };

/**
 * What to write. `expectedVersion: null` means "only if there is no record". A lease that nobody holds can only be
 * acquired, and only the session that holds it can be asked to step down: everything else is answered with `conflict`.
 */
export type LeaseWrite =
  | {
      readonly kind: 'acquire';
      readonly expectedVersion: bigint | null;
      readonly holder: string;
      readonly sessionId: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'renew'; readonly expectedVersion: bigint; readonly durationMs: number }
  | { readonly kind: 'release'; readonly expectedVersion: bigint }
  | { readonly kind: 'request-step-down'; readonly expectedVersion: bigint; readonly sessionId: string };

/**
 * Three-valued, as every write over a network is: done, certainly not done (`conflict`, `refused`), or not known.
 * `conflict` carries the record that was found instead (null when there is none).
 */
export type LeaseWriteResult =
  | { readonly outcome: 'committed'; readonly record: LeaseRecord }
  | { readonly outcome: 'conflict'; readonly record: LeaseRecord | null }
  | { readonly outcome: 'refused'; readonly detail: string }
  | { readonly outcome: 'unknown'; readonly detail: string };

export interface CallOptions {
  /** How long the call may take before it answers `failed`, `refused` or `unknown`. */
  readonly timeoutMs: number;
}

export interface LeaseStore {
  read(options: CallOptions): Promise<LeaseReading>;
  write(write: LeaseWrite, options: CallOptions): Promise<LeaseWriteResult>;
  /**
   * First reports what there is (null where there is no record), then records as they change, whoever wrote them. Never
   * calls inside of this call. May repeat itself and may skip versions; never reports an older version after a newer one.
   * Returns the function that stops it, which may be called again. No call comes after that.
   */
  watch(listener: (record: LeaseRecord | null) => void): () => void;
}
