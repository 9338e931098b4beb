import { type KubeObject, versionOf } from './objects.ts';

/** One look at the object. The version of an absent one is above all that were seen before, so that order is kept. */
export interface Sighting {
  readonly object: KubeObject | null;
  readonly version: bigint;
}

/** `isAnew`: changes may have been missed since the listener was told before. */
type Listener = (sighting: Sighting, isAnew: boolean) => void;

interface Subscriber {
  readonly listener: Listener;
  told: Sighting | null;
  isAnew: boolean;
}

/**
 * The newest that this process has seen of one object: through its watch, its readings, and the answers to its writes.
 * Tells listeners in a turn of their own, in version order.
 */
export class Latest {
  readonly #subscribers = new Set<Subscriber>();
  readonly #onGoneBack: () => void;
  #sighting: Sighting | null = null;
  #isCurrent = false;

  /** `onGoneBack`: the store shows an older version than it has shown before. */
  constructor(onGoneBack: () => void) {
    this.#onGoneBack = onGoneBack;
  }

  /** Undefined: never seen. */
  get object(): KubeObject | null | undefined {
    return this.#sighting?.object;
  }

  get isFollowed(): boolean {
    return this.#subscribers.size > 0;
  }

  /** Never calls inside of this call, nor after the function that it returns was called. */
  subscribe(listener: Listener): () => void {
    const own = { listener, told: null, isAnew: true };
    this.#subscribers.add(own);
    if (this.#isCurrent) this.#tellSoon(own);
    return () => this.#subscribers.delete(own);
  }

  see(object: KubeObject): void {
    const version = versionOf(object);
    if (this.#sighting === null || version > this.#sighting.version) this.#sighting = { object, version };
    this.#publish();
  }

  /** `version`: of the deletion. */
  seeDeleted(version: bigint): void {
    if (this.#sighting === null || version > this.#sighting.version) this.#sighting = { object: null, version };
    this.#publish();
  }

  /** To be taken before a reading leaves. */
  mark(): Sighting | null {
    return this.#sighting;
  }

  /** What a reading found that left at `mark`. What was seen since then is not older than its answer, or will be deleted. */
  read(object: KubeObject | null, mark: Sighting | null): void {
    const before = this.#sighting;
    const isUndisturbed = mark === before;
    if (object !== null) {
      const version = versionOf(object);
      if (isUndisturbed && before !== null && version < before.version) this.#goBack({ object, version });
      else this.see(object);
      return;
    }
    if (isUndisturbed && before === null) this.#sighting = { object, version: 0n };
    // The deletion took a version above the last one seen, and whatever is created later gets a higher one still.
    if (isUndisturbed && before?.object) this.#sighting = { object, version: before.version + 1n };
    this.#publish();
  }

  /** A watch has begun: between it and the one before, changes may have been missed. */
  resume(): void {
    for (const own of this.#subscribers) own.isAnew = true;
  }

  /** Nothing is watched: what is known grows old. */
  lose(): void {
    this.#isCurrent = false;
  }

  clear(): void {
    this.#subscribers.clear();
  }

  /** Readings are never older than what was known before they left, unless the store was restored from a copy. */
  #goBack(sighting: Sighting): void {
    this.#sighting = sighting;
    this.#onGoneBack();
    this.#publish();
  }

  #publish(): void {
    this.#isCurrent = true;
    for (const own of this.#subscribers) this.#tellSoon(own);
  }

  #tellSoon(own: Subscriber): void {
    if (own.told === this.#sighting) return;
    queueMicrotask(() => {
      const sighting = this.#sighting;
      if (sighting === null || own.told === sighting || !this.#subscribers.has(own)) return;
      const { isAnew } = own;
      own.told = sighting;
      own.isAnew = false;
      own.listener(sighting, isAnew);
    });
  }
}
