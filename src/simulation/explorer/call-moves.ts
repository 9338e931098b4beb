import { STORE } from './cells.ts';
import { grownOlder, hearNews, withNews } from './hearing.ts';
import { type ContainerCall, DRIVER, type LeaseCall, type Local, type Message, REGISTER, UP } from './model.ts';
import { type Emit, FAULT } from './move.ts';
import type { Participants } from './participant.ts';
import type { Call, Note, Parts } from './parts.ts';
import type { Effect, Store, Stores } from './stores.ts';

const nameOf = ({ request: { call } }: Call): string => `${call.port}.${call.kind}`;

const effectOf = ({ store, takesLease, change, broken }: Effect) => ({ store, takesLease, change, broken });

/** What one call of a participant can come to, given what the store holds. */
export class CallMoves {
  readonly #is: Participants;
  readonly #stores: Stores;
  readonly #local: Local;
  readonly #store: Store;
  readonly #isHolder: boolean;
  readonly #emit: Emit;

  constructor(is: Participants, stores: Stores, local: Local, store: Store, isHolder: boolean, emit: Emit) {
    this.#is = is;
    this.#stores = stores;
    this.#local = local;
    this.#store = store;
    this.#isHolder = isHolder;
    this.#emit = emit;
  }

  of(at: number): void {
    const call = this.#local.calls[at] as Call;
    if (call.state === 'answered') {
      if (this.#local.status === UP) this.#answered(call, this.#without(call));
      return;
    }
    const effect = this.#stores.apply(this.#store, call.request, this.#isHolder);
    if (call.state === 'stray') {
      if (effect !== null) this.#stray(call, effect);
    } else if (call.state === 'delayed') {
      if (effect !== null) this.#done(call, effect, 'arrives late');
    } else this.#asked(call, effect);
  }

  #without(call: Call): Local {
    return { ...this.#local, calls: this.#local.calls.filter((one) => one !== call) };
  }

  #with(local: Local, call: Call): Local {
    return { ...local, calls: [...local.calls, call] };
  }

  #answered(call: Call, gone: Local): void {
    const local = this.#hear(gone, call, call.answer as Note);
    this.#emit({ label: `${nameOf(call)}: the late answer`, local });
  }

  #stray(call: Call, effect: Effect): void {
    const local = this.#watched(this.#older(this.#without(call), effect), effect, true);
    this.#emit({ label: `${nameOf(call)}, given up, arrives after all`, local, ...effectOf(effect) });
  }

  #done(call: Call, effect: Effect, how: string): void {
    const answered = this.#hear(this.#older(this.#without(call), effect), call, effect.answer);
    const local = this.#watched(answered, effect, true);
    this.#emit({ label: `${nameOf(call)} ${how}`, local, ...effectOf(effect) });
  }

  /** Done at once and heard of at once; or, each for a fault, late, refused, or not heard of. */
  #asked(call: Call, effect: Effect | null): void {
    const { parts } = this.#is;
    const [name, gone] = [nameOf(call), this.#without(call)];
    if (effect !== null) {
      this.#done(call, effect, 'is done');
      this.#late(call, effect);
    }
    const delayed = this.#with(gone, parts.call('delayed', call.request, 0, null));
    if (effect !== null) this.#emit({ label: `${name} is delayed`, local: delayed, ...FAULT });
    const refused = this.#hear(gone, call, failure(parts, call, 'refused'));
    this.#emit({ label: `${name} is refused`, local: refused, ...FAULT });
    const { call: asks } = call.request;
    if (asks.kind === 'read') return;
    if (asks.port === 'container' && asks.puts.length > 0) {
      const tooLarge = this.#hear(gone, call, failure(parts, call, 'too-large'));
      this.#emit({ label: `${name} is too large`, local: tooLarge, ...FAULT });
    }
    const stray = this.#with(gone, parts.call('stray', call.request, 0, null));
    const unknown = this.#hear(stray, call, failure(parts, call, 'unknown'));
    this.#emit({ label: `${name} is given up, still on its way`, local: unknown, ...FAULT });
  }

  #late(call: Call, effect: Effect): void {
    const name = nameOf(call);
    const before = this.#older(this.#without(call), effect);
    const result = { ...effectOf(effect), ...FAULT };
    // The answer itself shows the version that the write has made: it is not made older with the rest.
    const waiting = this.#with(before, this.#is.parts.call('answered', call.request, 0, effect.answer));
    this.#emit({
      label: `${name} is done, its answer is late`,
      local: this.#watched(waiting, effect, true),
      ...result,
    });
    if (effect.change === null) return;
    const answered = this.#hear(before, call, effect.answer);
    const unwatched = this.#watched(answered, effect, false);
    this.#emit({ label: `${name} is done, the own watch is late`, local: unwatched, ...result });
    const local = this.#watched(answered, effect, true);
    this.#emit({ label: `${name} is done, the others' watch is late`, local, ...result, othersLate: true });
    const lost = this.#hear(before, call, failure(this.#is.parts, call, 'unknown'));
    this.#emit({ label: `${name} is done, its answer is lost`, local: this.#watched(lost, effect, true), ...result });
  }

  #older(local: Local, { change }: Effect): Local {
    return change === null ? local : grownOlder(this.#is, local, change.map);
  }

  #hear(to: Local, call: Call, answer: Note): Local {
    const { parts } = this.#is;
    if (to.status !== UP) return this.#with(to, parts.call('answered', call.request, call.sentAtMs, answer));
    const { sentAtMs } = call;
    const timed = parts.noteFrom(answer, `@${sentAtMs}`, (message) => {
      return { ...message, sentAtMs, answeredAtMs: 0, nowMs: 0 } as Message;
    });
    return this.#is.turn(to, STORE, call.request.call.port === 'lease' ? DRIVER : REGISTER, timed);
  }

  #watched(to: Local, { change, store, takesLease }: Effect, heard: boolean): Local {
    if (change === null) return to;
    const told = withNews(to, change);
    return heard ? hearNews(this.#is, this.#stores, told, store, this.#isHolder || takesLease) : told;
  }
}

type Failure = 'refused' | 'unknown' | 'too-large';

function failure(parts: Parts, { request }: Call, outcome: Failure): Note {
  const known = request.failures.get(outcome);
  if (known !== undefined) return known;
  const note = parts.note(failureOf(request.call, outcome));
  request.failures.set(outcome, note);
  return note;
}

function failureOf(call: LeaseCall | ContainerCall, outcome: Failure): Message {
  if (call.port === 'lease') {
    if (call.kind === 'read') return { type: 'read.failed' };
    return { type: `${call.kind}.${outcome}`, sessionId: call.sessionId } as Message;
  }
  if (call.kind === 'read') return { type: 'read.failed', readId: call.id } as Message;
  if (outcome === 'too-large') return { type: 'write.refused', writeId: call.id, reason: 'too-large' } as Message;
  return { type: `write.${outcome}`, writeId: call.id, reason: 'unavailable' } as Message;
}
