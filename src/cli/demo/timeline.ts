import { padEnd } from '../text/columns.ts';
import { sinceStart } from '../text/durations.ts';
import { GLYPHS, MARK_STYLES, type Mark } from '../text/glyphs.ts';
import type { Paint } from '../text/paint.ts';
import { wrap } from '../text/wrap.ts';

export interface TimelineRow {
  readonly atMs: number;
  /** Whose cell carries the word; `null` for a row about all. */
  readonly participant: string | null;
  readonly mark: Mark;
  readonly word: string;
  readonly what: string;
}

const TIME_WIDTH = 8;
const CELL_WIDTH = 17;
const GAP = '  ';
const NARROWEST_WHAT = 24;

/** The aligned timeline of `tenure demo`: a column per participant, one event a line. */
export class Timeline {
  readonly #participants: readonly string[];
  readonly #paint: Paint;
  readonly #screen: number | null;
  readonly #marks = new Map<string, Mark | null>();

  constructor(participants: readonly string[], paint: Paint, screen: number | null) {
    this.#participants = participants;
    this.#paint = paint;
    this.#screen = screen;
    for (const name of participants) this.#marks.set(name, 'standby');
  }

  head(): string {
    const cells = ['time', ...this.#participants].map((title, index) =>
      padEnd(title, index === 0 ? TIME_WIDTH : CELL_WIDTH),
    );
    return this.#paint('dim', `  ${[...cells, 'what'].join(GAP)}`);
  }

  /** A state that changes without a line of its own. */
  mark(participant: string, mark: Mark | null): void {
    this.#marks.set(participant, mark);
  }

  row({ atMs, participant, mark, word, what }: TimelineRow): string[] {
    const cells = this.#participants.map((name) => {
      const own = name === participant;
      const shown = own ? mark : (this.#marks.get(name) ?? null);
      if (own) this.#marks.set(name, mark === 'lost' ? null : mark);
      if (shown === null) return padEnd('', CELL_WIDTH);
      const text = own && word !== '' ? `${GLYPHS[shown]} ${word}` : GLYPHS[shown];
      return this.#paint(MARK_STYLES[shown], text) + ' '.repeat(CELL_WIDTH - text.length);
    });
    const time = padEnd(sinceStart(atMs), TIME_WIDTH);
    const used = 2 + TIME_WIDTH + this.#participants.length * (CELL_WIDTH + GAP.length) + GAP.length;
    const words = this.#screen === null ? [what] : wrap(what, Math.max(NARROWEST_WHAT, this.#screen - used));
    const [first = '', ...others] = words;
    return [`  ${[time, ...cells, first].join(GAP)}`, ...others.map((line) => ' '.repeat(used) + line)];
  }

  legend(): string {
    const marks: readonly (readonly [Mark, string])[] = [
      ['confirmed', 'confirmed'],
      ['pending', 'pending'],
      ['standby', 'standby'],
      ['suspended', 'suspended'],
      ['lost', 'lost'],
    ];
    return `  ${marks.map(([mark, word]) => `${this.#paint(MARK_STYLES[mark], GLYPHS[mark])} ${word}`).join(GAP)}`;
  }
}
