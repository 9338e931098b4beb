export type RevisionStyle = 'own' | 'shared';

/**
 * How the store numbers its writes. `own`: lease and register count for themselves and tokens count sessions, as in
 * SQLite. `shared`: one counter for everything, and the token is the revision of the acquiring write, as in etcd; code
 * that believes the next version to be one above fails there.
 */
export class Revisions {
  readonly #style: RevisionStyle;
  readonly #counts = new Map<string, bigint>();

  constructor(style: RevisionStyle) {
    this.#style = style;
  }

  next(of: 'lease' | 'register'): bigint {
    const key = this.#style === 'shared' ? 'all' : of;
    const next = (this.#counts.get(key) ?? 0n) + 1n;
    this.#counts.set(key, next);
    return next;
  }

  /** Token of an acquisition that was written as `version`, after one with the token `former`. */
  tokenOf(version: bigint, former: bigint): bigint {
    return this.#style === 'shared' ? version : former + 1n;
  }
}
