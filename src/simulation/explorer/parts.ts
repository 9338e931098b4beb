import type { ContainerCall, LeaseCall, Message } from './model.ts';
import type { VersionMap } from './versions.ts';
import { mapAnswer, mapExpected, negativesOf } from './versions.ts';

/** Gives every distinct value one object: equality is identity then, and a key is a few small numbers. */
export class Pool<T> {
  readonly all: T[] = [];
  readonly #known = new Map<string, T>();

  take(key: string, make: (id: number) => T): T {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = make(this.all.length);
    this.#known.set(key, made);
    this.all.push(made);
    return made;
  }
}

/** A message; what is derived from it is kept beside it. */
export class Note {
  readonly id: number;
  readonly message: Message;
  readonly negatives: readonly bigint[];
  readonly derived = new Map<string, Note>();
  readonly requests = new Map<string, Request>();
  /** The timer that it sets, by the place of who sets it. */
  readonly timers: (Timer | undefined)[] = [];

  constructor(id: number, message: Message) {
    this.id = id;
    this.message = message;
    this.negatives = negativesOf(message);
  }
}

/** What a call asks of the store. */
export class Request {
  readonly id: number;
  readonly call: LeaseCall | ContainerCall;
  readonly derived = new Map<string, Request>();
  /** What its caller hears when it fails, by outcome. */
  readonly failures = new Map<string, Note>();
  /** Calls that ask it, by state, age and answer. */
  readonly calls = new Map<number, Call>();

  constructor(id: number, call: LeaseCall | ContainerCall) {
    this.id = id;
    this.call = call;
  }
}

/**
 * `asked`: made just now. `delayed`: on its way to the store. `answered`: applied, the answer is on its way back.
 * `stray`: the caller has given up, it may still arrive. `orphan`: the process that made it is dead.
 */
export type CallState = (typeof CALL_STATES)[number];
const CALL_STATES = ['asked', 'delayed', 'answered', 'stray', 'orphan'] as const;

/** Nobody waits for its answer. */
export const isGivenUp = ({ state }: Call): boolean => state === 'stray' || state === 'orphan';

export interface Call {
  readonly id: number;
  readonly state: CallState;
  readonly request: Request;
  readonly sentAtMs: number;
  readonly answer: Note | null;
}

export interface Timer {
  readonly id: number;
  /** The same timer one tick later, and under the names that `normalise.ts` gives it. */
  later: Timer | null;
  current: Timer | null;
  stale: Timer | null;
  /** What its owner hears when it is due. */
  readonly elapsed: Note;
  /** Place of the actor that set it. */
  readonly owner: number;
  /** `retry:3`: what for, and which one. */
  readonly name: string;
  readonly number: string;
  readonly dueIn: number;
}

export interface Contender {
  readonly id: number;
  /** What it says, by what that is. */
  readonly notes: Map<string, Note>;
  /** Session that the function runs for; `''` when it does not run. */
  readonly session: string;
  readonly toldToStop: boolean;
  readonly hasStarted: boolean;
  readonly hasConfirmed: boolean;
  /** It takes its time with what it does next. */
  readonly isSlow: boolean;
  /** Confirmations whose promise is open. */
  readonly open: number;
}

/** JSON that knows bigint and Map. */
export function text(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    return part instanceof Map ? [...part] : part;
  });
}

/** The oldest moment that still makes a difference, in ticks: an answer that old brings no valid deadline any more. */
const LONG_AGO = -2;

/** Everything that a participant is made of beside its machines. */
export class Parts {
  readonly #notes = new Pool<Note>();
  readonly #requests = new Pool<Request>();
  #callCount = 0;
  readonly #timers = new Pool<Timer>();
  readonly #contenders = new Pool<Contender>();

  note(message: Message): Note {
    return this.#notes.take(text(message), (id) => new Note(id, message));
  }

  noteFrom(note: Note, key: string, change: (message: Message) => Message): Note {
    const known = note.derived.get(key);
    if (known !== undefined) return known;
    const made = this.note(change(note.message));
    note.derived.set(key, made);
    return made;
  }

  request(call: LeaseCall | ContainerCall): Request {
    return this.#requests.take(text(call), (id) => new Request(id, call));
  }

  requestFrom(request: Request, key: string, change: (call: Request['call']) => Request['call']): Request {
    const known = request.derived.get(key);
    if (known !== undefined) return known;
    const made = this.request(change(request.call));
    request.derived.set(key, made);
    return made;
  }

  /** Only the age of a call whose answer sets a deadline, and whether its answer is overdue, makes a difference. */
  call(state: CallState, request: Request, sentAtMs: number, answer: Note | null): Call {
    const { port, kind } = request.call;
    const setsDeadline = port === 'lease' && (kind === 'acquire' || kind === 'renew');
    const sent = state === 'stray' || state === 'orphan' ? 0 : Math.max(setsDeadline ? LONG_AGO : -1, sentAtMs);
    const key = ((answer === null ? 0 : answer.id + 1) * 4 - sent) * 8 + CALL_STATES.indexOf(state);
    const known = request.calls.get(key);
    if (known !== undefined) return known;
    const made: Call = { id: this.#callCount++, state, request, sentAtMs: sent, answer };
    request.calls.set(key, made);
    return made;
  }

  mapCall(call: Call, map: VersionMap): Call {
    const { port } = call.request.call;
    const request = this.requestFrom(call.request, map.key, (asked) => mapExpected(asked, map));
    const answer =
      call.answer && this.noteFrom(call.answer, `${port}${map.key}`, (message) => mapAnswer(message, map[port]));
    return this.call(call.state, request, call.sentAtMs, answer);
  }

  timer(owner: number, name: string, number: string, dueIn: number): Timer {
    return this.#timers.take(`${owner}${name}:${number},${dueIn}`, (id) => {
      const is = number === '' ? name : `${name}:${number}`;
      const elapsed = this.note({ type: 'timer.elapsed', id: is, nowMs: 0 } as Message);
      return { id, later: null, current: null, stale: null, elapsed, owner, name, number, dueIn };
    });
  }

  /** One tick later. */
  later(timer: Timer): Timer {
    timer.later ??= this.timer(timer.owner, timer.name, timer.number, Math.max(0, timer.dueIn - 1));
    return timer.later;
  }

  contender(is: Omit<Contender, 'id' | 'notes'>): Contender {
    const key = `${is.session},${is.toldToStop},${is.hasStarted},${is.hasConfirmed},${is.isSlow},${is.open}`;
    return this.#contenders.take(key, (id) => ({ ...is, id, notes: new Map() }));
  }

  idle(open: number): Contender {
    return this.contender({
      session: '',
      toldToStop: false,
      hasStarted: false,
      hasConfirmed: false,
      isSlow: false,
      open,
    });
  }
}
