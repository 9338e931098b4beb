import type { ActorRefFrom, SnapshotFrom } from 'xstate';
import { leadershipMachine } from '../../machines/leadership.ts';
import type { LeadershipPolicy } from '../../machines/leadership-context.ts';
import type { Clock } from '../ports/clock.ts';
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
  /** Of the contender that stood for this component before. */
  readonly lastAttempt?: number;
  readonly policy: Partial<LeadershipPolicy> & Pick<LeadershipPolicy, 'stopBoundMs'>;
  readonly clock: Clock;
  readonly desk: ContenderDesk;
  readonly onUndeclared: HostOptions<typeof leadershipMachine>['onUndeclared'];
  readonly onActorFailed: (error: unknown) => void;
  /** The contender of a failed actor has not settled within its bound. */
  readonly onOverstayed: (sessionId: string) => void;
  /** `outlivedBy`: the function has overstayed and still runs; settles once it does not any more. */
  readonly onClosed: (leading: LeadingHandle, outlivedBy: Promise<void> | null) => void;
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
  readonly #closeAsked: Promise<void>;
  #askClose: () => void = () => {};
  #cancelBound: () => void = () => {};
  #isClosing = false;
  #isClosed = false;

  constructor(wiring: LeadingWiring) {
    this.#wiring = wiring;
    this.component = wiring.component;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#closeAsked = new Promise((resolve) => {
      this.#askClose = resolve;
    });
    wiring.office.register(`contender:${wiring.component}`, wiring.desk);
    this.#host = this.#createHost(wiring.lastAttempt ?? 0);
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
      this.#askClose();
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
    this.#askClose();
    this.#cancelBound();
    this.#host.stop();
    this.#wiring.office.unregister(`contender:${this.component}`, this.#wiring.desk);
    this.#wiring.cancelTimers(this.#host.address);
    this.#channel.end();
    this.#wiring.onClosed(this, this.#outlive());
    this.#resolveClosed();
  }

  /**
   * An overstayer that settles after all: the election may give the lock back again. Until then it counts as running,
   * although its component has been closed.
   */
  #outlive(): Promise<void> | null {
    const still = this.#wiring.desk.stillRunning();
    if (still === null) return null;
    return still.settled.then(() => {
      for (const sessionId of still.sessionIds) {
        this.#tellElection({ type: 'component.drained', sessionId, overstayed: true });
      }
    });
  }

  /** Ends what runs without asking the machine: the tenure itself has failed. */
  giveUp(): Promise<void> {
    const settled = this.#wiring.desk.giveUp();
    this.end();
    return settled;
  }

  /** The newest attempt of its actor: the next one of this component has to count on from there. */
  get lastAttempt(): number {
    return this.#host.snapshot.context.attempt;
  }

  #createHost(attempt: number): HostedActor<typeof leadershipMachine> {
    const { office, component, policy, onUndeclared } = this.#wiring;
    return new HostedActor({
      office,
      address: `leadership:${component}`,
      machine: leadershipMachine,
      input: { component, policy, attempt },
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
    if (!isSame) this.#show(state);
  }

  #show(state: LeadershipState): void {
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
    const { component, desk, onActorFailed, onOverstayed } = this.#wiring;
    onActorFailed(error);
    this.#host.stop();
    this.#wiring.cancelTimers(this.#host.address);
    const given = describeState(component, last);
    if (given.sessionId !== null) this.#show({ ...given, phase: 'revoked', state: 'revoked', suspended: false });
    const { session, next } = last.context;
    if (next !== null) this.#tellElection({ type: 'component.drained', sessionId: next.id, overstayed: false });
    let { overstayed } = last.context;
    let isSettled = false;
    const settled = desk.giveUp().then(() => {
      isSettled = true;
    });
    await this.#withinStopBound(settled);
    if (!isSettled && session !== null) {
      if (!overstayed) this.#tellElection({ type: 'component.overstayed', sessionId: session.id });
      overstayed = true;
      onOverstayed(session.id);
      await Promise.race([settled, this.#closeAsked]);
    }
    if (this.#isClosed) return;
    if (isSettled && session !== null) {
      this.#tellElection({ type: 'component.drained', sessionId: session.id, overstayed });
    }
    this.#tellElection({ type: 'component.left' });
    if (this.#isClosing) {
      this.end();
      return;
    }
    this.#host = this.#createHost(last.context.attempt);
    this.#step(this.#host.snapshot);
    this.#host.start();
  }

  #tellElection(message: { readonly type: string; readonly sessionId?: string; readonly overstayed?: boolean }): void {
    const { office, component } = this.#wiring;
    office.post(this.#host.address, 'election', { ...message, component } as { type: string });
  }

  #withinStopBound(settled: Promise<void>): Promise<void> {
    const { clock, policy } = this.#wiring;
    return new Promise((resolve) => {
      this.#cancelBound = clock.setTimer(policy.stopBoundMs, resolve);
      void settled.then(() => {
        this.#cancelBound();
        resolve();
      });
    });
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
