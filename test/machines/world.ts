import type { Observation } from '../../machines/invariants.ts';
import type { LeaderInformation, Session } from '../../machines/vocabulary.ts';
import type { Message } from './world-participant.ts';
import { Participant } from './world-participant.ts';
import { LeaseStore, RegisterStore } from './world-stores.ts';

interface Call {
  readonly by: Participant;
  readonly message: Message;
  readonly sentAtMs: number;
}
interface Timer {
  readonly by: Participant;
  readonly address: string;
  readonly id: string;
  readonly atMs: number;
}
interface Running {
  readonly by: Participant;
  readonly component: string;
  readonly session: Session;
  told: boolean;
  confirms: boolean;
}

const CALL_TIMEOUT_MS = 2_000;

/**
 * Two participants with two components each, a lease store, a register and one clock. Every message between machines
 * is in order; when a store answers, loses an answer or applies a write late, when watches deliver and what contenders
 * do is up to the draws.
 */
export class World {
  readonly trace: Observation[] = [];
  nowMs = 0;
  readonly participants: readonly Participant[];
  readonly register: RegisterStore;
  readonly lease: LeaseStore;
  /** `participant/component/session` of every confirmation that was answered "committed" and not ended since. */
  readonly confirmed = new Map<string, string>();
  readonly closedShells = new Set<string>();
  #calls: Call[] = [];
  #floating: Call[] = [];
  #timers: Timer[] = [];
  #running: Running[] = [];
  #watches: { readonly by: Participant; readonly message: Message }[] = [];
  #confirms = 0;
  /** Cut off from the stores: no answer, no watch, every call runs into its time-out. */
  readonly #cut = new Set<Participant>();

  constructor() {
    this.lease = new LeaseStore(() => {
      for (const by of this.participants) {
        this.#watches.push({ by, message: { type: 'record.seen', to: 'driver', record: this.lease.record } });
      }
    });
    this.register = new RegisterStore(
      (changed) => this.#announce(changed),
      (component, { sessionId }, withdrawnBy) => {
        this.trace.push({ kind: 'entry.deleted', component, sessionId, withdrawnBy });
      },
    );
    this.participants = ['p', 'q'].map((name) => {
      const one: Participant = new Participant(name, ['a', 'b'], (from, message) => this.#hear(one, from, message));
      return one;
    });
    for (const one of this.participants) one.start();
  }

  act(draw: number): void {
    const rest = Math.floor(draw / 18);
    const someone = this.participants[rest % 2];
    if (someone === undefined) return;
    const acts = [
      () => this.#answer(rest),
      () => this.#answer(0),
      () => this.#answer(0),
      () => this.#deliverWatch(rest),
      () => this.#deliverWatch(rest),
      () => this.#advance(),
      () => this.#advance(),
      () => this.#advance(),
      () => this.#confirm(rest),
      () => this.#confirm(rest),
      () => this.#settle(rest, rest % 3 === 0),
      () => this.#arrive(),
      () => rest % 2 === 0 && this.register.erase(rest % 3 === 0 ? 'a' : 'b'),
      () => rest % 8 < 2 && someone.post({ type: 'step-down', to: 'election', requestId: `r${draw}` }),
      () => rest % 10 < 2 && someone.post({ type: 'close', to: `leadership:${rest % 3 === 0 ? 'a' : 'b'}` }),
      () => rest % 14 < 2 && this.close(someone),
      () => this.#cut.add(someone),
      () => rest % 4 < 2 && this.#cut.delete(someone),
    ];
    acts[draw % 18]?.();
  }

  close(one: Participant): void {
    for (const component of one.components) one.post({ type: 'close', to: `leadership:${component}` });
    one.post({ type: 'close', to: 'election' });
  }

  /** Faults have ended: stores answer at once, watches deliver, those told to stop stop, the others confirm. */
  calm(forMs: number): void {
    const end = this.nowMs + forMs;
    this.#floating = [];
    this.#cut.clear();
    for (let turn = 0; turn < 5_000; turn++) {
      if (this.#settleDown()) continue;
      if (!this.#advance(end)) return;
    }
    throw new Error('it does not come to rest');
  }

  /** Does one thing that needs no time; false when there is none. */
  #settleDown(): boolean {
    const told = this.#running.findIndex((one) => one.told);
    const silent = this.#running.findIndex((one) => !one.confirms);
    if (this.#calls.length > 0) this.#answer(0);
    else if (this.#watches.length > 0) this.#deliverWatch(0);
    else if (told >= 0) this.#settle(told, false);
    else if (silent >= 0) this.#confirm(silent);
    else return false;
    return true;
  }

  rest(): void {
    const stored = [...this.register.entries].map(([component, entry]) => [component, entry.sessionId] as const);
    const confirmed = [...this.confirmed].map(([key, sessionId]) => [key.slice(2), sessionId] as const);
    this.trace.push({ kind: 'rest', confirmed: new Map(confirmed), stored: new Map(stored) });
  }

  /** The soonest timer fires, or a call runs into its time-out; nothing is ever late. */
  #advance(untilMs = Number.POSITIVE_INFINITY): boolean {
    const timer = this.#timers.reduce<Timer | null>((a, b) => (a === null || b.atMs < a.atMs ? b : a), null);
    const call = this.#calls[0];
    const lateMs = call === undefined ? Number.POSITIVE_INFINITY : call.sentAtMs + CALL_TIMEOUT_MS;
    if (Math.min(lateMs, timer?.atMs ?? Number.POSITIVE_INFINITY) > untilMs) {
      this.nowMs = untilMs;
      return false;
    }
    if (call !== undefined && lateMs <= (timer?.atMs ?? Number.POSITIVE_INFINITY)) {
      this.nowMs = Math.max(this.nowMs, lateMs);
      this.#calls.shift();
      this.#floating.push(call);
      this.#reply(call, unknownTo(call.message));
    } else if (timer !== null) {
      this.nowMs = Math.max(this.nowMs, timer.atMs);
      this.#timers = this.#timers.filter((one) => one !== timer);
      timer.by.post({ type: 'timer.elapsed', to: timer.address, id: timer.id, nowMs: this.nowMs });
    }
    return true;
  }

  #answer(draw: number): void {
    const reachable = this.#calls.filter(({ by }) => !this.#cut.has(by));
    const call = reachable[draw % Math.max(1, Math.min(2, reachable.length))];
    if (call === undefined) return;
    this.#calls = this.#calls.filter((one) => one !== call);
    const how = draw % 7;
    if (how === 4 || how === 5) this.#reply(call, unknownTo(call.message));
    if (how === 4) this.#floating.push(call);
    if (how === 6) this.#reply(call, refusalOf(call.message));
    if (how === 4 || how === 6) return;
    const answer = this.#apply(call);
    if (how !== 5) this.#reply(call, answer);
  }

  /** A write whose answer was given up arrives at its store after all. */
  #arrive(): void {
    const call = this.#floating.shift();
    if (call !== undefined) this.#apply(call);
  }

  #apply({ by, message }: Call) {
    return message.type.startsWith('lease') ? this.lease.apply(by.name, message) : this.register.apply(message);
  }

  #reply({ by, message, sentAtMs }: Call, answer: Readonly<Record<string, unknown>> & { readonly type: string }): void {
    const isLease = message.type.startsWith('lease');
    const { nowMs } = this;
    const sessionId = answer.sessionId ?? message.sessionId;
    by.post({ ...answer, sessionId, sentAtMs, answeredAtMs: nowMs, nowMs, to: isLease ? 'driver' : 'register' });
  }

  #deliverWatch(draw: number): void {
    const reachable = this.#watches.filter(({ by }) => !this.#cut.has(by));
    const by = reachable[draw % Math.max(1, reachable.length)]?.by;
    // In order for each participant, whatever the others have got so far.
    const watch = reachable.find((one) => one.by === by);
    if (watch === undefined) return;
    this.#watches = this.#watches.filter((one) => one !== watch);
    watch.by.post({ ...watch.message, nowMs: this.nowMs });
  }

  #announce(changed: ReadonlyMap<string, LeaderInformation | null>): void {
    const { version, fence } = this.register;
    for (const by of this.participants) {
      this.#watches.push({ by, message: { type: 'register.observed', to: 'election', version, fence, changed } });
    }
  }

  #confirm(draw: number): void {
    const one = this.#running[draw % Math.max(1, this.#running.length)];
    if (one === undefined) return;
    one.confirms = true;
    const confirmId = `c${++this.#confirms}`;
    this.trace.push({ kind: 'promise.opened', id: confirmId });
    const reachable = { address: `${one.by.name}-${draw % 2}`, metadata: {} };
    const to = `leadership:${one.component}`;
    one.by.post({ type: 'contender.confirm', to, sessionId: one.session.id, confirmId, reachable });
  }

  #settle(draw: number, fails: boolean): void {
    const at = draw % Math.max(1, this.#running.length);
    const one = this.#running[at];
    if (one === undefined || (!one.told && !fails)) return;
    this.#running.splice(at, 1);
    this.confirmed.delete(`${one.by.name}/${one.component}`);
    this.trace.push({ kind: 'contender.settled', ...this.#of(one.by, one.component, one.session.id) });
    const outcome = fails ? 'failed' : 'returned';
    one.by.post({ type: 'contender.settled', to: `leadership:${one.component}`, sessionId: one.session.id, outcome });
  }

  #of(by: Participant, component: string, sessionId: string) {
    return { participant: by.name, component, sessionId };
  }

  #hear(by: Participant, from: string, message: Message): void {
    const { to, type } = message;
    if (to === 'store') this.#calls.push({ by, message, sentAtMs: this.nowMs });
    if (to === 'clock') this.#setTimer(by, from, message);
    if (to === 'tenure' && type === 'election.closed') this.closedShells.add(by.name);
    if (to === 'election' && type === 'lease.acquired') {
      const { id, fencingToken } = message.session as Session;
      this.trace.push({ kind: 'lease.acquired', participant: by.name, sessionId: id, token: fencingToken });
    }
    if (to.startsWith('contender:')) this.#tellContender(by, to.slice('contender:'.length), message);
  }

  #setTimer(by: Participant, address: string, { type, id, atMs, afterMs }: Message): void {
    this.#timers = this.#timers.filter((one) => one.by !== by || one.address !== address || one.id !== id);
    if (type !== 'timer.set') return;
    const at = atMs === undefined ? this.nowMs + Number(afterMs) : Number(atMs);
    this.#timers.push({ by, address, id: String(id), atMs: at });
  }

  #tellContender(by: Participant, component: string, message: Message): void {
    const key = `${by.name}/${component}`;
    if (message.type === 'contender.start') {
      const session = message.session as Session;
      this.#running.push({ by, component, session, told: false, confirms: false });
      this.trace.push({ kind: 'contender.started', ...this.#of(by, component, session.id) });
    }
    if (message.type === 'contender.stop') {
      this.confirmed.delete(key);
      for (const one of this.#running) {
        if (one.by === by && one.component === component && one.session.id === message.sessionId) one.told = true;
      }
      this.trace.push({ kind: 'contender.told-to-stop', ...this.#of(by, component, String(message.sessionId)) });
    }
    if (message.type !== 'confirm.settled') return;
    for (const id of message.confirmIds as readonly string[]) {
      this.trace.push({ kind: 'promise.settled', id });
      if (message.outcome === 'committed') this.confirmed.set(key, String(message.sessionId));
    }
  }
}

function unknownTo({ type, readId, writeId }: Message) {
  if (type === 'container.read') return { type: 'read.failed', readId };
  if (type === 'container.write') return { type: 'write.unknown', writeId };
  return type === 'lease.read' ? { type: 'read.failed' } : { type: `${type.slice('lease.'.length)}.unknown` };
}

function refusalOf(message: Message) {
  if (message.type === 'container.write') {
    return { type: 'write.refused', writeId: message.writeId, reason: 'unavailable' };
  }
  if (/read$/.test(message.type)) return unknownTo(message);
  return { type: `${message.type.slice('lease.'.length)}.refused` };
}
