import type { Clock } from '../../ports/clock.ts';
import type { Answers, CallKind, FaultKind } from '../faults.ts';
import type { MachineClock } from '../machine-clock.ts';
import type { Server } from './server.ts';

/** What can strike one call, as the table in `src/simulation/faults.ts` has it; nothing that breaks the port's contract. */
export type StrikeFault = Exclude<FaultKind, 'hold' | 'throw' | 'hang'>;

export interface Strike {
  readonly fault: StrikeFault;
  /** Which calls: all, or those whose kind begins with this. */
  readonly calls: string;
  readonly delayMs: number;
  times: number;
}

export interface Cut {
  readonly way: 'both' | 'to' | 'from';
  /** Requests wait in the network and arrive once the way is free again: the delayed write of a deposed leader. */
  readonly holds: boolean;
}

export interface LinkOptions {
  readonly world: Clock;
  readonly clock: MachineClock;
  readonly server: Server;
  /** Of one way, in milliseconds of the world. */
  readonly latencyMs: () => number;
  /** A fault has happened, by its name; for the count. */
  readonly onFault?: (fault: string) => void;
}

/** Everything between one participant and the server. What is under way goes on when the participant is dead. */
export class Link {
  readonly world: Clock;
  readonly clock: MachineClock;
  readonly server: Server;
  readonly latencyMs: () => number;
  readonly onFault: (fault: string) => void;
  readonly #strikes: Strike[] = [];
  readonly #open = new Set<() => void>();
  readonly #reconnect = new Set<() => void>();
  #waiting: (() => void)[] = [];
  #held: (() => void)[] = [];
  #cut: Cut | null = null;

  constructor({ world, clock, server, latencyMs, onFault = () => {} }: LinkOptions) {
    this.world = world;
    this.clock = clock;
    this.server = server;
    this.latencyMs = latencyMs;
    this.onFault = onFault;
  }

  get losesRequests(): boolean {
    return this.#cut !== null && this.#cut.way !== 'from';
  }
  get losesAnswers(): boolean {
    return this.#cut !== null && this.#cut.way !== 'to';
  }
  get isCut(): boolean {
    return this.#cut !== null;
  }

  strike(strike: Strike): void {
    this.#strikes.push(strike);
  }

  cutOff(cut: Cut): void {
    this.#cut = cut;
  }

  heal(): void {
    if (this.#cut === null) return;
    this.#cut = null;
    const held = this.#held;
    this.#held = [];
    for (const arrive of held) arrive();
    for (const reconnect of [...this.#reconnect]) reconnect();
  }

  /** All faults are over. */
  calm(): void {
    this.#strikes.length = 0;
    this.heal();
  }

  /** Called when connections must be made anew. Returns the function that ends that. */
  onReconnect(reconnect: () => void): () => void {
    this.#reconnect.add(reconnect);
    const forget = this.server.onRestart(reconnect);
    return () => {
      this.#reconnect.delete(reconnect);
      forget();
    };
  }

  /** Something reaches the process: now, once it runs again, or never. */
  receive(run: () => void): void {
    if (this.clock.isStopped) return;
    if (this.clock.isFrozen || this.clock.isAsleep) this.#waiting.push(run);
    else run();
  }

  /** The process runs again. What waits for it comes behind or before its own timers, each in a turn of its own. */
  resume(timersFirst: boolean, start: () => void): void {
    if (timersFirst) start();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) this.world.setTimer(0, () => this.receive(run));
    if (!timersFirst) start();
  }

  call<T>(kind: CallKind, timeoutMs: number, apply: () => T, answers: Answers<T>): Promise<T> {
    const strike = this.#take(kind);
    return new Promise<T>((resolve) => {
      const trip = new Trip(this, timeoutMs, answers.unknown, resolve, this.#open);
      this.#send(trip, strike, apply, answers);
    });
  }

  /** Answers what is still open, so that nothing waits for a participant that has gone. */
  close(): void {
    for (const giveUp of [...this.#open]) giveUp();
  }

  #take(kind: CallKind): Strike | null {
    const index = this.#strikes.findIndex(({ calls }) => kind.startsWith(calls));
    const strike = this.#strikes[index];
    if (strike === undefined) return null;
    strike.times -= 1;
    if (strike.times <= 0) this.#strikes.splice(index, 1);
    this.onFault(strike.fault);
    return strike;
  }

  #send<T>(trip: Trip<T>, strike: Strike | null, apply: () => T, { refused }: Answers<T>): void {
    const fault = strike?.fault;
    if (fault === 'refuse' || fault === 'too-large') {
      trip.back(this.latencyMs(), refused(fault === 'refuse' ? 'unavailable' : 'too-large'));
      return;
    }
    const arrive = (): void => {
      if (this.server.health === 'refusing') trip.back(this.latencyMs(), refused('unavailable'));
      else if (this.server.health === 'silent') trip.isLost();
      else this.#applied(trip, strike, apply());
    };
    if (fault === 'drop') trip.isLost();
    else if (this.losesRequests) {
      trip.isLost();
      if (this.#cut?.holds === true) this.#held.push(arrive);
    } else {
      const delayMs = fault === 'delay' ? (strike?.delayMs ?? 0) : 0;
      if (delayMs > 0) trip.isLost();
      this.world.setTimer(this.latencyMs() + delayMs, arrive);
    }
  }

  #applied<T>(trip: Trip<T>, strike: Strike | null, answer: T): void {
    if (strike?.fault === 'lose-answer' || this.losesAnswers) trip.isLost();
    else trip.back(this.latencyMs() + (strike?.fault === 'slow-answer' ? strike.delayMs : 0), answer);
  }
}

/** One call: its answer, or its time-out on the caller's clock, whichever the caller meets first. */
class Trip<T> {
  readonly #link: Link;
  readonly #sentAtMs: number;
  readonly #timeoutMs: number;
  readonly #unknown: () => T;
  readonly #resolve: (answer: T) => void;
  readonly #open: Set<() => void>;
  #cancel: (() => void) | null = null;
  readonly giveUp = (): void => {
    if (this.#open.has(this.giveUp)) this.#link.onFault('unknown');
    this.#settle(this.#unknown());
  };

  constructor(link: Link, timeoutMs: number, unknown: () => T, resolve: (answer: T) => void, open: Set<() => void>) {
    this.#link = link;
    this.#sentAtMs = link.clock.nowMs();
    this.#timeoutMs = timeoutMs;
    this.#unknown = unknown;
    this.#resolve = resolve;
    this.#open = open;
    open.add(this.giveUp);
  }

  /** The answer may come late or never: from now on the caller's time-out matters. */
  isLost(): void {
    if (this.#cancel !== null || !this.#open.has(this.giveUp)) return;
    const left = this.#timeoutMs - (this.#link.clock.nowMs() - this.#sentAtMs);
    this.#cancel = this.#link.clock.setTimer(Math.max(0, left), this.giveUp);
  }

  back(afterMs: number, answer: T): void {
    if (afterMs >= this.#timeoutMs / 2) this.isLost();
    this.#link.world.setTimer(afterMs, () => {
      if (this.#link.losesAnswers) this.isLost();
      else this.#link.receive(() => this.#settle(answer));
    });
  }

  #settle(answer: T): void {
    if (!this.#open.delete(this.giveUp)) return;
    this.#cancel?.();
    this.#resolve(answer);
  }
}
