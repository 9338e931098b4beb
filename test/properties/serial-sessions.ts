import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import { TenureError } from '../../src/errors.ts';
import type { ContenderFunction, LeaderSession, Leading, Tenure } from '../../src/runtime/api.ts';
import { openTenure } from '../../src/runtime/open-tenure.ts';
import { Faults } from '../../src/simulation/faults.ts';
import { faultyBackend } from '../../src/simulation/faulty-backend.ts';
import { SeededRandom } from '../../src/simulation/seeded-random.ts';
import { settle } from '../../src/simulation/settle.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

const COMPONENTS = ['rest', 'jobs'] as const;
type Component = (typeof COMPONENTS)[number];

/** How one session's work behaves; the bound for stopping is 10 s. */
interface Manner {
  /** How long it goes on after it was told to stop. */
  readonly goodbyeMs: number;
  readonly confirms: boolean;
  /** By itself, this long after its start: returns or throws. */
  readonly ends: { readonly afterMs: number; readonly how: 'returns' | 'throws' } | null;
}

type Act =
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'step-down' | 'steal' | 'cut' | 'reconnect' }
  | { readonly kind: 'leave'; readonly component: Component }
  | { readonly kind: 'come'; readonly component: Component };

const component = fc.constantFrom(...COMPONENTS);
const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat({ max: 8_000 }) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('step-down', 'steal', 'cut', 'reconnect') }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('leave', 'come'), component }) },
  ) as fc.Arbitrary<Act>,
  { minLength: 1, maxLength: 14 },
);

const manners: fc.Arbitrary<Manner[]> = fc.array(
  fc.record({
    goodbyeMs: fc.oneof(fc.constant(0), fc.nat({ max: 40_000 })),
    confirms: fc.boolean(),
    ends: fc.option(
      fc.record({ afterMs: fc.nat({ max: 20_000 }), how: fc.constantFrom('returns' as const, 'throws' as const) }),
    ),
  }),
  { minLength: 1, maxLength: 6 },
);

/** What stands between the runtime and the work of a contender; a broken one shows that the property can fail. */
export type Between = (work: ContenderFunction) => ContenderFunction;

/** One process with two components, a thief, and a network that can be cut. */
class Process {
  readonly violations: string[] = [];
  readonly #clock = new VirtualClock();
  readonly #board = new MemoryBoard();
  readonly #faults = new Faults(this.#clock);
  readonly #leadings = new Map<Component, Leading>();
  readonly #running = new Map<string, string>();
  readonly #manners: readonly Manner[];
  readonly #between: Between;
  #sessions = 0;
  #tenure: Tenure | null = null;

  constructor(manners: readonly Manner[], between: Between) {
    this.#manners = manners;
    this.#between = between;
  }

  async begin(): Promise<void> {
    this.#tenure = await openTenure({
      election: 'property',
      backend: faultyBackend(memory({ board: this.#board }), this.#faults),
      clock: this.#clock,
      random: new SeededRandom(1),
    });
    for (const one of COMPONENTS) this.#come(one);
    await this.#advance(0);
  }

  async perform(act: Act): Promise<void> {
    if (act.kind === 'wait') return this.#advance(act.ms);
    // A refusal says that there was nothing to step down from.
    if (act.kind === 'step-down') void this.#tenure?.stepDown().catch(() => {});
    else if (act.kind === 'steal') await this.#steal();
    else if (act.kind === 'cut') this.#faults.cutOff();
    else if (act.kind === 'reconnect') this.#faults.reconnect();
    else if (act.kind === 'come') this.#come(act.component);
    else if (act.kind === 'leave') void this.#leadings.get(act.component)?.close();
    await this.#advance(0);
  }

  async end(): Promise<void> {
    this.#faults.reconnect();
    const closed = this.#tenure?.close();
    await this.#advance(200_000);
    await closed;
    assert.deepEqual([...this.#running.keys()], [], 'work that goes on after everything has come to its end');
  }

  /** Again as soon as the former registration is closed, however long its work still takes. */
  #come(one: Component): void {
    const known = this.#leadings.get(one);
    if (known !== undefined && known.state.phase !== 'closed') return;
    try {
      const leading = this.#tenure?.lead(
        one,
        this.#between((session) => this.#work(one, session)),
      );
      if (leading !== undefined) this.#leadings.set(one, leading);
    } catch (error) {
      // The one reason to be turned away: the work of the former registration has not settled.
      assert.ok(error instanceof TenureError && error.code === 'component-taken', String(error));
      assert.ok(this.#running.has(one), `${one} is taken although nothing runs`);
    }
  }

  async #work(of: Component, session: LeaderSession): Promise<void> {
    const manner = this.#manners[this.#sessions % this.#manners.length] as Manner;
    this.#sessions += 1;
    const other = this.#running.get(of);
    if (other !== undefined) this.violations.push(`${of}: ${session.id} began while the work of ${other} went on`);
    this.#running.set(of, session.id);
    if (manner.confirms) void session.confirm({ address: 'http://here' }).catch(() => {});
    const { ends, goodbyeMs } = manner;
    const endsItself = await this.#untilStopped(session, ends?.afterMs ?? null);
    if (!endsItself) await this.#sleep(goodbyeMs);
    if (this.#running.get(of) === session.id) this.#running.delete(of);
    if (endsItself && ends?.how === 'throws') throw new Error('the work has failed');
  }

  /** True when the work ends by itself before it is told to stop. */
  #untilStopped({ signal }: LeaderSession, afterMs: number | null): Promise<boolean> {
    return new Promise((resolve) => {
      if (signal.aborted) resolve(false);
      signal.addEventListener('abort', () => resolve(false), { once: true });
      if (afterMs !== null) this.#clock.setTimer(afterMs, () => resolve(true));
    });
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#clock.setTimer(ms, resolve));
  }

  async #steal(): Promise<void> {
    const { lease } = this.#board.election('property', () => this.#clock.isoNow());
    const reading = await lease.read({ timeoutMs: 1 });
    const expectedVersion = reading.outcome === 'found' ? reading.record.version : null;
    const write = { kind: 'acquire', expectedVersion, holder: 'thief', sessionId: 'thief', durationMs: 1_000 } as const;
    await lease.write(write, { timeoutMs: 1 });
  }

  #advance(ms: number): Promise<void> {
    return this.#clock.advance(ms, settle);
  }
}

/** In one process the work of a component never overlaps itself, however slow its goodbye. */
export const serialProperty = (between: Between = (work) => work) =>
  fc.asyncProperty(acts, manners, async (taken, behaviour) => {
    const running = new Process(behaviour, between);
    await running.begin();
    for (const act of taken) await running.perform(act);
    await running.end();
    assert.deepEqual(running.violations, [], 'sessions that overlap');
  });
