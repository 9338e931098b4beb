import { STORE } from './cells.ts';
import { grownOlder, hearNews, withNews } from './hearing.ts';
import type { Local } from './local.ts';
import { type ContainerCall, DRIVER, type LeaseCall, type Message, REGISTER, UP } from './model.ts';
import type { MoveList } from './move.ts';
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
  readonly #list: MoveList;

  constructor(is: Participants, stores: Stores, local: Local, store: Store, isHolder: boolean, list: MoveList) {
    this.#is = is;
    this.#stores = stores;
    this.#local = local;
    this.#store = store;
    this.#isHolder = isHolder;
    this.#list = list;
  }

  of(at: number): void {
    const call = this.#local.calls[at] as Call;
    const gone = { ...this.#local, calls: this.#local.calls.filter((one) => one !== call) };
    if (call.state === 'answered') {
      if (this.#local.status !== UP) return;
      const hear = () => ({ local: this.#hear(gone, call, call.answer as Note) });
      this.#list.add(`${nameOf(call)}: the late answer`, hear);
      return;
    }
    const effect = this.#stores.apply(this.#store, call.request, this.#isHolder);
    if (call.state === 'asked') this.#asked(call, gone, effect);
    else if (effect !== null && call.state === 'delayed') this.#done(call, gone, effect, 'arrives late');
    else if (effect !== null) {
      const leavesLease = effect.takesLease && call.state === 'orphan';
      const seen = leavesLease ? { ...effect, takesLease: false } : effect;
      this.#list.add(`${nameOf(call)}, given up, arrives after all`, () => {
        return { local: this.#watched(this.#older(gone, effect), seen, true), ...effectOf(effect), leavesLease };
      });
    }
  }

  #done(call: Call, gone: Local, effect: Effect, how: string): void {
    this.#list.add(`${nameOf(call)} ${how}`, () => {
      return { local: this.#watched(this.#answered(call, gone, effect), effect, true), ...effectOf(effect) };
    });
  }

  /** Done at once and heard of at once; or, each for a fault, late, refused, or not heard of. */
  #asked(call: Call, gone: Local, effect: Effect | null): void {
    const { parts } = this.#is;
    const [name, asks] = [nameOf(call), call.request.call];
    const fails = (how: string, to: Local, outcome: Failure): void => {
      this.#list.addFault(`${name} ${how}`, () => ({ local: this.#hear(to, call, failure(parts, call, outcome)) }));
    };
    const onItsWay = (state: 'delayed' | 'stray') => this.#with(gone, parts.call(state, call.request, 0, null));
    if (effect !== null) {
      this.#done(call, gone, effect, 'is done');
      this.#late(call, gone, effect);
      this.#list.addFault(`${name} is delayed`, () => ({ local: onItsWay('delayed') }));
    }
    fails('is refused', gone, 'refused');
    if (asks.kind === 'read') return;
    if (asks.port === 'container' && asks.puts.length > 0) fails('is too large', gone, 'too-large');
    fails('is given up, still on its way', onItsWay('stray'), 'unknown');
  }

  #late(call: Call, gone: Local, effect: Effect): void {
    const { parts } = this.#is;
    const name = nameOf(call);
    const result = effectOf(effect);
    this.#list.addFault(`${name} is done, its answer is late`, () => {
      // The answer itself shows the version that the write has made: it is not made older with the rest.
      const answered = parts.call('answered', call.request, 0, effect.answer);
      return { local: this.#watched(this.#with(this.#older(gone, effect), answered), effect, true), ...result };
    });
    if (effect.change === null) return;
    this.#list.addFault(`${name} is done, the own watch is late`, () => {
      return { local: this.#watched(this.#answered(call, gone, effect), effect, false), ...result };
    });
    this.#list.addFault(`${name} is done, the others' watch is late`, () => {
      const local = this.#watched(this.#answered(call, gone, effect), effect, true);
      return { local, ...result, othersLate: true };
    });
    this.#list.addFault(`${name} is done, its answer is lost`, () => {
      const lost = this.#hear(this.#older(gone, effect), call, failure(parts, call, 'unknown'));
      return { local: this.#watched(lost, effect, true), ...result };
    });
  }

  #with(local: Local, call: Call): Local {
    return { ...local, calls: [...local.calls, call] };
  }

  #answered(call: Call, gone: Local, effect: Effect): Local {
    return this.#hear(this.#older(gone, effect), call, effect.answer);
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
