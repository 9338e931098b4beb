import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { Backend } from '../../src/ports/backend.ts';
import type { LeaderSession, Tenure } from '../../src/runtime/api.ts';
import { openTenure } from '../../src/runtime/open-tenure.ts';
import { type CallKind, callKinds, type FaultKind, Faults } from '../../src/simulation/faults.ts';
import { faultyBackend } from '../../src/simulation/faulty-backend.ts';
import { SeededRandom } from '../../src/simulation/seeded-random.ts';
import { settle } from '../../src/simulation/settle.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

const LONGEST_MS = 6_000;

export type Act =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'step-down' | 'crash' | 'close' | 'cut' | 'reconnect'; readonly who: number }
  | { readonly kind: 'fault'; readonly who: number; readonly call: CallKind; readonly fault: FaultKind };

const who = fc.nat({ max: 2 });

/** What goes wrong between participants and store, and what they do themselves. */
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: LONGEST_MS }) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constantFrom(...(['step-down', 'crash', 'close', 'cut', 'cut', 'reconnect'] as const)),
        who,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('fault' as const),
        who,
        call: fc.constantFrom(...callKinds.filter((kind) => kind !== 'lease.request-step-down')),
        fault: fc.constantFrom<FaultKind>('refuse', 'drop', 'lose-answer', 'delay', 'slow-answer'),
      }),
    },
  ),
  { minLength: 1, maxLength: 14 },
);

interface Seat {
  readonly faults: Faults;
  readonly tenure: Tenure;
}

interface Granted {
  readonly session: LeaderSession;
  readonly seat: number;
}

/** Several participants of one election, the whole runtime of each, on a clock that the acts move. */
class Participants {
  readonly granted: Granted[] = [];
  readonly acquired: bigint[] = [];
  readonly violations: string[] = [];
  readonly #clock = new VirtualClock();
  readonly #store: Backend;
  readonly #seats: (Seat | null)[] = [null, null, null];
  readonly #gone: Promise<void>[] = [];
  #starts = 0;

  constructor(store: Backend) {
    this.#store = store;
  }

  async begin(count: number): Promise<void> {
    this.#seats.length = count;
    for (let seat = 0; seat < count; seat += 1) await this.#open(seat);
    await this.#advance(0);
  }

  async perform(act: Act): Promise<void> {
    if (act.kind === 'wait') return this.#advance(act.ms);
    const index = act.who % this.#seats.length;
    const seat = this.#seats[index];
    if (seat === null || seat === undefined) return this.#open(index);
    if (act.kind === 'fault') seat.faults.set(act.call, { kind: act.fault, delayMs: 1_000, times: 1 });
    // A refusal says that there was nothing to step down from.
    else if (act.kind === 'step-down') void seat.tenure.stepDown().catch(() => {});
    else if (act.kind === 'cut') seat.faults.cutOff();
    else if (act.kind === 'reconnect') seat.faults.reconnect();
    else await this.#leave(index, seat, act.kind);
    await this.#advance(0);
  }

  /** All faults end, everybody who has gone is back: then exactly one leads, with the newest token. */
  async end(): Promise<void> {
    for (const [index, seat] of this.#seats.entries()) {
      if (seat === null) await this.#open(index);
      seat?.faults.clear();
      seat?.faults.reconnect();
    }
    await this.#advance(60_000);
    assert.deepEqual(this.violations, [], 'what is wrong with the grants');
    const leading = this.granted.filter(({ session }) => session.isCurrent);
    assert.equal(leading.length, 1, 'the number of those who lead after the faults have ended');
    assert.equal(leading[0]?.session.fencingToken, this.acquired.at(-1), 'the token of the one who leads');
    const closed = Promise.all(this.#seats.map((seat) => seat?.tenure.close()));
    await this.#advance(60_000);
    await closed;
    await Promise.all(this.#gone);
  }

  /** A crash is a machine that nobody hears of any more, and that hears of nobody. */
  async #leave(index: number, seat: Seat, how: 'crash' | 'close'): Promise<void> {
    this.#seats[index] = null;
    if (how === 'crash') seat.faults.cutOff();
    this.#gone.push(seat.tenure.close());
  }

  async #open(index: number): Promise<void> {
    const faults = new Faults(this.#clock);
    this.#starts += 1;
    const tenure = await openTenure({
      election: 'property',
      name: `seat-${index}`,
      backend: faultyBackend(this.#store, faults, {
        leaseWritten: (write, result) => {
          if (write.kind === 'acquire' && result.outcome === 'committed') {
            const { fencingToken } = result.record;
            const before = this.acquired.at(-1);
            this.#note(
              before === undefined || fencingToken > before,
              `token ${fencingToken} is acquired after ${before}`,
            );
            this.acquired.push(fencingToken);
          }
        },
      }),
      clock: this.#clock,
      random: new SeededRandom(this.#starts),
    });
    this.#seats[index] = { faults, tenure };
    tenure.lead('web', (session) => this.#work(index, session));
  }

  async #work(seat: number, session: LeaderSession): Promise<void> {
    this.#meet({ seat, session });
    void session.confirm({ address: `http://seat-${seat}` }).catch(() => {});
    if (!session.signal.aborted) {
      await new Promise<void>((resolve) => session.signal.addEventListener('abort', () => resolve(), { once: true }));
    }
  }

  #meet(one: Granted): void {
    for (const { session, seat } of this.granted) {
      const { fencingToken } = session;
      this.#note(
        one.session.fencingToken > fencingToken,
        `a grant with token ${one.session.fencingToken} after ${fencingToken}`,
      );
      this.#note(!session.isCurrent, `seat ${one.seat} is granted while seat ${seat} leads`);
    }
    this.#note(
      this.acquired.includes(one.session.fencingToken),
      `a grant with token ${one.session.fencingToken}, which nobody acquired`,
    );
    this.granted.push(one);
  }

  /** Thrown in a contender it would be taken for the contender's own failure. */
  #note(holds: boolean, otherwise: string): void {
    if (!holds) this.violations.push(otherwise);
  }

  #advance(ms: number): Promise<void> {
    return this.#clock.advance(ms, settle);
  }
}

/** Tokens grow over all participants, and at most one leads, whatever they do and whatever is done to them. */
export const tokensProperty = (store: () => Backend) =>
  fc.asyncProperty(fc.constantFrom(2, 3), acts, async (count, taken) => {
    const participants = new Participants(store());
    await participants.begin(count);
    for (const act of taken) await participants.perform(act);
    await participants.end();
  });
