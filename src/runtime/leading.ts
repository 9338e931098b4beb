import type { ActorRefFrom, SnapshotFrom } from 'xstate';
import { leadershipMachine } from '../../machines/leadership.ts';
import type { LeadershipPolicy } from '../../machines/leadership-context.ts';
import type { HostOptions } from './actor-host.ts';
import { HostedActor, stateText } from './actor-host.ts';
import type { LeadershipPhase, LeadershipState, Leading } from './api.ts';
import type { ContenderDesk } from './contender-desk.ts';
import type { PostOffice } from './post-office.ts';
import type { Channel, Stream } from './stream.ts';
import { createStream } from './stream.ts';

type Snapshot = SnapshotFrom<typeof leadershipMachine>;

const HISTORY = 64;

export interface LeadingWiring {
  readonly office: PostOffice;
  readonly component: string;
  readonly policy: Partial<LeadershipPolicy>;
  readonly desk: ContenderDesk;
  readonly onUndeclared: HostOptions<typeof leadershipMachine>['onUndeclared'];
  readonly onActorFailed: (error: unknown) => void;
  readonly onClosed: (leading: LeadingHandle) => void;
  readonly cancelTimers: (address: string) => void;
}

/** One registered contender: its statechart actor, its function's desk, and what the user sees of them. */
export class LeadingHandle implements Leading {
  readonly component: string;
  readonly closed: Promise<void>;
  readonly #wiring: LeadingWiring;
  readonly #channel: Channel<LeadershipState>;
  readonly #history: LeadershipState[] = [];
  #host: HostedActor<typeof leadershipMachine>;
  #resolveClosed: () => void = () => {};
  #isClosing = false;
  #isClosed = false;

  constructor(wiring: LeadingWiring) {
    this.#wiring = wiring;
    this.component = wiring.component;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    wiring.office.register(`contender:${wiring.component}`, wiring.desk);
    this.#host = this.#createHost();
    const initial = describeState(wiring.component, this.#host.snapshot);
    this.#history.push(initial);
    this.#channel = createStream<LeadershipState>(initial, false);
  }

  start(): this {
    this.#host.start();
    return this;
  }

  get state(): LeadershipState {
    return this.#history[this.#history.length - 1] ?? describeState(this.component, this.#host.snapshot);
  }

  get history(): readonly LeadershipState[] {
    return [...this.#history];
  }

  get states(): Stream<LeadershipState> {
    return this.#channel.stream;
  }

  get actor(): ActorRefFrom<typeof leadershipMachine> {
    return this.#host.actor;
  }

  close(): Promise<void> {
    if (!this.#isClosing) {
      this.#isClosing = true;
      this.#wiring.office.post('tenure', this.#host.address, { type: 'close' });
    }
    return this.closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The machine said `leadership.closed`, or the tenure gave up. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#host.stop();
    this.#wiring.office.unregister(`contender:${this.component}`, this.#wiring.desk);
    this.#wiring.cancelTimers(this.#host.address);
    this.#channel.end();
    this.#wiring.onClosed(this);
    this.#resolveClosed();
  }

  /** Ends what runs without asking the machine: the tenure itself has failed. */
  giveUp(): Promise<void> {
    const settled = this.#wiring.desk.giveUp();
    this.end();
    return settled;
  }

  #createHost(): HostedActor<typeof leadershipMachine> {
    const { office, component, policy, onUndeclared } = this.#wiring;
    return new HostedActor({
      office,
      address: `leadership:${component}`,
      machine: leadershipMachine,
      input: { component, policy },
      onUndeclared,
      onStep: (snapshot) => this.#step(snapshot),
      onFailure: (error, last) => void this.#restart(error, last),
    });
  }

  #step(snapshot: Snapshot): void {
    const state = describeState(this.component, snapshot);
    const before = this.state;
    const isSame =
      state.state === before.state && state.sessionId === before.sessionId && state.suspended === before.suspended;
    if (isSame) return;
    this.#history.push(state);
    if (this.#history.length > HISTORY) this.#history.shift();
    this.#channel.push(state);
  }

  /**
   * An actor in error has given its leadership up. Its contender is told to stop; only when that has settled does the
   * election hear that the grants are drained (else it could release the lock under running work), and only then does
   * a fresh actor stand by. Nothing is restored from the failed one.
   */
  async #restart(error: unknown, last: Snapshot): Promise<void> {
    const { office, component, desk, onActorFailed } = this.#wiring;
    onActorFailed(error);
    this.#host.stop();
    this.#wiring.cancelTimers(this.#host.address);
    await desk.giveUp();
    const { session, next, overstayed } = last.context;
    const post = (message: object): void => office.post(this.#host.address, 'election', message as { type: string });
    if (next !== null) {
      post({ type: 'component.drained', component, sessionId: next.id, overstayed: false });
    }
    if (session !== null) post({ type: 'component.drained', component, sessionId: session.id, overstayed });
    post({ type: 'component.left', component });
    if (this.#isClosing) {
      this.end();
      return;
    }
    this.#host = this.#createHost().start();
    this.#step(this.#host.snapshot);
  }
}

export function describeState(component: string, snapshot: Snapshot): LeadershipState {
  const state = stateText(snapshot.value);
  const { session, suspended } = snapshot.context;
  const phase = (state.split('.')[0] ?? state) as LeadershipPhase;
  const isOver = phase === 'standby' || phase === 'resting' || phase === 'closed';
  return {
    component,
    phase,
    state,
    sessionId: isOver ? null : (session?.id ?? null),
    fencingToken: isOver ? null : (session?.fencingToken ?? null),
    suspended: !isOver && phase !== 'revoked' && suspended,
  };
}
