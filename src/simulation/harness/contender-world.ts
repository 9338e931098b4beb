import type { RevokeReason } from '../../../machines/vocabulary.ts';
import { InvalidOptionsError } from '../../errors.ts';
import type { LeaderSession, Leading, LeadOptions } from '../../runtime/api.ts';
import { DEFAULT_TIMING } from '../../runtime/timing.ts';
import type { HandStore, StoreAnswer } from './hand-store.ts';
import { ManualDriver } from './manual-driver.ts';
import { type BrokenRule, type ContenderRule, ContenderRulesBroken, secondsText } from './rules.ts';
import { spanMs } from './span.ts';
import { type FakeTimers, type Time, timeOf } from './time.ts';
import { ContenderWatch, type TestedContender } from './watch.ts';

export interface ContenderWorldOptions {
  /** The fake timers of your test runner (`vi`, `jest`): the contender's own timers then follow the world's time. */
  readonly timers?: FakeTimers;
  /** Default `web`. */
  readonly component?: string;
  /** How long the contender may take to settle after it was told to stop, in milliseconds. Default 10 000. */
  readonly stopBoundMs?: number;
  /** As in `tenure.lead`. Default `stand-again`. */
  readonly onFailure?: NonNullable<LeadOptions['onFailure']>;
  /** Rules that this contender may break, because it is meant to. */
  readonly allow?: readonly ContenderRule[];
}

/** How often real I/O of the contender gets a turn before the world goes on without it. */
const TURNS = 30;
/** How long a contender may take to get ready and confirm. */
const READY_MS = 30_000;
const SECOND_MS = 1_000;

/** One contender, its leadership, and a world that does only what it is told. */
export class ContenderWorld {
  /** The store behind the leadership: how it answers, what somebody else does to the entry. */
  readonly store: HandStore;
  readonly leading: Leading;
  /** What happened so far, a line each. */
  readonly story: string[] = [];
  /** Every transition of the leadership so far. */
  readonly transitions: string[] = [];
  /** The hands of this world, for those who script it message by message. */
  readonly driver: ManualDriver;
  readonly time: Time;
  readonly watch: ContenderWatch;
  readonly #beganAtMs: number;
  readonly #stopBoundMs: number;
  readonly #timersBefore: number;
  #grants = 0;
  #isEnded = false;

  constructor(contender: TestedContender, options: ContenderWorldOptions = {}) {
    if (typeof contender !== 'function') {
      throw new InvalidOptionsError([{ field: 'contender', received: contender, rule: 'must be a function' }]);
    }
    const { component = 'web', onFailure = 'stand-again', stopBoundMs = DEFAULT_TIMING.stopBoundMs } = options;
    this.time = timeOf(options.timers);
    this.#beganAtMs = this.time.clock.nowMs();
    this.#timersBefore = this.time.timersLeft() ?? 0;
    this.#stopBoundMs = stopBoundMs;
    const say = (line: string): void => this.say(line);
    const nowMs = (): number => this.nowMs;
    this.watch = new ContenderWatch(contender, { allow: new Set(options.allow), stopBoundMs, nowMs, say });
    const { time, watch } = this;
    const onTransition = (name: string): void => void this.transitions.push(name);
    this.driver = new ManualDriver({ component, time, watch, stopBoundMs, onFailure, say, onTransition });
    this.leading = this.driver.leading;
    this.store = this.driver.store;
  }

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.time.clock.nowMs() - this.#beganAtMs;
  }

  /** State of the leadership: `standby`, `confirm-pending.publishing`, `confirmed.settled`, … */
  get state(): string {
    return this.leading.state.state;
  }

  /** Its phase, without substates: `standby`, `grant-pending`, `confirm-pending`, `confirmed`, `revoked`, … */
  get phase(): string {
    return this.leading.state.phase;
  }

  /** Sessions in which the contender was called, oldest first. */
  get sessions(): readonly LeaderSession[] {
    return this.watch.sessions;
  }

  /** Rules broken so far. */
  get broken(): readonly BrokenRule[] {
    return this.watch.broken;
  }

  /** Grants the next session (s1, s2, …), and lets the contender come as far as it comes without time passing. */
  async grant(): Promise<void> {
    if (!this.driver.isStanding) {
      const hint = this.state === 'closed' ? 'it is over; make a new world' : 'advance the time first';
      throw new Error(`${this.leading.component} does not stand for election (${this.state}): ${hint}`);
    }
    const id = `s${++this.#grants}`;
    this.say(`granted ${id}`);
    this.driver.grant({ id, fencingToken: BigInt(this.#grants) * 10n });
    await this.rest();
  }

  /** Ends the session that was granted last. */
  async revoke(reason: RevokeReason = 'lost'): Promise<void> {
    const { id } = this.#session();
    this.say(`revoked ${id}: ${reason}`);
    this.driver.revoke(id, reason);
    await this.rest();
  }

  /** The backend cannot be reached: confirmations wait, and the session ends at its deadline unless it is resumed. */
  async suspend(): Promise<void> {
    const { id } = this.#session();
    this.say(`suspended ${id}`);
    this.driver.suspend(id);
    await this.rest();
  }

  async resume(): Promise<void> {
    const { id } = this.#session();
    this.say(`resumed ${id}`);
    this.driver.resume(id);
    await this.rest();
  }

  /** The next write is done, but its answer gets lost on the way: the entry has to be read back. */
  loseAnswer(): void {
    this.store.next('lost' satisfies StoreAnswer);
  }

  /** Lets time pass: milliseconds, or a text with a unit (`'10s'`, `'500ms'`, `'2m'`). */
  async advance(time: number | string): Promise<void> {
    let left = spanMs(time);
    this.say(`${secondsText(left)} pass`);
    while (left > 0) {
      const toDeadline = this.driver.remainingMs ?? Number.POSITIVE_INFINITY;
      const stepMs = Math.min(left, Math.max(0, toDeadline));
      await this.time.advance(stepMs);
      left -= stepMs;
      if (this.driver.remainingMs !== null && this.driver.remainingMs <= 0) await this.revoke('deadline');
    }
    await this.rest();
  }

  /** Closes the component, as `leading.close()` does, and waits for it within its bounds. */
  async close(): Promise<void> {
    this.say('close');
    let isClosed = false;
    void this.leading.close().then(() => {
      isClosed = true;
    });
    await this.rest();
    for (let waitedMs = 0; !isClosed && waitedMs <= 2 * this.#stopBoundMs; waitedMs += SECOND_MS) {
      await this.time.advance(SECOND_MS);
      this.watch.checkStopped();
    }
  }

  /**
   * Lets a contender that leads get ready, closes the component, and ends the world.
   * @throws ContenderRulesBroken when the contender has broken a rule at any time.
   */
  async finish(): Promise<void> {
    try {
      await this.letReady();
      await this.close();
      await this.#checkLeftovers();
    } finally {
      this.end();
    }
    if (this.broken.length > 0) throw new ContenderRulesBroken(this.broken, this.story);
  }

  /** Gives fake timers back. Nothing is checked. Idempotent. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.time.end();
  }

  /** Until the contender has nothing more to do without time passing; real I/O gets a bounded number of turns. */
  async rest(): Promise<void> {
    await this.time.turn();
    for (let turn = 0; turn < TURNS && this.#isAwaited(); turn++) await this.time.turn();
    this.watch.checkStopped();
    if (this.driver.fault !== null) throw this.driver.fault;
  }

  /** A contender that leads undisturbed has to confirm. */
  async letReady(): Promise<void> {
    const { granted } = this.driver;
    if (granted === null || this.driver.remainingMs !== null) return;
    for (let waitedMs = 0; waitedMs < READY_MS && this.#isUnready(granted.id); waitedMs += SECOND_MS) {
      await this.time.advance(SECOND_MS);
    }
    if (this.#isUnready(granted.id)) this.watch.checkLeads(granted.id);
  }

  say(line: string): void {
    this.story.push(`${secondsText(this.nowMs).padStart(10)}  ${line}`);
  }

  #isUnready(sessionId: string): boolean {
    return this.leading.state.sessionId === sessionId && /^(?:grant|confirm)-pending/.test(this.state);
  }

  /** Something is expected of the contender that may need turns of the event loop, but no time. */
  #isAwaited(): boolean {
    if (/^(?:revoked|withdrawing\.stopping)/.test(this.state)) return true;
    return this.state === 'grant-pending' || this.state === 'confirm-pending.awaiting';
  }

  /** One-shot timers get their time to run out: what is left after that runs for ever. */
  async #checkLeftovers(): Promise<void> {
    await this.time.advance(this.#stopBoundMs);
    this.watch.checkStopped();
    const left = this.time.timersLeft();
    if (left !== null) this.watch.checkTimers(left - this.#timersBefore);
  }

  #session(): { readonly id: string } {
    const { granted } = this.driver;
    if (granted === null) throw new Error(`${this.leading.component} has no session: grant one first`);
    return granted;
  }
}

/**
 * A world for one contender: the runtime's own leadership and sessions, with the election, the store and the clock in
 * your hands. With `timers: vi` the contender's own timers follow the same time, until `finish()` or `end()`: one such
 * world at a time.
 *
 * @throws InvalidOptionsError when the contender is not a function.
 */
export async function contenderWorld(
  contender: TestedContender,
  options: ContenderWorldOptions = {},
): Promise<ContenderWorld> {
  const world = new ContenderWorld(contender, options);
  await world.rest();
  return world;
}
