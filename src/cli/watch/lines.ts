import stringWidth from 'string-width';
import { padEnd } from '../text/columns.ts';
import { sinceStart, span } from '../text/durations.ts';
import { GLYPHS, MARK_STYLES, type Mark } from '../text/glyphs.ts';
import type { Paint } from '../text/paint.ts';
import { participantName } from '../text/participant.ts';
import { shorten } from '../text/shorten.ts';
import { visible } from '../text/visible.ts';
import type { WatchChange } from './story.ts';

const LONGEST_NAME = 32;
const TIME_WIDTH = 11;

const MARKS: Readonly<Record<WatchChange['state'], Mark>> = {
  confirmed: 'confirmed',
  superseded: 'standby',
  withdrawn: 'standby',
};

/** Columns of a stream: a column widens when a longer name comes, and stays so. */
export class WatchLines {
  readonly #paint: Paint;
  readonly #widths = { component: 4, leader: 8, token: 0, address: 0 };

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  line(change: WatchChange): string {
    const time = `+${sinceStart(change.atMs)}`.padStart(TIME_WIDTH);
    const component = this.#column('component', shorten(visible(change.component), LONGEST_NAME));
    const mark = MARKS[change.state];
    const head = `${time}  ${component}  ${this.#paint(MARK_STYLES[mark], GLYPHS[mark])}  `;
    if (change.state === 'withdrawn') return `${head}${this.#paint('dim', 'withdrawn by its leader')}`;
    if (change.state === 'superseded') {
      return `${head}${this.#paint('dim', `superseded by token ${change.fencingToken}, not confirmed yet`)}`;
    }
    const who = change.holder === null ? `session ${change.sessionId.slice(0, 8)}` : participantName(change.holder);
    const leader = this.#column('leader', shorten(who, LONGEST_NAME));
    const token = this.#column('token', `token ${change.fencingToken}`);
    const address = this.#column('address', visible(change.address));
    if (change.gapMs === null) return `${head}${leader}  ${token}  ${address}`.trimEnd();
    return `${head}${leader}  ${token}  ${address}  gap ${span(change.gapMs)}`;
  }

  #column(name: 'component' | 'leader' | 'token' | 'address', text: string): string {
    this.#widths[name] = Math.max(this.#widths[name], stringWidth(text));
    return padEnd(text, this.#widths[name]);
  }
}
