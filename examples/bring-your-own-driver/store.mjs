// @ts-check

/** @typedef {import('tenure/machines').LeaderInformation} LeaderInformation */

/** Stands for your lock: one holder at a time, in the order of asking, with a token that only grows. */
export class Lock {
  #token = 0n;
  /** @type {((token: bigint) => void)[]} */
  #waiting = [];
  #isHeld = false;

  /**
   * @param {(token: bigint) => void} onGranted
   * @returns {() => void} Stops waiting.
   */
  ask(onGranted) {
    this.#waiting.push(onGranted);
    this.#grant();
    return () => {
      this.#waiting = this.#waiting.filter((waiting) => waiting !== onGranted);
    };
  }

  release() {
    this.#isHeld = false;
    this.#grant();
  }

  #grant() {
    const next = this.#isHeld ? undefined : this.#waiting.shift();
    if (next === undefined) return;
    this.#isHeld = true;
    this.#token += 1n;
    const token = this.#token;
    // As asynchronous as any lock that is worth having.
    queueMicrotask(() => next(token));
  }
}

/** Stands for your store: one entry, refused to writers whose token is below the newest one that was seen. */
export class Register {
  /** @type {LeaderInformation | null} */
  #entry = null;
  #version = 0n;
  #fence = 0n;
  #losesAnswer = true;

  /**
   * @param {bigint} token @param {LeaderInformation | null} entry
   * @returns {Promise<{ outcome: 'committed', version: bigint } | { outcome: 'fenced' }>}
   */
  async write(token, entry) {
    if (token < this.#fence) return { outcome: 'fenced' };
    this.#fence = token;
    this.#entry = entry;
    this.#version += 1n;
    if (this.#losesAnswer) {
      this.#losesAnswer = false;
      throw new Error('written, but the connection broke before the answer came');
    }
    return { outcome: 'committed', version: this.#version };
  }

  async read() {
    return { entry: this.#entry, version: this.#version };
  }
}
