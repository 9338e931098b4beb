import type { TraceLine, TraceStep } from '../../ports/trace.ts';
import { stepOf, traceLine } from '../../runtime/tracer.ts';
import type { Told, ToldDelivery } from '../../simulation/explorer/index.ts';
import { msToIso } from '../text/iso-time.ts';
import { participantName } from './counterexample.ts';

/** A tick of the explorer as the recording shows it. */
const TICK_MS = 1_000;

interface Sent {
  readonly seq: number;
  readonly to: string;
  readonly type: string;
}

/** The way to a violation as a recording: every message that was handled, and a note for what is no message. */
export class ExplorerRecording {
  readonly lines: TraceLine[] = [];
  #ticks = 0;
  /** What each participant's actors have sent in this step and nobody has handled yet. */
  #sent: Sent[] = [];

  constructor(title: string) {
    const world = { lease: {}, register: { version: '0', fence: null, entries: {} } };
    this.lines.push({ ...this.#base('start', title), kind: 'start', from: 'explorer', to: 'explorer', world });
  }

  static of(title: string, told: readonly Told[], broken: readonly [invariant: string, detail: string]): TraceLine[] {
    const recording = new ExplorerRecording(title);
    for (const step of told) recording.#step(step);
    const [invariant, detail] = broken;
    recording.#note('violated', `${invariant}: ${detail}`, ['broken', invariant, detail]);
    return recording.lines;
  }

  #step({ label, who, deliveries }: Told): void {
    if (who < 0) this.#ticks += 1;
    this.#sent = [];
    const name = who < 0 ? '' : participantName(who);
    this.#note(label, name, ['note', 'explorer', name === '' ? label : `${name}: ${label}`]);
    for (const delivery of deliveries) this.#deliver(delivery);
  }

  #deliver(delivery: ToldDelivery): void {
    const { participant, from, to, message, before, after, commands, verdict } = delivery;
    const seq = this.lines.length + 1;
    const letter = { from, to, message, cause: this.#causeOf(delivery) };
    for (const type of commands) this.#sent.push({ seq, to: `${participant}`, type });
    const step: TraceStep | null = verdict === null ? null : stepOf({ before, after, verdict, letter, commands });
    const { t, at } = this.#now();
    const name = participantName(participant);
    this.lines.push(traceLine({ seq, t, at, letter, step, isDropped: false, participant: name }, 0));
  }

  /** Messages inside a participant are handled in the order in which they were sent. */
  #causeOf({ participant, message }: ToldDelivery): number | null {
    const at = this.#sent.findIndex(({ to, type }) => to === `${participant}` && type === message.type);
    if (at < 0) return null;
    const [sent] = this.#sent.splice(at, 1);
    return sent?.seq ?? null;
  }

  #note(event: string, detail: string, finding: NonNullable<TraceLine['finding']>): void {
    this.lines.push({ ...this.#base(event, detail), finding });
  }

  #base(event: string, detail: string): TraceLine {
    const nothing = { session: null, token: null, attempt: null, cause: null, delivery: 'delivered' } as const;
    const { t, at } = this.#now();
    const seq = this.lines.length + 1;
    return { v: 1, seq, t, at, from: 'explorer', to: 'tenure', kind: 'event', event, ...nothing, detail };
  }

  #now(): { readonly t: number; readonly at: string } {
    const t = this.#ticks * TICK_MS;
    return { t, at: msToIso(t) };
  }
}
