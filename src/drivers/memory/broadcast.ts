/**
 * Tells watchers in a turn of their own, in order, never after they have unsubscribed: as asynchronous as a real
 * watch, so that code which only works with synchronous news fails here too.
 */
export class Broadcast<T> {
  readonly #listeners = new Set<(value: T) => void>();

  subscribe(listener: (value: T) => void, first: T): () => void {
    const own = (value: T): void => listener(value);
    this.#listeners.add(own);
    queueMicrotask(() => {
      if (this.#listeners.has(own)) own(first);
    });
    return () => this.#listeners.delete(own);
  }

  publish(value: T): void {
    for (const listener of this.#listeners) {
      queueMicrotask(() => {
        if (this.#listeners.has(listener)) listener(value);
      });
    }
  }
}
