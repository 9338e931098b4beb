import type { InvariantViolation, Observation } from '../../machines/invariants.ts';
import { checkTrace } from '../../machines/invariants.ts';
import { MemoryBoard } from '../../src/drivers/memory/index.ts';
import type { TraceLine } from '../../src/ports/trace.ts';
import type { Finding } from '../../src/runtime/api.ts';
import { TraceText } from '../../src/runtime/trace-text.ts';
import { settle } from '../../src/simulation/settle.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import type { Participant } from './participant.ts';

interface Hook {
  readonly participant: string;
  readonly to: string;
  readonly event: string;
  readonly run: () => void;
}

export interface WorldSettings {
  /** Heads of the recipients whose messages are shown: `leadership`, `election`, … */
  readonly show: readonly string[];
  /** Events that are left out all the same. */
  readonly hide: readonly string[];
}

/** The stage of one story: one store, one clock, any number of participants, and the book that is kept of it. */
export class World {
  readonly election = 'billing';
  readonly clock = new VirtualClock();
  readonly board = new MemoryBoard();
  readonly text = new TraceText();
  readonly participants = new Map<string, Participant>();
  /** Also those whose name has been opened again since. */
  readonly everyone: Participant[] = [];
  readonly observations: Observation[] = [];
  /** Promises that have not settled yet: id → what they are for. */
  readonly pending = new Map<string, string>();
  readonly #settings: WorldSettings;
  #hooks: Hook[] = [];
  /** Component of a participant → the session that its contender was started for and not told to stop. */
  readonly #granted = new Map<string, string>();
  /** Commands that failed inside a hook. */
  readonly #failed: string[] = [];
  #lines: string[] = [];

  constructor(settings: WorldSettings) {
    this.#settings = settings;
  }

  participant(name: string): Participant {
    const found = this.participants.get(name);
    if (found === undefined) throw new Error(`${name} has not been opened`);
    return found;
  }

  /** The session that the participant of that identity leads by, now. */
  sessionOf(identity: string): string | null {
    return this.everyone.find(({ tenure }) => tenure.identity === identity)?.tenure.state.sessionId ?? null;
  }

  get register() {
    return this.#board.register;
  }
  get lease() {
    return this.#board.lease;
  }
  get #board() {
    return this.board.election(this.election, () => this.clock.isoNow());
  }

  note(participant: string, text: string): void {
    this.#lines.push(this.text.note(this.clock.nowMs(), participant, text));
  }

  say(text: string): void {
    this.#lines.push(this.text.tidy(text));
  }

  find(participant: string, finding: Finding): void {
    const { code, component, detail } = finding;
    this.note(participant, `finding ${code}${component === null ? '' : ` (${component})`}: ${detail}`);
  }

  record(participant: string, line: TraceLine): void {
    this.#observe(line);
    if (this.#isShown(line)) {
      this.#lines.push(this.text.line({ ...line, t: this.clock.nowMs(), participant }));
    }
    const isDue = (hook: Hook): boolean =>
      hook.participant === participant && hook.to === line.to && hook.event === line.event;
    const due = this.#hooks.filter(isDue);
    this.#hooks = this.#hooks.filter((hook) => !due.includes(hook));
    // Once only, and right behind what the message itself has posted.
    for (const hook of due) hook.run();
  }

  when(hook: Omit<Hook, 'run'>, run: () => Promise<void>): void {
    const fail = (error: unknown): void => void this.#failed.push(`when … ${hook.event}: ${error}`);
    this.#hooks.push({ ...hook, run: () => void run().catch(fail) });
  }

  takeLines(): string[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines.length === 0 ? ['ok'] : lines;
  }

  advance(ms: number): Promise<void> {
    return this.clock.advance(ms, settle);
  }

  /** Grants and revocations as the component's contender is told of them; to end by itself is to be revoked. */
  #observe({ to, event, session, participant = '' }: TraceLine): void {
    if (session === null) return;
    const component = to.slice(to.indexOf(':') + 1);
    const key = `${participant}/${component}`;
    if (to.startsWith('contender:') && event === 'contender.start') {
      this.#granted.set(key, session);
      this.observations.push({ kind: 'granted', participant, component, sessionId: session });
    }
    const isEnd = event === (to.startsWith('contender:') ? 'contender.stop' : 'contender.settled');
    if (isEnd && this.#granted.get(key) === session) {
      this.#granted.delete(key);
      this.observations.push({ kind: 'revoked', participant, component, sessionId: session });
    }
  }

  #isShown({ kind, to, event }: TraceLine): boolean {
    const head = to.split(':')[0] ?? to;
    return kind !== 'start' && this.#settings.show.includes(head) && !this.#settings.hide.includes(event);
  }

  /**
   * Ends all faults, lets the world come to rest, closes everybody, and tells what was broken: invariants, timers that
   * are left, hooks that never came true.
   */
  async finish(): Promise<string[]> {
    for (const { clock, faults, contenders } of this.everyone) {
      clock.wake();
      faults.clear();
      faults.thaw();
      faults.reconnect();
      faults.release();
      for (const contender of contenders.values()) {
        contender.manner.ignoresStop = false;
        if (contender.hasOverstayed) contender.end('return');
      }
    }
    await this.advance(60_000);
    await this.#observeRest();
    for (const participant of this.everyone) participant.promise('close', participant.tenure.close());
    await this.advance(60_000);
    const broken = checkTrace(this.observations).map((violation) => this.#violationText(violation));
    if (this.clock.pending > 0) broken.push(`${this.clock.pending} timers are left when all have closed`);
    return [...broken, ...this.#failed, ...this.#hooks.map(({ to, event }) => `when … ${to} ${event} never came true`)];
  }

  async #observeRest(): Promise<void> {
    const reading = await this.register.read({ timeoutMs: 1 });
    if (reading.outcome !== 'found') return;
    const confirmed = new Map<string, string>();
    for (const { leadings } of this.everyone) {
      for (const { state } of leadings.values()) {
        if (state.phase === 'confirmed' && state.sessionId !== null) confirmed.set(state.component, state.sessionId);
      }
    }
    const stored = new Map<string, string>();
    for (const [component, entry] of reading.state.changed) {
      if (entry !== null) stored.set(component, entry.sessionId);
    }
    this.observations.push({ kind: 'rest', confirmed, stored });
  }

  #violationText({ invariant, detail }: InvariantViolation): string {
    return `${invariant}: ${this.text.tidy(detail)}`;
  }
}
