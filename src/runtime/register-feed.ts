import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';
import { sameInformation } from '../../machines/vocabulary.ts';
import type { Container, ContainerState } from '../ports/container.ts';
import type { PostOffice } from './post-office.ts';

/**
 * Watches the register and posts what changed: to the election (which hands each component its own entry) and to the
 * retrieval actors of followed components. Keeps what it saw, so that a new follower starts with the current entry.
 */
export class RegisterFeed {
  readonly #office: PostOffice;
  readonly #register: Container;
  readonly #entries = new Map<string, LeaderInformation>();
  /** What this participant has written last; see `wrote`. */
  readonly #written = new Map<string, LeaderInformation>();
  #version = -1n;
  #fence: Fence | null = null;
  #stop: (() => void) | null = null;

  constructor(office: PostOffice, register: Container) {
    this.#office = office;
    this.#register = register;
  }

  start(): void {
    this.#stop ??= this.#register.watch((state) => this.#observe(state));
  }

  /**
   * This participant writes that, and it may arrive. A whole state that shows something else is news then, also where it
   * shows what was seen last, for what was written in between is known to the writer only:
   *
   *   the watch is down … we write our entry … somebody deletes it … the watch comes back, and there is no entry
   *
   * What the watch saw last was no entry either, yet one has gone that nobody else would write again.
   */
  wrote(puts: ReadonlyMap<string, LeaderInformation>, withdrawals: ReadonlyMap<string, string>): void {
    for (const [component, entry] of puts) this.#written.set(component, entry);
    for (const component of withdrawals.keys()) this.#written.delete(component);
  }

  stop(): void {
    this.#stop?.();
    this.#stop = () => {};
  }

  /** Tells a new retrieval actor what is known already; nothing before the first observation. */
  introduce(component: string, isFollowed: boolean): void {
    if (!isFollowed || this.#version < 0n) return;
    this.#postChange(component, this.#entries.get(component) ?? null);
  }

  followed: (component: string) => boolean = () => false;
  allFollowed: () => Iterable<string> = () => [];

  #observe(state: ContainerState): void {
    if (state.version < this.#version) return;
    const isFirst = this.#version < 0n;
    const fenceMoved = state.fence !== null && state.fence.fencingToken !== this.#fence?.fencingToken;
    const changed = this.#difference(state);
    this.#version = state.version;
    this.#fence = state.fence;
    const { version, fence } = state;
    this.#office.post('store', 'election', { type: 'register.observed', version, fence, changed } as { type: string });
    for (const [component, entry] of changed) if (this.followed(component)) this.#postChange(component, entry);
    if (isFirst) {
      for (const component of this.allFollowed()) if (!changed.has(component)) this.#postChange(component, null);
    }
    if (fenceMoved)
      this.#office.post('store', 'retrieval:*', { type: 'fence.changed', version, fence } as { type: string });
  }

  #difference(state: ContainerState): Map<string, LeaderInformation | null> {
    const changed = new Map<string, LeaderInformation | null>();
    for (const [component, entry] of state.changed) {
      const known = (state.full ? this.#written.get(component) : undefined) ?? entry;
      if (sameInformation(this.#entries.get(component) ?? null, entry) && sameInformation(known, entry)) continue;
      changed.set(component, entry);
      if (entry === null) this.#entries.delete(component);
      else this.#entries.set(component, entry);
    }
    if (!state.full) return changed;
    for (const component of this.#entries.keys()) {
      if (state.changed.has(component)) continue;
      changed.set(component, null);
      this.#entries.delete(component);
    }
    for (const component of this.#written.keys()) if (!state.changed.has(component)) changed.set(component, null);
    return changed;
  }

  #postChange(component: string, entry: LeaderInformation | null): void {
    this.#office.post('store', `retrieval:${component}`, {
      type: 'register.changed',
      version: this.#version,
      entry,
      fence: this.#fence,
    } as { type: string });
  }
}
