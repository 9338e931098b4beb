import type { Observation } from '../../machines/invariants.ts';
import { memory } from '../../src/drivers/memory/index.ts';
import { TenureError } from '../../src/errors.ts';
import type { Backend } from '../../src/ports/backend.ts';
import type { Following, Leading, TimingOptions } from '../../src/runtime/api.ts';
import { Engine } from '../../src/runtime/engine.ts';
import { TenureHandle } from '../../src/runtime/tenure.ts';
import { resolveTiming } from '../../src/runtime/timing.ts';
import { Faults } from '../../src/simulation/faults.ts';
import { faultyBackend } from '../../src/simulation/faulty-backend.ts';
import { MachineClock } from '../../src/simulation/machine-clock.ts';
import { SeededRandom } from '../../src/simulation/seeded-random.ts';
import type { ScriptedContender } from './contender.ts';
import { observedBackend } from './observer.ts';
import type { World } from './world.ts';

type OwnObservation<O> = O extends { readonly participant: string } ? Omit<O, 'participant'> : never;

/** One process of a story: its tenure, the machine it runs on, and what lies between it and the store. */
export class Participant {
  readonly world: World;
  readonly name: string;
  readonly clock: MachineClock;
  readonly faults: Faults;
  readonly backend: Backend;
  readonly tenure: TenureHandle;
  readonly leadings = new Map<string, Leading>();
  readonly contenders = new Map<string, ScriptedContender>();
  readonly followings = new Map<string, Following>();
  readonly #engine: Engine;
  readonly #identity: string;
  #promises = 0;

  static async open(world: World, name: string, timing: TimingOptions): Promise<Participant> {
    const clock = new MachineClock(world.clock);
    const faults = new Faults(clock);
    // A seed of its own: one more participant must not change the draws of the others.
    const random = new SeededRandom(world.everyone.length + 1);
    const identity = `${name}-${random.uuid()}`;
    const backend = faultyBackend(memory({ board: world.board }), faults, observedBackend(world, identity));
    const opened = await backend.open({ election: world.election, identity, clock, random });
    const engine = new Engine({
      options: {
        election: world.election,
        backend,
        trace: { record: (line) => world.record(name, line) },
        onFinding: (finding) => world.find(name, finding),
      },
      timing: resolveTiming(timing),
      identity,
      backend: opened,
      clock,
      random,
    });
    return new Participant({ world, name, identity, clock, faults, backend, engine });
  }

  private constructor(parts: {
    world: World;
    name: string;
    identity: string;
    clock: MachineClock;
    faults: Faults;
    backend: Backend;
    engine: Engine;
  }) {
    this.world = parts.world;
    this.name = parts.name;
    this.clock = parts.clock;
    this.faults = parts.faults;
    this.backend = parts.backend;
    this.#identity = parts.identity;
    this.#engine = parts.engine;
    this.tenure = new TenureHandle(parts.engine);
  }

  /** A message from nowhere: what a driver of its own, or a fault of ours, could send. */
  send(to: string, message: { readonly type: string }): void {
    this.#engine.office.post('hand', to, message);
  }

  leading(component: string): Leading {
    const leading = this.leadings.get(component);
    if (leading === undefined) throw new Error(`${this.name} does not lead ${component}`);
    return leading;
  }

  contender(component: string): ScriptedContender {
    const contender = this.contenders.get(component);
    if (contender === undefined) throw new Error(`${this.name} has no contender for ${component}`);
    return contender;
  }

  note(text: string): void {
    this.world.note(this.name, text);
  }

  observe(observation: OwnObservation<Observation>): void {
    this.world.observations.push({ ...observation, participant: this.#identity } as Observation);
  }

  /** Notes how a promise of the public face settles, and holds the story to it that it does (I9). */
  promise(what: string, promise: Promise<unknown>): void {
    const id = `${this.name}: ${what} (${++this.#promises})`;
    this.world.observations.push({ kind: 'promise.opened', id });
    this.world.pending.set(id, what);
    const settled = (how: string): void => {
      this.world.observations.push({ kind: 'promise.settled', id });
      this.world.pending.delete(id);
      this.note(`${what}: ${how}`);
    };
    promise.then(
      () => settled('done'),
      (error: unknown) => settled(error instanceof TenureError ? `refused, ${error.code}` : `broken, ${error}`),
    );
  }
}
