import { monotonicNs, NS_PER_MS } from '../../drivers/system/monotonic.ts';
import { TenureError } from '../../errors.ts';
import type { OpenBackend } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';
import { span, tenths } from '../text/durations.ts';
import { isoToMs } from '../text/iso-time.ts';
import { DEMO_COMPONENTS, type FromWorker } from './messages.ts';
import type { Narrator } from './narrator.ts';
import { Observations } from './observations.ts';
import { Participant } from './participant.ts';

export const NAMES = ['alpha', 'beta', 'gamma'] as const;

/** Between two acts, so that a person can follow. */
const PAUSE_MS = 1_000;
/** Whatever one step waits for comes long before this, even on a busy machine. */
const STEP_LIMIT_MS = 20_000;

interface Waiting {
  readonly isOver: () => boolean;
  readonly settle: () => void;
}

/** Runs the play: three participants stand, the leader is killed, the next one steps down, the third takes over. */
export class Director {
  readonly seen = new Observations();
  start = { ns: monotonicNs(), at: '' };
  /** When the lease of the killed leader runs out. */
  #expiryNs: bigint | null = null;
  #stepDownNs: bigint | null = null;
  readonly #clock: Clock;
  readonly #narrator: Narrator;
  readonly #interrupted: AbortSignal;
  readonly #cast: readonly Participant[];
  readonly #ready = new Set<string>();
  readonly #gone = new Set<string>();
  readonly #granted = new Set<string>();
  #waiting: Waiting[] = [];

  constructor(narrator: Narrator, clock: Clock, interrupted: AbortSignal, workerArgs: readonly string[]) {
    this.#narrator = narrator;
    this.#clock = clock;
    this.start.at = clock.isoNow();
    this.#interrupted = interrupted;
    interrupted.addEventListener('abort', () => this.#check(), { once: true });
    this.#cast = NAMES.map(
      (name) =>
        new Participant(
          name,
          workerArgs,
          (message) => this.#hear(name, message),
          (ns) => this.#died(name, ns),
        ),
    );
  }

  /** Follows the store from outside. Returns the function that stops it. */
  follow({ lease, register }: OpenBackend): () => void {
    const stopLease = lease.watch((record) => {
      this.seen.lease = record;
    });
    const stopRegister = register.watch((state) => {
      const fresh = this.seen.follow(state);
      if (fresh.length > 0) this.#confirmed(monotonicNs(), fresh);
      this.#check();
    });
    return () => {
      stopLease();
      stopRegister();
    };
  }

  async play(): Promise<void> {
    await this.#until('three participants to start', () => this.#ready.size === NAMES.length);
    this.start = { ns: monotonicNs(), at: this.#clock.isoNow() };
    this.#narrator.begin(this.start);
    this.#narrator.tell(this.start.ns, {
      participant: null,
      mark: 'standby',
      word: '',
      what: 'three participants stand',
    });
    for (const participant of this.#cast) participant.tell({ kind: 'stand' });
    const first = await this.#nextLeader(null);
    await this.#pause();
    this.#kill(first);
    const second = await this.#nextLeader(first);
    await this.#pause();
    this.#stepDown(second);
    await this.#nextLeader(second);
    await this.#pause();
    for (const participant of this.#cast) participant.tell({ kind: 'close' });
    await this.#until(
      'the participants to close',
      () => NAMES.every((name) => !this.seen.leads(name)) && this.#closed === 2,
    );
  }

  /** Nothing of the cast outlives this. */
  async dismiss(): Promise<void> {
    for (const participant of this.#cast) participant.dismiss();
    for (const participant of this.#cast) if (!this.#gone.has(participant.name)) participant.kill();
    await new Promise<void>((settle) => this.#wait({ isOver: () => this.#gone.size === NAMES.length, settle }));
  }

  #closed = 0;

  #hear(name: string, message: FromWorker): void {
    this.seen.hear(name, message);
    const ns = BigInt(message.ns);
    if (message.kind === 'ready') this.#ready.add(name);
    else if (message.kind === 'closed') this.#closed += 1;
    else if (message.kind === 'began') this.#began(name, ns, message);
    else if (message.kind === 'ended' && !this.seen.leads(name)) this.#narrator.rests(ns, name);
    else if (message.kind === 'publishing') {
      const what = `${message.component} started, publishing ${message.address}`;
      this.#narrator.tell(ns, { participant: name, mark: 'pending', word: 'confirm-pending', what });
    }
    this.#check();
  }

  #began(participant: string, ns: bigint, { sessionId, token }: Extract<FromWorker, { kind: 'began' }>): void {
    if (this.#granted.has(sessionId)) return;
    this.#granted.add(sessionId);
    const after = this.#expiryNs === null ? '' : ` (${sinceExpiry(ns - this.#expiryNs)})`;
    this.#expiryNs = null;
    const what = `${participant} is granted, token ${token}${after}`;
    this.#narrator.tell(ns, { participant, mark: 'pending', word: 'grant-pending', what });
  }

  #confirmed(ns: bigint, components: readonly string[]): void {
    const participant = this.#leader();
    if (participant === null) return;
    const seen = `followers see ${components.join(' and ')} on ${participant}`;
    const what = `${seen}${this.#handOver(ns)}`;
    this.#narrator.tell(ns, { participant, mark: 'confirmed', word: 'confirmed', what });
  }

  #handOver(ns: bigint): string {
    if (this.#stepDownNs === null || !this.#allConfirmed()) return '';
    const tookMs = Number(ns - this.#stepDownNs) / NS_PER_MS;
    this.#stepDownNs = null;
    return `; the hand-over took ${span(tookMs)}`;
  }

  #kill(name: string): void {
    const ns = monotonicNs();
    this.#member(name).kill();
    const { lease } = this.seen;
    const renewedMs = isoToMs(lease?.renewedAt ?? '');
    const nowMs = isoToMs(this.#clock.isoNow());
    const leftMs = lease === null || renewedMs === null || nowMs === null ? 0 : renewedMs + lease.durationMs - nowMs;
    this.#expiryNs = ns + BigInt(Math.round(leftMs * NS_PER_MS));
    const what = `${name} is killed; its lease runs out in ${tenths(leftMs)}`;
    this.#narrator.tell(ns, { participant: name, mark: 'lost', word: 'kill -9', what });
    this.#note(ns, name, 'kill -9');
  }

  #stepDown(name: string): void {
    this.#stepDownNs = monotonicNs();
    this.#member(name).tell({ kind: 'step-down' });
    const what = `${name} stops its work, then gives the lock back`;
    this.#narrator.tell(this.#stepDownNs, { participant: name, mark: 'confirmed', word: 'step down', what });
    this.#note(this.#stepDownNs, name, 'step-down');
  }

  #note(ns: bigint, participant: string, event: string): void {
    this.seen.notes.push({ ns, at: this.#clock.isoNow(), participant, event });
  }

  /** Waits until another than `before` is confirmed in every component. */
  async #nextLeader(before: string | null): Promise<string> {
    let leader: string | null = null;
    await this.#until('a leader to be confirmed', () => {
      leader = this.#allConfirmed() ? this.#leader() : null;
      return leader !== null && leader !== before;
    });
    return leader ?? '';
  }

  #allConfirmed(): boolean {
    const session = this.seen.lease?.sessionId;
    return DEMO_COMPONENTS.every((component) => this.seen.entries.get(component)?.sessionId === session);
  }

  #leader(): string | null {
    return NAMES.find((name) => this.seen.lease?.holder.startsWith(`${name}-`)) ?? null;
  }

  #member(name: string): Participant {
    const found = this.#cast.find((participant) => participant.name === name);
    if (found === undefined) throw new TypeError(`nobody is called ${name}`);
    return found;
  }

  #died(name: string, ns: bigint): void {
    this.#gone.add(name);
    this.seen.died(name, ns);
    this.#check();
  }

  async #pause(): Promise<void> {
    let over = false;
    const cancel = this.#clock.setTimer(PAUSE_MS, () => {
      over = true;
      this.#check();
    });
    await this.#until('a pause to end', () => over).finally(cancel);
  }

  async #until(what: string, isOver: () => boolean): Promise<void> {
    let late = false;
    const cancel = this.#clock.setTimer(STEP_LIMIT_MS, () => {
      late = true;
      this.#check();
    });
    const interrupted = () => this.#interrupted.aborted;
    await new Promise<void>((settle) => this.#wait({ isOver: () => late || interrupted() || isOver(), settle }));
    cancel();
    if (interrupted()) throw new Interrupted();
    if (!late || isOver()) return;
    const complaints = this.#cast.map(({ complaint }) => complaint.trim()).filter((text) => text !== '');
    throw new TenureError('backend-unavailable', `waited ${span(STEP_LIMIT_MS)} for ${what}. ${complaints.join(' ')}`, {
      outcome: 'unknown',
      next: 'What was recorded until then is kept.',
    });
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#check();
  }

  #check(): void {
    const over = this.#waiting.filter(({ isOver }) => isOver());
    this.#waiting = this.#waiting.filter((waiting) => !over.includes(waiting));
    for (const { settle } of over) settle();
  }
}

/** Somebody pressed Ctrl-C. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

function sinceExpiry(ns: bigint): string {
  const ms = Number(ns) / NS_PER_MS;
  return ms < 0 ? `${span(-ms)} before expiry` : `${span(ms)} after expiry`;
}
