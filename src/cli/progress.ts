import type { Clock } from '../ports/clock.ts';
import type { Output } from './output.ts';

/** How often the line on a terminal moves, and how often a line is written where nothing moves. */
const MOVE_MS = 100;
const LINE_MS = 10_000;

/** How far long work has come: a line that moves on a terminal, a line of talk now and then elsewhere. */
export class Progress {
  readonly #output: Output;
  readonly #clock: Clock;
  #shownMs: number;

  constructor(output: Output, clock: Clock) {
    this.#output = output;
    this.#clock = clock;
    this.#shownMs = clock.nowMs();
  }

  show(line: () => string): void {
    const nowMs = this.#clock.nowMs();
    if (nowMs - this.#shownMs < (this.#output.moves ? MOVE_MS : LINE_MS)) return;
    this.#shownMs = nowMs;
    if (this.#output.moves) this.#output.over(line());
    else this.#output.talk(line());
  }

  /** The last line is taken away: the answer takes its place. */
  end(): void {
    this.#output.over('');
  }
}
