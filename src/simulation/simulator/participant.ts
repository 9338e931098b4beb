import type { Finding, Following, LeaderSession, Leading, Tenure } from '../../runtime/api.ts';
import { assemble } from '../../runtime/open-tenure.ts';
import { MachineClock } from '../machine-clock.ts';
import { SeededRandom } from '../seeded-random.ts';
import { SimulatedBackend } from './backend.ts';
import type { SimulatedContender } from './contender.ts';
import { Draw } from './draw.ts';
import { Link } from './link.ts';
import type { Stage } from './stage.ts';
import { WatchedSession } from './watched-session.ts';

export const ELECTION = 'simulated';

/** How long a component that has resigned stays away, in milliseconds. */
const REJOIN_MS = 700;

export interface ParticipantOptions {
  readonly stage: Stage;
  readonly name: string;
  /** A number of its own for each start of each participant: two with one identity would steal from each other. */
  readonly stream: number;
  readonly rate: number;
  /** Components that it stands for. */
  readonly components: readonly string[];
  readonly follows: boolean;
  readonly contender: (component: string) => SimulatedContender;
}

/** One process: the real runtime on a simulated machine, from its start to its end. */
export class Participant {
  readonly name: string;
  readonly clock: MachineClock;
  readonly backend: SimulatedBackend;
  readonly leadings = new Map<string, Leading>();
  readonly followings = new Map<string, Following>();
  /** Functions that run: session → what the check of exclusiveness needs. */
  readonly running = new Map<string, LeaderSession>();
  tenure: Tenure | null = null;
  /** It has been asked to close. */
  isClosing = false;
  readonly #o: ParticipantOptions;
  readonly #random: SeededRandom;
  readonly #openPromises = new Map<string, string>();
  readonly #away = new Set<string>();
  readonly #calm = new AbortController();
  #promises = 0;
  #runsSinceMs = Number.NEGATIVE_INFINITY;

  constructor(options: ParticipantOptions) {
    const { stage, name, stream, rate } = options;
    this.#o = options;
    this.name = name;
    this.clock = new MachineClock(stage.clock, { rate });
    this.#random = new SeededRandom(stream);
    const latency = new Draw(stream, 'latency');
    const { least, most } = stage.parameters.latencyMs;
    const link = new Link({
      world: stage.clock,
      clock: this.clock,
      server: stage.server,
      latencyMs: () => least + latency.next() * (most - least),
      onFault: (fault) => stage.book.count(fault),
    });
    if (stage.calm.signal.aborted) this.#calm.abort('calm');
    this.backend = new SimulatedBackend({
      link,
      onRegisterWrite: (write) => stage.checks.registerWriteLeaves(write, this.tenure?.state.sessionId ?? 'none'),
    });
  }

  get identity(): string {
    return this.tenure?.identity ?? this.name;
  }
  get isDead(): boolean {
    return this.clock.isStopped;
  }
  /** Nothing is left of it: no promise, no function that runs. */
  get isGone(): boolean {
    return this.isDead || (this.isClosing && this.#openPromises.size === 0 && this.running.size === 0);
  }
  /** Since it last stood still; 0 while it does. */
  get runsForMs(): number {
    return this.clock.isFrozen || this.clock.isAsleep ? 0 : this.#o.stage.clock.nowMs() - this.#runsSinceMs;
  }
  /** It runs, and nobody has asked it to end. */
  get isUp(): boolean {
    return !this.isDead && !this.isClosing;
  }

  async open(): Promise<void> {
    const { stage, components } = this.#o;
    const { book, parameters } = stage;
    const { timing } = parameters;
    const { tenure, engine } = await assemble({
      election: ELECTION,
      backend: stage.tamper.backend?.(this.backend) ?? this.backend,
      clock: this.clock,
      random: this.#random,
      name: this.name,
      timing,
      onFinding: (finding) => this.#find(finding),
    });
    this.tenure = tenure;
    engine.office.tap = book.tap(this.name, tenure.identity, this.clock);
    stage.tamper.opened?.(engine, this.name);
    book.note(this.name, `opened as ${this.identity}`);
    if (this.#o.follows) for (const component of parameters.components) this.#follow(component);
    for (const component of components) this.join(component);
  }

  /** Stands for the component, unless it does already. */
  join(component: string): void {
    const { tenure } = this;
    this.#away.delete(component);
    if (tenure === null || !this.isUp || this.leadings.has(component) || !this.#o.components.includes(component))
      return;
    let leading: Leading;
    try {
      leading = tenure.lead(component, (session) => this.#run(component, session));
    } catch (error) {
      // A function that overstayed its close still runs: the library refuses a second one beside it.
      this.#o.stage.book.note(this.name, `cannot stand for ${component}: ${(error as { code?: string }).code}`);
      this.#joinLater(component);
      return;
    }
    this.leadings.set(component, leading);
    void leading.closed.then(() => {
      this.leadings.delete(component);
      this.#joinLater(component);
    });
  }

  /** All faults are over. A dead process hears nothing of it. */
  calmDown(): void {
    this.backend.calm();
    this.#calm.abort('calm');
  }

  leave(component: string): void {
    const leading = this.leadings.get(component);
    if (leading === undefined) return;
    this.#away.add(component);
    this.promise(`leave ${component}`, leading.close());
  }

  #joinLater(component: string): void {
    if (this.isUp && !this.#away.has(component)) this.clock.setTimer(REJOIN_MS, () => this.join(component));
  }

  close(): void {
    if (this.tenure === null || this.isClosing) return;
    this.isClosing = true;
    this.promise('close', this.tenure.close());
  }

  /** Nothing of it runs any more; what it sent is still on its way, and nobody waits for its promises. */
  crash(): void {
    this.stopsWorking();
    this.clock.stop();
    this.running.clear();
    for (const id of this.#openPromises.keys()) this.#o.stage.book.observations.push({ kind: 'promise.settled', id });
    this.#openPromises.clear();
  }

  goesOn(): void {
    this.#runsSinceMs = this.#o.stage.clock.nowMs();
  }

  /** A process that stands still works as little as one that was told to stop. */
  stopsWorking(): void {
    const { observations } = this.#o.stage.book;
    for (const { id: sessionId, component } of this.running.values()) {
      observations.push({ kind: 'contender.told-to-stop', participant: this.identity, component, sessionId });
    }
  }

  /** Holds the run to it that this promise settles. */
  promise(what: string, promise: Promise<unknown>, then: (error: unknown) => void = () => {}): void {
    const { book } = this.#o.stage;
    const id = `${this.identity} ${what} (${++this.#promises})`;
    book.observations.push({ kind: 'promise.opened', id });
    this.#openPromises.set(id, what);
    const settled = (error: unknown): void => {
      this.#openPromises.delete(id);
      book.observations.push({ kind: 'promise.settled', id });
      const code = (error as { code?: string } | null)?.code ?? String(error);
      book.note(this.name, `${what}: ${error === null ? 'done' : `refused, ${code}`}`);
      then(error);
    };
    promise.then(() => settled(null), settled);
  }

  get openPromises(): readonly string[] {
    return [...this.#openPromises.values()];
  }

  async #run(component: string, inner: LeaderSession): Promise<void> {
    const { stage, contender } = this.#o;
    const { checks } = stage;
    const session = new WatchedSession(inner, (address, promise) =>
      this.promise(`confirm ${component}`, promise, (error) => {
        if (error === null) checks.confirmed(session, address);
      }),
    );
    const key = `${component} ${session.id}`;
    this.running.set(key, session);
    checks.started(this, session);
    session.signal.addEventListener('abort', () => checks.told(this, session), { once: true });
    const place = {
      participant: this.name,
      component,
      clock: this.clock,
      random: this.#random,
      calm: this.#calm.signal,
      work: () => checks.worked(this, session),
    };
    try {
      await contender(component)(session, place);
    } finally {
      this.running.delete(key);
      checks.settled(this, session);
    }
  }

  #follow(component: string): void {
    const { stage } = this.#o;
    const following = this.tenure?.follow(component);
    if (following === undefined) return;
    this.followings.set(component, following);
    let newest = 0n;
    following.subscribe((leader) => {
      newest = stage.checks.followed(this, component, leader, newest);
    });
  }

  #find({ code, component, detail }: Finding): void {
    this.#o.stage.book.note(this.name, `finding ${code} (${component}): ${detail}`);
    this.#o.stage.checks.finding(this, code, `${component ?? 'the election'}: ${detail}`);
  }
}
