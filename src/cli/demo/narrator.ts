import { NS_PER_MS } from '../../drivers/system/monotonic.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Output } from '../output.ts';
import { isoToMs, msToIso } from '../text/iso-time.ts';
import { visible } from '../text/visible.ts';
import { Timeline, type TimelineRow } from './timeline.ts';

type Entry = { readonly ns: bigint } & (
  | { readonly row: Omit<TimelineRow, 'atMs'> }
  | { readonly participant: string; readonly mark: 'standby' }
);

/** Events reach the demo over several ways; so long a line waits for one that happened earlier. */
const SETTLE_MS = 100;

/** Prints what happened in the order in which it happened, while it happens. */
export class Narrator {
  readonly #output: Output;
  readonly #clock: Clock;
  readonly #timeline: Timeline;
  readonly #pending: (Entry & { readonly heardMs: number })[] = [];
  #start = { ns: 0n, at: '' };
  #cancel: () => void = () => {};

  constructor(output: Output, clock: Clock, participants: readonly string[]) {
    this.#output = output;
    this.#clock = clock;
    this.#timeline = new Timeline(participants, output.paint, output.screen);
  }

  begin(start: { readonly ns: bigint; readonly at: string }): void {
    this.#start = start;
    this.#output.answer(this.#timeline.head());
    this.#tick();
  }

  tell(ns: bigint, row: Omit<TimelineRow, 'atMs'>): void {
    this.#pending.push({ ns, row: { ...row, what: visible(row.what) }, heardMs: this.#clock.nowMs() });
  }

  /** A state that changes without a line of its own. */
  rests(ns: bigint, participant: string): void {
    this.#pending.push({ ns, participant, mark: 'standby', heardMs: this.#clock.nowMs() });
  }

  end(): void {
    this.#cancel();
    this.#print(Number.POSITIVE_INFINITY);
    this.#output.answer('');
    this.#output.answer(this.#timeline.legend());
    this.#output.answer('');
  }

  #tick(): void {
    this.#print(this.#clock.nowMs() - SETTLE_MS);
    this.#cancel = this.#clock.setTimer(SETTLE_MS / 2, () => this.#tick());
  }

  /** Everything up to the newest event that has waited long enough. */
  #print(heardBeforeMs: number): void {
    const ready = this.#pending.filter(({ heardMs }) => heardMs <= heardBeforeMs);
    const newest = ready.sort(byTime).at(-1)?.ns ?? -1n;
    const due = this.#pending.filter(({ ns }) => ns <= newest).sort(byTime);
    for (const entry of due) {
      this.#pending.splice(this.#pending.indexOf(entry), 1);
      if ('mark' in entry) this.#timeline.mark(entry.participant, entry.mark);
      else this.#row({ ...entry.row, atMs: Number(entry.ns - this.#start.ns) / NS_PER_MS });
    }
  }

  #row(row: TimelineRow): void {
    for (const line of this.#timeline.row(row)) this.#output.answer(line);
    const { atMs, participant, mark, word, what } = row;
    const at = msToIso((isoToMs(this.#start.at) ?? 0) + atMs);
    this.#output.document({
      at,
      atMs: Math.round(atMs * 1_000) / 1_000,
      participant,
      state: word === '' ? mark : word,
      what,
    });
  }
}

function byTime(a: Entry, b: Entry): number {
  return Number(a.ns - b.ns);
}
