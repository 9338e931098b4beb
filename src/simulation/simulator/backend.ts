import type { Backend, BackendContext, OpenBackend } from '../../ports/backend.ts';
import type { Container, ContainerReading, ContainerWrite, ContainerWriteResult } from '../../ports/container.ts';
import type { LeaseReading, LeaseStore, LeaseWrite, LeaseWriteResult } from '../../ports/lease-store.ts';
import type { Answers } from '../faults.ts';
import type { Link } from './link.ts';
import type { NewsStrike } from './news.ts';
import { leaseSource, registerSource, Watch } from './news.ts';

const DETAIL = 'a fault of the simulation';
const CLOSED = 'the backend has been closed';

type Failed = { readonly outcome: 'failed'; readonly detail: string };
const failed = (): Failed => ({ outcome: 'failed', detail: DETAIL });
const READING: Answers<Failed> = { refused: failed, unknown: failed };
const LEASE_WRITE: Answers<LeaseWriteResult> = {
  refused: () => ({ outcome: 'refused', detail: DETAIL }),
  unknown: () => ({ outcome: 'unknown', detail: DETAIL }),
};
const REGISTER_WRITE: Answers<ContainerWriteResult> = {
  refused: (reason) => ({ outcome: 'refused', reason, detail: DETAIL }),
  unknown: () => ({ outcome: 'unknown', detail: DETAIL }),
};

export interface SimulatedBackendOptions {
  readonly link: Link;
  /** A write of the register leaves the participant. */
  readonly onRegisterWrite?: (write: ContainerWrite) => void;
}

/** A backend over a simulated network, for one participant. */
export class SimulatedBackend implements Backend {
  readonly name = 'simulated';
  readonly link: Link;
  readonly #onRegisterWrite: (write: ContainerWrite) => void;
  readonly #newsStrikes: NewsStrike[] = [];

  constructor({ link, onRegisterWrite = () => {} }: SimulatedBackendOptions) {
    this.link = link;
    this.#onRegisterWrite = onRegisterWrite;
  }

  strikeNews(strike: NewsStrike): void {
    this.#newsStrikes.push(strike);
  }

  calm(): void {
    this.#newsStrikes.length = 0;
    this.link.calm();
  }

  async open(context: BackendContext): Promise<OpenBackend> {
    const stops = new Set<() => void>();
    let isClosed = false;
    const watch = <E>(start: () => Watch<E>): (() => void) => {
      if (isClosed) return () => {};
      const watching = start();
      const stop = (): void => {
        stops.delete(stop);
        watching.stop();
      };
      stops.add(stop);
      return stop;
    };
    const closed = <T>(answer: T, call: () => Promise<T>): Promise<T> => (isClosed ? Promise.resolve(answer) : call());
    return {
      place: 'simulated',
      protection: 'lease',
      lease: this.#lease(context, watch, closed),
      register: this.#register(context, watch, closed),
      close: async () => {
        isClosed = true;
        for (const stop of [...stops]) stop();
        this.link.close();
      },
    };
  }

  #lease({ election, identity, clock }: BackendContext, watch: Watching, closed: Closed): LeaseStore {
    const { link } = this;
    const { lease } = link.server.election(election);
    const read = (): LeaseReading => {
      const { record } = lease;
      return record === null ? { outcome: 'absent' } : { outcome: 'found', record };
    };
    return {
      read: ({ timeoutMs }) =>
        closed<LeaseReading>({ outcome: 'failed', detail: CLOSED }, () =>
          link.call<LeaseReading>('lease.read', timeoutMs, read, READING),
        ),
      write: (write: LeaseWrite, { timeoutMs }) => {
        const at = clock.isoNow();
        const apply = (): LeaseWriteResult => link.server.writeLease(election, identity, write, at);
        return closed<LeaseWriteResult>({ outcome: 'refused', detail: CLOSED }, () =>
          link.call(`lease.${write.kind}`, timeoutMs, apply, LEASE_WRITE),
        );
      },
      watch: (listener) => watch(() => new Watch(link, leaseSource(lease, listener), () => this.#strike('lease'))),
    };
  }

  #register({ election, identity }: BackendContext, watch: Watching, closed: Closed): Container {
    const { link } = this;
    const { register } = link.server.election(election);
    return {
      read: ({ timeoutMs, since, keys }) =>
        closed<ContainerReading>({ outcome: 'failed', detail: CLOSED }, () =>
          link.call<ContainerReading>(
            'container.read',
            timeoutMs,
            () => ({ outcome: 'found', state: register.read(since, keys) }),
            READING,
          ),
        ),
      write: (write, { timeoutMs }) => {
        const result = { outcome: 'refused', reason: 'unavailable', detail: CLOSED } as const;
        return closed<ContainerWriteResult>(result, () => {
          this.#onRegisterWrite(write);
          const apply = (): ContainerWriteResult => link.server.writeRegister(election, identity, write);
          return link.call('container.write', timeoutMs, apply, REGISTER_WRITE);
        });
      },
      watch: (listener) =>
        watch(() => new Watch(link, registerSource(register, listener), () => this.#strike('register'))),
    };
  }

  #strike(of: 'lease' | 'register'): NewsStrike | null {
    const index = this.#newsStrikes.findIndex((strike) => strike.of === of);
    const strike = this.#newsStrikes[index];
    if (strike === undefined) return null;
    strike.times -= 1;
    if (strike.times <= 0) this.#newsStrikes.splice(index, 1);
    this.link.onFault(`news ${strike.fault}`);
    return strike;
  }
}

type Watching = <E>(start: () => Watch<E>) => () => void;
type Closed = <T>(answer: T, call: () => Promise<T>) => Promise<T>;
