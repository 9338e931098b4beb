import type { SnapshotFrom } from 'xstate';
import { retrievalMachine } from '../../machines/retrieval.ts';
import type { LeaderInformation } from '../../machines/vocabulary.ts';
import type { HostOptions } from './actor-host.ts';
import { HostedActor, stateText } from './actor-host.ts';
import type { Following, Leader } from './api.ts';
import type { PostOffice, Recipient } from './post-office.ts';
import type { Channel } from './stream.ts';
import { createStream, NOTHING_YET, Stream } from './stream.ts';

export interface RetrievalWiring {
  readonly office: PostOffice;
  readonly component: string;
  readonly onUndeclared: HostOptions<typeof retrievalMachine>['onUndeclared'];
  readonly onActorFailed: (error: unknown) => void;
  /** The last follower has gone. */
  readonly onUnused: () => void;
}

/** The retrieval actor of one component, shared by all who follow it in this process. */
export class Retrieval implements Recipient {
  readonly #wiring: RetrievalWiring;
  readonly #followers = new Set<FollowingHandle>();
  readonly #host: HostedActor<typeof retrievalMachine>;
  #current: Leader | null | typeof NOTHING_YET = NOTHING_YET;

  constructor(wiring: RetrievalWiring) {
    this.#wiring = wiring;
    const { office, component, onUndeclared, onActorFailed } = wiring;
    this.#host = new HostedActor({
      office,
      address: `retrieval:${component}`,
      machine: retrievalMachine,
      input: { component },
      onUndeclared,
      onFailure: onActorFailed,
    });
    office.register(`follower:${component}`, this);
    this.#host.start();
  }

  get snapshot(): SnapshotFrom<typeof retrievalMachine> {
    return this.#host.snapshot;
  }

  deliver(message: { readonly leader: LeaderInformation | null }): void {
    const { component } = this.#wiring;
    this.#current = message.leader === null ? null : Object.freeze({ ...message.leader, component });
    for (const follower of [...this.#followers]) follower.push(this.#current);
  }

  follow(): FollowingHandle {
    const following = new FollowingHandle(this.#wiring.component, this, this.#current);
    this.#followers.add(following);
    return following;
  }

  leave(following: FollowingHandle): void {
    this.#followers.delete(following);
    if (this.#followers.size === 0) this.end();
  }

  /** Ends the streams of all followers. */
  end(): void {
    for (const follower of [...this.#followers]) follower.finish();
    this.#followers.clear();
    this.#host.stop();
    this.#wiring.office.unregister(`follower:${this.#wiring.component}`, this);
    this.#wiring.onUnused();
  }
}

export class FollowingHandle extends Stream<Leader | null> implements Following {
  readonly component: string;
  readonly #retrieval: Retrieval;
  readonly #channel: Channel<Leader | null>;
  #current: Leader | null = null;
  #isClosed = false;

  constructor(component: string, retrieval: Retrieval, current: Leader | null | typeof NOTHING_YET) {
    const channel = createStream<Leader | null>(current, true);
    super((push, end) => {
      const subscription = channel.stream.subscribe({ next: push, complete: end });
      return () => subscription.unsubscribe();
    }, true);
    this.component = component;
    this.#retrieval = retrieval;
    this.#channel = channel;
    this.#current = current === NOTHING_YET ? null : current;
  }

  get current(): Leader | null {
    return this.#current;
  }

  get state(): Following['state'] {
    const state = stateText(this.#retrieval.snapshot.value);
    return state === 'closed' ? 'unknown' : (state as Following['state']);
  }

  get supersededBy(): bigint | null {
    return this.state === 'superseded' ? this.#retrieval.snapshot.context.highest : null;
  }

  push(leader: Leader | null): void {
    this.#current = leader;
    this.#channel.push(leader);
  }

  finish(): void {
    this.#isClosed = true;
    this.#channel.end();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.finish();
    this.#retrieval.leave(this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
