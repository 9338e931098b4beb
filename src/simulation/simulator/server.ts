import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import type { ContainerWrite, ContainerWriteResult } from '../../ports/container.ts';
import type { LeaseWrite, LeaseWriteResult } from '../../ports/lease-store.ts';
import type { RevisionStyle } from './revisions.ts';
import { Revisions } from './revisions.ts';
import { ServerLease } from './server-lease.ts';
import { ServerRegister } from './server-register.ts';

/** What really happened at the store, whatever anybody heard of it. `identity`: who wrote. */
export interface ServerObserver {
  leaseWritten?(identity: string, write: LeaseWrite, result: LeaseWriteResult): void;
  /** `before`: the entries that the write names, as they were. Only committed writes. */
  registerWritten?(
    identity: string,
    write: ContainerWrite,
    before: ReadonlyMap<string, LeaderInformation | null>,
    result: ContainerWriteResult,
  ): void;
}

/** How the server is doing. `silent`: it takes requests and answers nothing; `refusing`: it says that it is not ready. */
export type Health = 'well' | 'refusing' | 'silent';

export interface ElectionAtServer {
  readonly lease: ServerLease;
  readonly register: ServerRegister;
}

/** The one server that all participants of a simulated world talk to. It obeys the ports' contracts at all times. */
export class Server {
  readonly #style: RevisionStyle;
  readonly #elections = new Map<string, ElectionAtServer>();
  readonly #connected = new Set<() => void>();
  health: Health = 'well';
  observer: ServerObserver = {};

  constructor(style: RevisionStyle = 'own') {
    this.#style = style;
  }

  election(name: string): ElectionAtServer {
    const known = this.#elections.get(name);
    if (known !== undefined) return known;
    const revisions = new Revisions(this.#style);
    const made = { lease: new ServerLease(revisions), register: new ServerRegister(revisions) };
    this.#elections.set(name, made);
    return made;
  }

  writeLease(election: string, identity: string, write: LeaseWrite, at: string): LeaseWriteResult {
    const result = this.election(election).lease.write(write, at);
    this.observer.leaseWritten?.(identity, write, result);
    return result;
  }

  writeRegister(election: string, identity: string, write: ContainerWrite): ContainerWriteResult {
    const { register } = this.election(election);
    const named = [...write.puts.keys(), ...write.withdrawals.keys()];
    const before = new Map(named.map((key) => [key, register.entry(key)]));
    const result = register.write(write);
    this.observer.registerWritten?.(identity, write, before, result);
    return result;
  }

  /** Called when the server has come back and forgotten its connections. Returns the function that ends that. */
  onRestart(reconnect: () => void): () => void {
    this.#connected.add(reconnect);
    return () => this.#connected.delete(reconnect);
  }

  restart(): void {
    this.health = 'well';
    for (const reconnect of [...this.#connected]) reconnect();
  }
}
