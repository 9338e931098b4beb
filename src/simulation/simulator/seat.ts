import type { Manner } from './actions.ts';
import { GOOD_MANNERS } from './actions.ts';
import type { SimulatedContender } from './contender.ts';
import { mannered } from './contender.ts';
import { Participant } from './participant.ts';
import type { Stage } from './stage.ts';

/** Starts of one seat and seeds: every start draws from streams of its own. */
const STARTS_PER_SEAT = 1_000;

export interface SeatOptions {
  readonly index: number;
  readonly name: string;
  /** What its participants stand for. */
  readonly components: readonly string[];
  readonly onStart: (participant: Participant) => void;
}

/** A place in the world that one process after the other takes, each under the same name and a new identity. */
export class Seat {
  readonly index: number;
  readonly name: string;
  readonly #stage: Stage;
  readonly #components: readonly string[];
  readonly #manners = new Map<string, Manner>();
  readonly #trial: SimulatedContender | null;
  readonly #onStart: (participant: Participant) => void;
  #starts = 0;
  #now: Participant | null = null;

  constructor(stage: Stage, { index, name, components, onStart }: SeatOptions) {
    this.#stage = stage;
    this.index = index;
    this.name = name;
    this.#components = components;
    this.#trial = stage.contender;
    this.#onStart = onStart;
  }

  /** The process that sits here; `null` between a crash or a close and the next start. */
  get now(): Participant | null {
    return this.#now?.isUp === true ? this.#now : null;
  }

  setManner(component: string, manner: Manner): void {
    this.#manners.set(component, manner);
  }

  /** Opens a process, unless one sits here. */
  open(): void {
    if (this.now !== null) return;
    this.#starts += 1;
    const { parameters } = this.#stage;
    const participant = new Participant({
      stage: this.#stage,
      name: this.name,
      stream: (parameters.seed * 7 + this.index) * STARTS_PER_SEAT + this.#starts,
      rate: parameters.rates[this.index] ?? 1,
      components: this.#components,
      follows: parameters.following[this.index] ?? true,
      contender: (component) => this.#trial ?? mannered(() => this.#mannerOf(component)),
    });
    this.#now = participant;
    this.#onStart(participant);
    participant.open().catch((error: unknown) => {
      this.#stage.book.violated('opens', `${this.name} could not be opened: ${error}`);
    });
  }

  #mannerOf(component: string): Manner {
    return this.#stage.calm.signal.aborted ? GOOD_MANNERS : (this.#manners.get(component) ?? GOOD_MANNERS);
  }
}
