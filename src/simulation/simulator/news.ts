import type { ContainerState } from '../../ports/container.ts';
import type { LeaseRecord } from '../../ports/lease-store.ts';
import type { Link } from './link.ts';
import type { ServerLease } from './server-lease.ts';
import type { RegisterChange, ServerRegister } from './server-register.ts';

export type NewsFault = 'drop' | 'repeat' | 'late' | 'overtaken';

export interface NewsStrike {
  readonly of: 'lease' | 'register';
  readonly fault: NewsFault;
  readonly delayMs: number;
  times: number;
}

/** What a watch is made of: where its events come from, and which of them the port may pass on. */
interface Source<E> {
  readonly of: 'lease' | 'register';
  subscribe(send: (event: E) => void): () => void;
  snapshot(): E;
  /** `gap`: something before it is missing, the watch must be made anew. */
  judge(event: E): 'pass' | 'skip' | 'gap';
  pass(event: E): void;
}

/**
 * One watch over one link. The wire drops, repeats, delays and reorders; what comes out keeps the port's promises, as a
 * client library does it: nothing older after something newer, and a gap is followed by the whole state.
 */
export class Watch<E> {
  readonly #link: Link;
  readonly #source: Source<E>;
  readonly #takeStrike: () => NewsStrike | null;
  readonly #forget: () => void;
  #unsubscribe: () => void = () => {};
  #connection = 0;
  /** Events of one connection arrive in order, as in a TCP stream. */
  #arrivesAtMs = 0;

  constructor(link: Link, source: Source<E>, takeStrike: () => NewsStrike | null) {
    this.#link = link;
    this.#source = source;
    this.#takeStrike = takeStrike;
    this.#forget = link.onReconnect(() => this.connect());
    this.connect();
  }

  connect(): void {
    const connection = this.#hangUp();
    this.#link.world.setTimer(this.#link.latencyMs(), () => {
      const isStale = connection !== this.#connection || this.#link.clock.isStopped;
      // Not reached: the end of the fault is when it is tried again.
      if (isStale || this.#link.losesRequests || this.#link.server.health !== 'well') return;
      this.#unsubscribe = this.#source.subscribe((event) => this.#send(event));
      this.#travel(this.#source.snapshot(), this.#link.latencyMs());
    });
  }

  stop(): void {
    this.#forget();
    this.#hangUp();
  }

  #hangUp(): number {
    this.#unsubscribe();
    this.#unsubscribe = () => {};
    this.#connection += 1;
    return this.#connection;
  }

  #send(event: E): void {
    if (this.#link.clock.isStopped) {
      this.stop();
      return;
    }
    if (this.#link.losesAnswers) return;
    const strike = this.#takeStrike();
    const latency = this.#link.latencyMs();
    switch (strike?.fault) {
      case undefined:
        this.#travel(event, latency);
        return;
      case 'drop':
        this.#reconnectAfter(strike.delayMs);
        return;
      case 'repeat':
        this.#travel(event, latency);
        this.#travel(event, latency + strike.delayMs);
        return;
      case 'late':
        this.#travel(event, latency + strike.delayMs);
        return;
      case 'overtaken':
        this.#arriveAfter(latency + strike.delayMs, event);
    }
  }

  /** In the order of the sending. */
  #travel(event: E, latencyMs: number): void {
    const { world } = this.#link;
    this.#arrivesAtMs = Math.max(this.#arrivesAtMs, world.nowMs() + latencyMs);
    this.#arriveAfter(this.#arrivesAtMs - world.nowMs(), event);
  }

  #arriveAfter(ms: number, event: E): void {
    const connection = this.#connection;
    this.#link.world.setTimer(ms, () => {
      if (this.#link.losesAnswers) return;
      this.#link.receive(() => {
        if (connection === this.#connection) this.#arrive(event);
      });
    });
  }

  #arrive(event: E): void {
    const verdict = this.#source.judge(event);
    if (verdict === 'pass') this.#source.pass(event);
    if (verdict === 'gap') this.connect();
  }

  #reconnectAfter(ms: number): void {
    const connection = this.#connection;
    this.#link.world.setTimer(ms, () => {
      if (connection === this.#connection) this.connect();
    });
  }
}

export function leaseSource(
  lease: ServerLease,
  listener: (record: LeaseRecord | null) => void,
): Source<LeaseRecord | null> {
  let newest: bigint | null = null;
  return {
    of: 'lease',
    subscribe: (send) => lease.subscribe(send),
    snapshot: () => lease.record,
    judge: (record) => ((record?.version ?? 0n) < (newest ?? 0n) ? 'skip' : 'pass'),
    pass: (record) => {
      newest = record?.version ?? newest;
      listener(record);
    },
  };
}

export function registerSource(
  register: ServerRegister,
  listener: (state: ContainerState) => void,
): Source<RegisterChange> {
  let newest: bigint | null = null;
  return {
    of: 'register',
    subscribe: (send) => register.subscribe(send),
    snapshot: () => ({ from: 0n, state: register.read(undefined) }),
    judge: ({ from, state }) => {
      if (newest === null) return state.full ? 'pass' : 'gap';
      if (state.version < newest) return 'skip';
      // The same version once more is a repetition, which a watch may pass on.
      return state.full || from === newest || state.version === newest ? 'pass' : 'gap';
    },
    pass: ({ state }) => {
      newest = state.version;
      listener(state);
    },
  };
}
