// @ts-check

/** @typedef {{ value: string, revision: bigint } | null} Stored */

/**
 * Stands for your store (etcd, Consul, a table in your database): values with revisions that are replaced only by
 * compare-and-set, and watches. Revision 0 is "not there".
 */
export class KeyValueStore {
  /** @type {Map<string, { value: string, revision: bigint }>} */
  #values = new Map();
  /** @type {Set<{ key: string, tell: (stored: Stored) => void }>} */
  #watches = new Set();

  /**
   * @param {string} key
   * @returns {Promise<Stored>}
   */
  async get(key) {
    return this.#values.get(key) ?? null;
  }

  /**
   * Replaces the value if its revision is still the given one.
   * @param {string} key @param {bigint} revision @param {string} value
   * @returns {Promise<boolean>}
   */
  async compareAndSet(key, revision, value) {
    if ((this.#values.get(key)?.revision ?? 0n) !== revision) return false;
    const stored = { value, revision: revision + 1n };
    this.#values.set(key, stored);
    for (const watch of this.#watches) {
      // As asynchronous as any watch over a network.
      if (watch.key === key) queueMicrotask(() => this.#watches.has(watch) && watch.tell(stored));
    }
    return true;
  }

  /**
   * Tells what is there, then every change. Returns the function that stops it.
   * @param {string} key @param {(stored: Stored) => void} tell
   */
  watch(key, tell) {
    const watch = { key, tell };
    const first = this.#values.get(key) ?? null;
    this.#watches.add(watch);
    queueMicrotask(() => this.#watches.has(watch) && tell(first));
    return () => void this.#watches.delete(watch);
  }
}
