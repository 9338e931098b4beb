import { Observable } from 'rxjs';

interface Source<T> {
  readonly current: T;
  readonly closed: boolean;
}

/**
 * A value that changes: an RxJS Observable and an AsyncIterable in one. Every new consumer starts with the current
 * value. Subscribers see each value as it comes. An iterator that is slower than the changes either sees only the
 * newest (`conflate`) or up to 1 024 that it has not fetched yet (then the oldest are dropped).
 */
export class Stream<T> extends Observable<T> implements AsyncIterable<T> {
  readonly #conflate: boolean;

  /** Made by `createStream`; users only consume it. */
  constructor(connect: (push: (value: T) => void, end: () => void) => () => void, conflate: boolean) {
    super((subscriber) =>
      connect(
        (value) => subscriber.next(value),
        () => subscriber.complete(),
      ),
    );
    this.#conflate = conflate;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const limit = this.#conflate ? 1 : 1_024;
    const waiting: T[] = [];
    let ended = false;
    let wake: () => void = () => {};
    const subscription = this.subscribe({
      next: (value) => {
        if (waiting.length === limit) waiting.shift();
        waiting.push(value);
        wake();
      },
      complete: () => {
        ended = true;
        wake();
      },
    });
    try {
      for (;;) {
        for (let value = waiting.shift(); value !== undefined; value = waiting.shift()) yield value;
        if (ended) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      subscription.unsubscribe();
    }
  }
}

export interface Channel<T> {
  readonly stream: Stream<T>;
  push(value: T): void;
  end(): void;
}

/** The two ends of a stream. A consumer that throws is its own problem: the others and the source go on. */
export function createStream<T>(initial: T | typeof NOTHING_YET, conflate: boolean): Channel<T> {
  const consumers = new Set<{ push: (value: T) => void; end: () => void }>();
  let state: Source<T | typeof NOTHING_YET> = { current: initial, closed: false };
  const stream = new Stream<T>((push, end) => {
    if (state.current !== NOTHING_YET) push(state.current);
    if (state.closed) {
      end();
      return () => {};
    }
    const consumer = { push, end };
    consumers.add(consumer);
    return () => consumers.delete(consumer);
  }, conflate);
  return {
    stream,
    push(value) {
      if (state.closed) return;
      state = { current: value, closed: false };
      for (const consumer of [...consumers]) consumer.push(value);
    },
    end() {
      state = { ...state, closed: true };
      for (const consumer of [...consumers]) consumer.end();
      consumers.clear();
    },
  };
}

/** The stream has no current value before its first `push`. */
export const NOTHING_YET = Symbol('nothing yet');
