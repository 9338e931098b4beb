import type { Clock } from '../ports/clock.ts';
import type { CallOptions } from '../ports/lease-store.ts';

export const callKinds = [
  'lease.read',
  'lease.acquire',
  'lease.renew',
  'lease.release',
  'lease.request-step-down',
  'container.read',
  'container.write',
] as const;
export type CallKind = (typeof callKinds)[number];

export const faultKinds = [
  'hold',
  'refuse',
  'too-large',
  'drop',
  'lose-answer',
  'slow-answer',
  'delay',
  'throw',
  'hang',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  readonly kind: FaultKind;
  /** For `delay` how long the call is on its way to the store, for `slow-answer` how long the answer is on its way back. */
  readonly delayMs?: number;
  /** How many calls it strikes; all of them until it is cleared when left out. */
  readonly times?: number;
}

/** The three ways of answering that a port has, beside the store's own answer. */
export interface Answers<T> {
  readonly refused: (reason: 'unavailable' | 'too-large') => T;
  readonly unknown: () => T;
}

interface Held {
  readonly kind: CallKind;
  readonly send: () => void;
}

/**
 * What goes wrong between one participant and the store, as a story or a simulator decides it:
 *
 * | fault         | the store | the caller hears                                            |
 * | ------------- | --------- | ----------------------------------------------------------- |
 * | `hold`        | applies it once released | its answer then; `unknown` if its time-out ran out first |
 * | `delay`       | applies it after the delay | the same                                  |
 * | `refuse`      | untouched | refused: unavailable                                        |
 * | `too-large`   | untouched | refused: too large                                          |
 * | `drop`        | untouched | `unknown`                                                   |
 * | `lose-answer` | applies it | `unknown`                                                  |
 * | `slow-answer` | applies it at once | its answer after the delay; `unknown` if its time-out ran out first |
 * | `throw`       | untouched | an exception: the port breaks its contract                  |
 * | `hang`        | untouched | nothing, ever: the port breaks its contract                 |
 *
 * Cut off: every call is refused and no news arrives. Frozen: the machine sleeps, nothing gets in or out.
 */
export class Faults {
  readonly #clock: Clock;
  readonly #active = new Map<CallKind, { fault: Fault; left: number }>();
  readonly #held = new Set<Held>();
  readonly #wake = new Set<() => void>();
  readonly #closers = new Set<() => void>();
  #isCut = false;
  #isFrozen = false;
  /** Called when news may flow again: after a reconnection (`anew`) or a thaw. */
  onNews: ((how: 'anew' | 'go-on') => void)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get isCut(): boolean {
    return this.#isCut;
  }
  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  set(kind: CallKind, fault: Fault): void {
    this.#active.set(kind, { fault, left: fault.times ?? Number.POSITIVE_INFINITY });
  }

  clear(kind?: CallKind): void {
    if (kind === undefined) this.#active.clear();
    else this.#active.delete(kind);
  }

  /** Held calls reach the store now, in the order in which they were made. */
  release(kind?: CallKind): void {
    for (const held of [...this.#held]) {
      if (kind !== undefined && held.kind !== kind) continue;
      this.#held.delete(held);
      held.send();
    }
  }

  cutOff(): void {
    this.#isCut = true;
  }

  reconnect(): void {
    if (!this.#isCut) return;
    this.#isCut = false;
    for (const tell of this.onNews) tell('anew');
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const wake of [...this.#wake]) wake();
    this.#wake.clear();
    for (const tell of this.onNews) tell('go-on');
  }

  /** Answers what is still open, so that nothing waits for a participant that has gone. */
  close(): void {
    for (const close of [...this.#closers]) close();
  }

  async call<T>(kind: CallKind, options: CallOptions, run: () => Promise<T>, answers: Answers<T>): Promise<T> {
    const answer = await this.#struck(kind, options, run, answers);
    if (this.#isFrozen) await new Promise<void>((resolve) => this.#wake.add(resolve));
    return answer;
  }

  #take(kind: CallKind): Fault | null {
    const active = this.#active.get(kind);
    if (active === undefined) return null;
    active.left -= 1;
    if (active.left <= 0) this.#active.delete(kind);
    return active.fault;
  }

  async #struck<T>(
    kind: CallKind,
    options: CallOptions,
    run: () => Promise<T>,
    { refused, unknown }: Answers<T>,
  ): Promise<T> {
    if (this.#isCut) return refused('unavailable');
    const fault = this.#take(kind);
    switch (fault?.kind) {
      case undefined:
        return run();
      case 'refuse':
        return refused('unavailable');
      case 'too-large':
        return refused('too-large');
      case 'drop':
        return unknown();
      case 'lose-answer':
        await run();
        return unknown();
      case 'throw':
        throw new Error(`the port threw at ${kind}`);
      case 'hang':
        return new Promise<T>(() => {});
      case 'hold':
      case 'delay':
        return this.#onItsWay(kind, fault, options, run, unknown);
      case 'slow-answer': {
        const answer = run();
        return this.#onItsWay(kind, fault, options, () => answer, unknown);
      }
    }
  }

  /** The call has left and has not arrived. The caller stops waiting at its time-out; the call may still arrive. */
  #onItsWay<T>(
    kind: CallKind,
    { delayMs }: Fault,
    { timeoutMs }: CallOptions,
    run: () => Promise<T>,
    unknown: () => T,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const answer = (value: T): void => {
        cancel();
        this.#closers.delete(giveUp);
        resolve(value);
      };
      const giveUp = (): void => answer(unknown());
      const cancel = this.#clock.setTimer(timeoutMs, giveUp);
      this.#closers.add(giveUp);
      const send = (): void => void run().then(answer, reject);
      if (delayMs === undefined) this.#held.add({ kind, send });
      else this.#clock.setTimer(delayMs, send);
    });
  }
}
