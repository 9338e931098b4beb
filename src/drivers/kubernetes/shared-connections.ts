import type { Access } from './access.ts';
import { HttpsWire } from './https-wire.ts';
import { userAgent } from './user-agent.ts';

interface Joined {
  readonly wire: HttpsWire;
  readonly access: Access;
  readonly leave: () => void;
}

/** The connections of all elections that one process opened on one backend: there while at least one is open. */
export class SharedConnections {
  readonly #find: () => Promise<Access>;
  #shared: Promise<{ readonly wire: HttpsWire; readonly access: Access }> | null = null;
  #users = 0;

  constructor(find: () => Promise<Access>) {
    this.#find = find;
  }

  /** @throws what finding the cluster throws; the next one to join looks for it again */
  async join(): Promise<Joined> {
    this.#users += 1;
    this.#shared ??= this.#connect();
    const shared = this.#shared;
    try {
      const { wire, access } = await shared;
      return { wire, access, leave: () => this.#leave(shared, wire) };
    } catch (thrown) {
      this.#users -= 1;
      if (this.#shared === shared) this.#shared = null;
      throw thrown;
    }
  }

  async #connect(): Promise<{ readonly wire: HttpsWire; readonly access: Access }> {
    const access = await this.#find();
    return { access, wire: new HttpsWire(access, userAgent()) };
  }

  #leave(shared: Promise<unknown>, wire: HttpsWire): void {
    this.#users -= 1;
    if (this.#users > 0) return;
    if (this.#shared === shared) this.#shared = null;
    wire.close();
  }
}
