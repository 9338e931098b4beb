import type { Observation } from '../../../machines/invariants.ts';
import { checkTrace } from '../../../machines/invariants.ts';
import type { Clock } from '../../ports/clock.ts';
import type { TraceLine } from '../../ports/trace.ts';
import { HostedActor, stateText } from '../../runtime/actor-host.ts';
import type { Letter, Recipient, Tap } from '../../runtime/post-office.ts';
import { Tracer } from '../../runtime/tracer.ts';
import { Digest } from './digest.ts';

export interface Violation {
  /** `I1` to `I10` of the invariants, or the name of a check of the simulator. */
  readonly invariant: string;
  readonly detail: string;
  /** Time of the world; `null` where it was found in the end. */
  readonly atMs: number | null;
}

/** One line of a trace: a delivered message, or what the world did. */
export type Entry =
  | { readonly atMs: number; readonly who: string; readonly note: string }
  | { readonly atMs: number; readonly who: string; readonly line: TraceLine };

/** What happened in one run: its trace, the facts for the invariants, and what was found wrong. */
export class Book {
  readonly violations: Violation[] = [];
  readonly observations: Observation[] = [];
  /** Of the whole trace, one line per message: two runs of one seed must have the same. */
  readonly digest = new Digest();
  readonly lines: string[] = [];
  readonly entries: Entry[] = [];
  readonly counts = new Map<string, number>();
  readonly #clock: Clock;
  readonly #keepsEntries: boolean;
  readonly #granted = new Map<string, string>();

  constructor(clock: Clock, keepsEntries: boolean) {
    this.#clock = clock;
    this.#keepsEntries = keepsEntries;
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  violated(invariant: string, detail: string): void {
    const atMs = this.#clock.nowMs();
    this.violations.push({ invariant, detail, atMs });
    this.note('world', `VIOLATED ${invariant}: ${detail}`);
  }

  note(who: string, note: string): void {
    const atMs = this.#clock.nowMs();
    this.digest.begin(atMs, who);
    this.digest.mixOnce(note).end();
    if (!this.#keepsEntries) return;
    this.lines.push(`${atMs} ${who} ${note}`);
    this.entries.push({ atMs, who, note });
  }

  /** What sees every delivery inside of one participant. `identity` names it in the observations, `who` in the trace. */
  tap(who: string, identity: string, clock: Clock): Tap {
    if (!this.#keepsEntries) return new BookTap(this, who, identity, null);
    const record = (line: TraceLine): void => void this.entries.push({ atMs: this.#clock.nowMs(), who, line });
    return new BookTap(this, who, identity, new Tracer({ record }, clock, identity));
  }

  delivered(who: string, identity: string, { from, to, message }: Letter, after: string): void {
    const { type, sessionId, session, attempt } = message as Fields;
    const of = sessionId ?? session?.id ?? '';
    const { digest } = this;
    digest.begin(this.#clock.nowMs(), who);
    digest.mix(from).mix(to).mix(type).mix(of).mix(after).end();
    if (this.#keepsEntries) {
      this.lines.push(`${this.#clock.nowMs()} ${who} ${from} ${to} ${type} ${of} ${attempt ?? ''} ${after}`);
    }
    if (of !== '') this.#observe(identity, from, to, type, of);
  }

  /** Grants and revocations as the component's contender is told of them; to end by itself is to be revoked. */
  #observe(participant: string, from: string, to: string, event: string, sessionId: string): void {
    const isTold = to.startsWith('contender:');
    if (!isTold && !from.startsWith('contender:')) return;
    const component = (isTold ? to : from).slice('contender:'.length);
    const key = `${participant}/${component}`;
    if (isTold && event === 'contender.start') {
      this.#granted.set(key, sessionId);
      this.observations.push({ kind: 'granted', participant, component, sessionId });
    }
    const isEnd = event === (isTold ? 'contender.stop' : 'contender.settled');
    if (isEnd && this.#granted.get(key) === sessionId) {
      this.#granted.delete(key);
      this.observations.push({ kind: 'revoked', participant, component, sessionId });
    }
  }

  /** All violations, those of the numbered invariants included. */
  verdict(): readonly Violation[] {
    const found = checkTrace(this.observations).map(({ invariant, detail }) => ({ invariant, detail, atMs: null }));
    return [...this.violations, ...found];
  }
}

interface Fields {
  readonly type: string;
  readonly sessionId?: string;
  readonly session?: { readonly id: string };
  readonly attempt?: number;
}

/** Cheaper than trace lines, which nobody reads in most runs; those are made too where they are kept. */
class BookTap implements Tap {
  readonly #book: Book;
  readonly #who: string;
  readonly #identity: string;
  readonly #tracer: Tracer | null;
  #letter: Letter | null = null;
  #recipient: Recipient | null = null;
  #seq = 0;

  constructor(book: Book, who: string, identity: string, tracer: Tracer | null) {
    this.#book = book;
    this.#who = who;
    this.#identity = identity;
    this.#tracer = tracer;
  }

  before(letter: Letter, recipient: Recipient | null): number {
    this.#letter = letter;
    this.#recipient = recipient;
    this.#seq += 1;
    return this.#tracer?.before(letter, recipient) ?? this.#seq;
  }

  after(): void {
    this.#tracer?.after();
    const recipient = this.#recipient;
    const after =
      recipient instanceof HostedActor ? stateText(recipient.snapshot.value) : recipient === null ? 'nobody' : '';
    if (this.#letter !== null) this.#book.delivered(this.#who, this.#identity, this.#letter, after);
  }
}
