import type { Backend, BackendContext, OpenBackend } from '../ports/backend.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { Bound } from './bound.ts';
import { type LeaseHand, leaseHand } from './lease-hand.ts';
import { type RegisterHand, registerHand } from './register-hand.ts';
import type { StoreUnderTest } from './store.ts';

/** One open handle of a participant, with every call bounded. */
export interface Hand {
  readonly lease: LeaseHand;
  readonly register: RegisterHand;
  readonly backend: OpenBackend;
  close(): Promise<void>;
}

export interface TrialOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly boundMs: number;
  readonly manyEntries: number;
  readonly protection: 'lease' | 'none';
}

export const ELECTION = 'billing';

/** One law on one store: opens handles on it, bounds every wait, and clears up. */
export class Trial {
  readonly store: StoreUnderTest;
  readonly bound: Bound;
  readonly manyEntries: number;
  /** As declared. */
  readonly protection: 'lease' | 'none';
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #opened: Hand[] = [];

  constructor(store: StoreUnderTest, { clock, random, boundMs, manyEntries, protection }: TrialOptions) {
    this.store = store;
    this.bound = new Bound(clock, boundMs);
    this.manyEntries = manyEntries;
    this.protection = protection;
    this.#clock = clock;
    this.#random = random;
  }

  /** Another participant's handle on the same store. */
  async open(options: { readonly election?: string; readonly identity?: string } = {}): Promise<Hand> {
    const { election = ELECTION, identity = `participant-${this.#opened.length + 1}` } = options;
    const backend = await this.bound.within(
      `open of election ${JSON.stringify(election)}`,
      this.store.backend.open(this.#context(election, identity)),
    );
    const hand: Hand = {
      lease: leaseHand(backend.lease, this.bound),
      register: registerHand(backend.register, this.bound),
      backend,
      close: () => this.bound.within('close to settle', backend.close()),
    };
    this.#opened.push(hand);
    return hand;
  }

  /** What opening this backend fails with. */
  async failureOf(backend: Backend): Promise<unknown> {
    const opening = backend.open(this.#context(ELECTION, 'participant-1')).then(
      async (opened) => {
        await opened.close();
        return 'opened';
      },
      (error: unknown) => error,
    );
    return this.bound.within('an open that fails', opening);
  }

  /** Two participants, which is what most laws need. */
  async two(): Promise<readonly [Hand, Hand]> {
    return [await this.open(), await this.open()];
  }

  #context(election: string, identity: string): BackendContext {
    return { election, identity, clock: this.#clock, random: this.#random };
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** A hook of the store under test. @throws when its capability was declared and the hook is not there */
  hook<Name extends 'interrupt' | 'removeLease' | 'foreign' | 'tooLargeCharacters' | 'unusable'>(
    name: Name,
  ): NonNullable<StoreUnderTest[Name]> {
    const hook = this.store[name];
    if (hook === undefined) throw new Error(`the capability is declared, but the store under test has no ${name}`);
    return hook;
  }

  /** Closes every handle, then deletes the store. */
  async clearUp(): Promise<void> {
    this.bound.renew();
    try {
      for (const hand of this.#opened) await hand.close();
      await this.bound.within('dispose to settle', Promise.resolve(this.store.dispose?.()));
    } finally {
      this.bound.end();
    }
  }
}
