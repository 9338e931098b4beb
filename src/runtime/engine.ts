import type { AnyMachineSnapshot, EventObject } from 'xstate';
import { containerMachine } from '../../machines/container.ts';
import { electionMachine } from '../../machines/election.ts';
import { leaseMachine } from '../../machines/lease.ts';
import type { LeaseView } from '../../machines/lease-messages.ts';
import { validityMachine } from '../../machines/validity.ts';
import { toTenureError } from '../errors.ts';
import type { OpenBackend } from '../ports/backend.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { HostedActor, stateText } from './actor-host.ts';
import type { Finding, TenureOptions } from './api.ts';
import { ClockDesk } from './clock-desk.ts';
import type { ValidityView } from './leader-session.ts';
import { PostOffice } from './post-office.ts';
import { RegisterFeed } from './register-feed.ts';
import { StoreDesk } from './store-desk.ts';
import { lookMs, type Timing } from './timing.ts';
import { Tracer } from './tracer.ts';

/** How often a release is tried before the lease is left to run out. */
const RELEASE_TRIES = 3;

export interface EngineOptions {
  readonly options: TenureOptions;
  readonly timing: Timing;
  readonly identity: string;
  readonly backend: OpenBackend;
  readonly clock: Clock;
  readonly random: Random;
}

/** The actors that one election needs, wired to the ports of its backend. Decides nothing: it connects. */
export class Engine {
  readonly options: TenureOptions;
  readonly timing: Timing;
  readonly identity: string;
  readonly backend: OpenBackend;
  readonly clock: Clock;
  readonly office: PostOffice;
  readonly clockDesk: ClockDesk;
  readonly feed: RegisterFeed;
  readonly election: HostedActor<typeof electionMachine>;
  readonly validity: ValidityView;
  /** After each step of the election or of its validity. */
  onStep: () => void = () => {};
  onFailure: (error: unknown, actor: string) => void = () => {};
  readonly #store: StoreDesk;
  readonly #hosts: HostedActor<never>[] = [];
  #deadlineMs: () => number = () => Number.POSITIVE_INFINITY;
  #stopWatchingLease: (() => void) | null = null;

  constructor({ options, timing, identity, backend, clock, random }: EngineOptions) {
    this.options = options;
    this.timing = timing;
    this.identity = identity;
    this.backend = backend;
    this.clock = clock;
    this.office = new PostOffice((error, letter) =>
      this.tell({
        code: 'actor-failed',
        component: null,
        sessionId: null,
        detail: `${letter.to} could not handle ${letter.message.type}`,
        error: toTenureError(error, 'actor-failed'),
      }),
    );
    if (options.trace !== undefined) this.office.tap = new Tracer(options.trace, clock, identity);
    this.clockDesk = new ClockDesk(this.office, clock, random, lookMs(timing));
    this.office.register('clock', this.clockDesk);
    const { leaseDurationMs, callTimeoutMs } = timing;
    this.#store = new StoreDesk({
      office: this.office,
      lease: backend.lease,
      register: backend.register,
      clock,
      random,
      identity,
      leaseDurationMs,
      callTimeoutMs,
      onAnswer: () => this.#noticeDeadline(),
      onRegisterWrite: ({ puts, withdrawals }) => this.feed.wrote(puts, withdrawals),
      onTrouble: (detail, cause) => {
        const error = toTenureError(cause ?? detail, 'backend-unavailable', { outcome: 'unknown' });
        this.tell({ code: 'backend-unavailable', component: null, sessionId: null, detail, error });
      },
    });
    this.office.register('store', this.#store);
    this.feed = new RegisterFeed(this.office, backend.register);
    this.election = this.#host('election', electionMachine, undefined, () => this.onStep());
    this.validity = this.#hostValidity();
    this.#host('register', containerMachine, {});
    this.#hostLease();
  }

  /** Watches lease and register from the first contender on. Idempotent. */
  startWatching(): void {
    this.feed.start();
    this.#stopWatchingLease ??= this.backend.lease.watch((record) =>
      this.office.post('store', 'driver', {
        type: 'record.seen',
        record: record satisfies LeaseView | null,
        nowMs: this.clock.nowMs(),
      } as { type: string }),
    );
  }

  async close(): Promise<void> {
    this.feed.stop();
    this.#stopWatchingLease?.();
    this.#stopWatchingLease = () => {};
    this.#store.close();
    this.clockDesk.cancelAll();
    for (const host of this.#hosts) host.stop();
    await this.backend.close();
  }

  tell(finding: Finding): void {
    try {
      this.options.onFinding?.(finding);
    } catch {
      // A listener that throws must not disturb the election; it has nobody else to tell.
    }
  }

  tellActorFailed(actor: string, error: unknown): void {
    const component = actor.includes(':') ? actor.slice(actor.indexOf(':') + 1) : null;
    const detail = `the ${actor} actor failed and its leadership is given up`;
    this.tell({
      code: 'actor-failed',
      component,
      sessionId: null,
      detail,
      error: toTenureError(error, 'actor-failed'),
    });
  }

  readonly onUndeclared = (address: string, snapshot: AnyMachineSnapshot, event: EventObject): void => {
    const detail = `${address} in ${stateText(snapshot.value)} does not declare ${event.type}`;
    this.tell({ code: 'undeclared-message', component: null, sessionId: null, detail, error: null });
  };

  #host<M extends typeof electionMachine | typeof containerMachine | typeof leaseMachine | typeof validityMachine>(
    address: string,
    machine: M,
    input: unknown,
    onStep: () => void = () => {},
  ): HostedActor<M> {
    const host = new HostedActor<M>({
      office: this.office,
      address,
      machine,
      input: input as never,
      onUndeclared: this.onUndeclared,
      onFailure: (error) => this.onFailure(error, address),
      onStep,
    });
    this.#hosts.push(host as never);
    return host.start();
  }

  /**
   * A process that stood still may hear the answers of the store before its own timers fire. Its deadline takes effect
   * first: what says that a newer session has begun is then no riddle, but what had to be expected.
   */
  #noticeDeadline(): void {
    const nowMs = this.clock.deadlineNowMs();
    if (this.#deadlineMs() <= nowMs) this.validity.check(nowMs);
  }

  #hostValidity(): ValidityView {
    const { leaseDurationMs, marginMs } = this.timing;
    const host = this.#host('validity', validityMachine, { leaseDurationMs, marginMs }, () => this.onStep());
    this.#deadlineMs = () => {
      const { sessionId, deadlineMs } = host.snapshot.context;
      return sessionId === '' ? Number.POSITIVE_INFINITY : deadlineMs;
    };
    return {
      deadlineOf: (sessionId) => {
        const { context } = host.snapshot;
        return context.sessionId === sessionId ? context.deadlineMs : Number.NEGATIVE_INFINITY;
      },
      check: (nowMs) => this.office.post('clock', 'validity', { type: 'validity.check', nowMs } as { type: string }),
    };
  }

  #hostLease(): void {
    const { leaseDurationMs, marginMs, renewMs, callTimeoutMs } = this.timing;
    this.#host('driver', leaseMachine, {
      identity: this.identity,
      leaseDurationMs,
      marginMs,
      renewMs,
      retryMs: Math.min(callTimeoutMs, renewMs) / 4,
      releaseTries: RELEASE_TRIES,
    });
  }
}
