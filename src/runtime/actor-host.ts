import type { Actor, AnyMachineSnapshot, AnyStateMachine, EventObject, InputFrom, SnapshotFrom } from 'xstate';
import { createActor } from 'xstate';
import { strict } from '../../machines/strict.ts';
import type { Message, PostOffice, Recipient } from './post-office.ts';

export interface HostOptions<M extends AnyStateMachine> {
  readonly office: PostOffice;
  readonly address: string;
  readonly machine: M;
  readonly input: InputFrom<M>;
  /** The actor broke an invariant and is dead; its last good snapshot is given. */
  readonly onFailure: (error: unknown, last: SnapshotFrom<M>) => void;
  readonly onUndeclared: (address: string, snapshot: AnyMachineSnapshot, event: EventObject) => void;
  /** After each committed step, before what it emitted is delivered. */
  readonly onStep?: (snapshot: SnapshotFrom<M>) => void;
}

/** One machine as a root actor behind an address. What it emits is posted; what is delivered to it is sent. */
export class HostedActor<M extends AnyStateMachine> implements Recipient {
  readonly actor: Actor<M>;
  readonly address: string;
  readonly #office: PostOffice;
  #stopped = false;

  constructor(options: HostOptions<M>) {
    const { office, address, machine, onFailure, onUndeclared, onStep } = options;
    this.#office = office;
    this.address = address;
    const wrapped = strict(machine, (snapshot, event) => onUndeclared(address, snapshot, event));
    this.actor = createActor(wrapped, { input: options.input } as never);
    let last = this.actor.getSnapshot();
    // Emitted only after the step has committed, and not at all if it threw: a transactional outbox.
    this.actor.on('*', (emitted: EventObject) =>
      office.post(address, (emitted as never as { to: string }).to, emitted),
    );
    this.actor.subscribe({
      next: (snapshot) => {
        if (snapshot === last) return;
        last = snapshot;
        onStep?.(snapshot);
      },
      // Nobody is there any more: what still comes is undeliverable, and the office answers a grant for it.
      complete: () => office.unregister(address, this),
      error: (error) => {
        if (!this.#stopped) onFailure(error, last);
      },
    });
  }

  start(): this {
    this.#office.register(this.address, this);
    this.#office.hold(() => this.actor.start());
    return this;
  }

  get snapshot(): SnapshotFrom<M> {
    return this.actor.getSnapshot();
  }

  deliver(message: Message): void {
    this.actor.send(message as never);
  }

  stop(): void {
    this.#stopped = true;
    this.#office.unregister(this.address, this);
    this.actor.stop();
  }
}

/** `confirm-pending.publishing` for `{ 'confirm-pending': 'publishing' }`. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  const [name, inner] = Object.entries(value as Record<string, unknown>)[0] ?? ['', ''];
  return `${name}.${stateText(inner)}`;
}
