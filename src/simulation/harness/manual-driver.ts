import type { AnyMachineSnapshot } from 'xstate';
import type { LeadershipCommand } from '../../../machines/leadership-messages.ts';
import type { RevokeReason, Session } from '../../../machines/vocabulary.ts';
import { type TenureError, toTenureError } from '../../errors.ts';
import { HostedActor } from '../../runtime/actor-host.ts';
import type { LeadOptions } from '../../runtime/api.ts';
import { ContenderDesk } from '../../runtime/contender-desk.ts';
import type { ValidityView } from '../../runtime/leader-session.ts';
import { LeadingHandle } from '../../runtime/leading.ts';
import type { Letter, Message, Recipient, Tap } from '../../runtime/post-office.ts';
import { DEFAULT_TIMING, validitySpanMs } from '../../runtime/timing.ts';
import { HandClock } from './hand-clock.ts';
import { HandStore } from './hand-store.ts';
import { HoldingOffice } from './holding-office.ts';
import type { Time } from './time.ts';
import { effectiveTransition, transitionName } from './transitions.ts';
import type { ContenderWatch } from './watch.ts';

export interface DriverOptions {
  readonly component: string;
  readonly time: Time;
  readonly watch: ContenderWatch;
  readonly stopBoundMs: number;
  readonly onFailure: NonNullable<LeadOptions['onFailure']>;
  readonly say: (line: string) => void;
  /** Every transition that the leadership takes, in order. */
  readonly onTransition: (name: string) => void;
}

/**
 * Everything around the leadership of one component, by hand: the election, the register and the clock speak only when
 * told to. The leadership itself, the desk that runs the contender and the session that it gets are those of the runtime.
 */
export class ManualDriver implements Tap {
  readonly office: HoldingOffice;
  readonly clock: HandClock;
  readonly store: HandStore;
  readonly leading: LeadingHandle;
  /** The leadership itself has failed: no contender can do that. */
  fault: TenureError | null = null;
  readonly #o: DriverOptions;
  /** The session that the election has granted and not taken back, and until when it is valid. */
  #granted: { readonly session: Session; deadlineMs: number | null } | null = null;
  #standing = false;
  #seq = 0;

  constructor(options: DriverOptions) {
    this.#o = options;
    const { component, time, say } = options;
    this.office = new HoldingOffice((error) => this.#fail(error));
    this.office.tap = this;
    this.clock = new HandClock(this.office, time.clock);
    this.store = new HandStore(this.office, component, say);
    this.leading = this.#lead();
    this.office.register('clock', this.clock);
    this.office.register('register', this.store);
    this.office.register('election', { deliver: (said: LeadershipCommand) => this.#hear(said) });
    this.office.register('tenure', { deliver: () => this.leading.end() });
    this.office.register('observer', { deliver: () => {} });
    this.leading.start();
  }

  get address(): string {
    return `leadership:${this.#o.component}`;
  }

  /** Whether the component stands in the election: while it rests or has left, it is granted nothing. */
  get isStanding(): boolean {
    return this.#standing;
  }

  get granted(): Session | null {
    return this.#granted?.session ?? null;
  }

  grant(session: Session): void {
    this.#granted = { session, deadlineMs: null };
    this.#post('election', { type: 'granted', session });
  }

  revoke(sessionId: string, reason: RevokeReason): void {
    if (this.#granted?.session.id === sessionId) this.#granted = null;
    this.#post('election', { type: 'revoked', sessionId, reason });
  }

  /** From now on the deadline stands still; it moves with each renewal otherwise. */
  suspend(sessionId: string): void {
    if (this.#granted !== null) this.#granted.deadlineMs = this.#newDeadlineMs();
    this.#post('election', { type: 'suspended', sessionId });
  }

  resume(sessionId: string): void {
    if (this.#granted !== null) this.#granted.deadlineMs = null;
    this.#post('election', { type: 'resumed', sessionId });
  }

  get remainingMs(): number | null {
    const { deadlineMs } = this.#granted ?? { deadlineMs: null };
    return deadlineMs === null ? null : deadlineMs - this.#o.time.clock.deadlineNowMs();
  }

  /** A message as it is, from whoever sends such messages. */
  post(from: string, message: Message): void {
    this.office.post(from, this.address, message);
  }

  before({ to, message }: Letter, recipient: Recipient | null): number {
    this.#seq += 1;
    if (recipient instanceof HostedActor && to === this.address) {
      const taken = effectiveTransition(recipient.snapshot as AnyMachineSnapshot, message);
      if (taken !== null) this.#o.onTransition(transitionName(taken));
    }
    if (message.type === 'contender.stop') {
      const { sessionId, reason } = message as Extract<LeadershipCommand, { type: 'contender.stop' }>;
      this.#o.say(`leadership tells the contender to stop: ${reason} (${sessionId})`);
      this.#o.watch.toldToStop(sessionId, reason);
    }
    return this.#seq;
  }

  after(): void {}

  #post(from: string, message: { readonly type: string; readonly [field: string]: unknown }): void {
    this.office.post(from, this.address, message);
  }

  #hear(said: LeadershipCommand): void {
    if (said.type === 'component.joined') this.#standing = true;
    if (said.type === 'component.left') this.#standing = false;
    // The election gives a session up as soon as one component says that a newer one has been seen.
    if (said.type === 'session.fenced' && this.#granted?.session.id === said.sessionId) this.#granted = null;
  }

  #fail(what: unknown): void {
    this.fault ??= toTenureError(what, 'actor-failed', { component: this.#o.component });
  }

  #newDeadlineMs(): number {
    return this.#o.time.clock.deadlineNowMs() + validitySpanMs(DEFAULT_TIMING);
  }

  #lead(): LeadingHandle {
    const { component, time, watch, stopBoundMs, onFailure } = this.#o;
    const { office, clock } = this;
    const validity: ValidityView = {
      deadlineOf: (sessionId) =>
        this.#granted?.session.id === sessionId
          ? (this.#granted.deadlineMs ?? this.#newDeadlineMs())
          : Number.NEGATIVE_INFINITY,
      check: () => {},
    };
    const desk = new ContenderDesk({
      office,
      component,
      contender: watch.run,
      wiring: {
        clock: time.clock,
        validity,
        onListenerFailed: (thrown, sessionId) => watch.listenerFailed(sessionId, thrown),
      },
      onFailed: (error, sessionId) => watch.failed(sessionId, error),
    });
    return new LeadingHandle({
      office,
      component,
      policy: { stopBoundMs, onFailure },
      clock: time.clock,
      desk,
      onUndeclared: (_address, _snapshot, { type }) => this.#fail(`the leadership does not declare ${type}`),
      onActorFailed: (error) => this.#fail(error),
      onOverstayed: () => {},
      onClosed: () => {},
      cancelTimers: () => clock.cancelAll(),
    });
  }
}
