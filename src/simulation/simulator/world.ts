import { lookMs } from '../../runtime/timing.ts';
import { settle, settleInside } from '../settle.ts';
import { VirtualClock } from '../virtual-clock.ts';
import type { Action } from './actions.ts';
import { Acts } from './acts.ts';
import { Book } from './book.ts';
import { Checks } from './checks.ts';
import type { SimulatedContender } from './contender.ts';
import type { Parameters } from './parameters.ts';
import { ELECTION, type Participant } from './participant.ts';
import { Seat } from './seat.ts';
import { Server } from './server.ts';
import type { Stage, Tamper } from './stage.ts';

export interface WorldOptions {
  readonly parameters: Parameters;
  /** A contender on trial; the simulator's own when left out. */
  readonly contender?: SimulatedContender | undefined;
  /** Keeps every trace line for showing it. */
  readonly keepsEntries?: boolean;
  readonly tamper?: Tamper | undefined;
}

/** Findings that say something about a contender on trial. */
const OF_CONTENDERS = ['contender-overstayed', 'contender-failed'];

/** In lease durations: how long acts may wait for leaders after the last of a schedule. */
const LONGEST_WAIT = 10;

/** One server, one clock of the world, some participants, and the book that is kept of them. */
export class World implements Stage {
  readonly parameters: Parameters;
  readonly clock = new VirtualClock();
  readonly server: Server;
  readonly book: Book;
  readonly checks: Checks;
  readonly acts: Acts;
  readonly calm = new AbortController();
  readonly tamper: Tamper;
  readonly contender: SimulatedContender | null;
  readonly seats: readonly Seat[];
  /** Also those that close, but not those of whom nothing is left. */
  everyone: readonly Participant[] = [];

  constructor({ parameters, contender, keepsEntries = false, tamper = {} }: WorldOptions) {
    this.parameters = parameters;
    this.tamper = tamper;
    this.contender = contender ?? null;
    this.server = new Server(parameters.revisions);
    this.book = new Book(this.clock, keepsEntries);
    this.checks = new Checks({
      book: this.book,
      server: this.server,
      election: ELECTION,
      participants: () => this.everyone,
      // What the deadline clock tolerates comes on top, and a clock that is slow.
      noticeMs: lookMs(parameters.timing) + 150,
      onAcquired: () => this.acts.acquired(),
      strictFindings: contender === undefined ? [] : OF_CONTENDERS,
    });
    const { participants, components } = parameters;
    const onStart = (participant: Participant): void => {
      this.everyone = [...this.everyone.filter(({ isGone }) => !isGone), participant];
    };
    this.seats = [
      ...participants.map((name, index) => new Seat(this, { index, name, components, onStart })),
      // It stands for nothing: who leads is seen from outside all the time.
      new Seat(this, { index: participants.length, name: 'viewer', components: [], onStart }),
    ];
    this.acts = new Acts(this, this.seats);
    tamper.server?.(this.server);
  }

  async advance(ms: number): Promise<void> {
    await settle();
    await this.clock.advance(ms, settleInside);
  }

  /** Everybody starts, and things happen as scheduled, until `ms`; longer where something still waits for a leader. */
  async live(actions: readonly Action[], ms: number): Promise<void> {
    for (const seat of this.seats) seat.open();
    for (const action of actions) this.clock.setTimer(action.atMs, () => this.acts.perform(action));
    await this.advance(ms);
    const { leaseDurationMs } = this.parameters.timing;
    for (let leases = 0; this.acts.isWaiting && leases < LONGEST_WAIT; leases += 1) await this.advance(leaseDurationMs);
  }

  /** All faults end at once; whoever has gone comes back, and all stand for everything. */
  async endFaults(): Promise<void> {
    this.book.note('world', 'the faults end');
    this.calm.abort('calm');
    this.acts.calm();
    if (this.server.health !== 'well') this.server.restart();
    for (const one of this.everyone) {
      if (one.isDead) continue;
      this.acts.goOn(one, false);
      one.calmDown();
    }
    for (const seat of this.seats) seat.open();
    await this.advance(0);
    for (const { now } of this.seats) for (const component of this.parameters.components) now?.join(component);
    await this.advance(0);
  }
}
