import type { LeaseContext } from '../../../machines/lease-messages.ts';
import { CallMoves } from './call-moves.ts';
import { CLOCK, CONTENDER, NOBODY } from './cells.ts';
import { grownOlder, hearNews, withNews } from './hearing.ts';
import type { Local } from './local.ts';
import {
  componentName,
  DOWN,
  DRIVER,
  ELECTION,
  entryNews,
  FENCE_NEWS,
  LEADERSHIP,
  LEASE_NEWS,
  type Message,
  PAUSED,
  UP,
  VALIDITY,
} from './model.ts';
import { type Move, MoveList } from './move.ts';
import { killed, type Participants } from './participant.ts';
import type { Contender, Note, Parts, Timer } from './parts.ts';
import type { Edited, Store, Stores } from './stores.ts';

/** A contender answers at once, before anything else happens; being slow costs a fault. */
export const isPrompt = ({ session, isSlow, hasConfirmed, toldToStop }: Contender): boolean =>
  session !== '' && !isSlow && (toldToStop || !hasConfirmed);

/** Every move of one participant, given what the store holds. */
export class Moves {
  readonly #is: Participants;
  readonly #stores: Stores;
  readonly #stepDown: Note;
  readonly #close: Note;
  /** The last `of` met a call that the scope leaves unanswered: no session is left to grant. */
  atLimit = false;

  constructor(is: Participants, stores: Stores) {
    this.#is = is;
    this.#stores = stores;
    this.#stepDown = is.parts.note({ type: 'step-down', requestId: 'r' } as Message);
    this.#close = is.parts.note({ type: 'close' });
  }

  /** The prompt course of things, or else deviations from it. */
  of(local: Local, store: Store, isHolder: boolean, wantsFaults: boolean): Move[] {
    const list = new MoveList(store, wantsFaults);
    const { status, calls } = local;
    this.atLimit = calls.some(
      ({ state, request }) =>
        (state === 'asked' || state === 'delayed') && this.#stores.apply(store, request, isHolder) === null,
    );
    const callMoves = new CallMoves(this.#is, this.#stores, local, store, isHolder, list);
    if (status === UP) this.#up(local, store, isHolder, callMoves, list);
    else {
      for (let at = 0; at < calls.length; at++) callMoves.of(at);
      if (status === DOWN) list.add('starts again', () => ({ local: { ...this.#is.fresh(), calls } }));
      else list.add('goes on', () => ({ local: this.#thawed(local) }));
    }
    return list.moves;
  }

  /** What is prompt comes first: contenders, then calls in the order in which they were made, then everything else. */
  #up(local: Local, store: Store, isHolder: boolean, callMoves: CallMoves, list: MoveList): void {
    const prompt = local.contenders.findIndex(isPrompt);
    const asked = local.calls.findIndex(({ state }) => state === 'asked');
    if (prompt >= 0) this.#contender(local, prompt, list);
    else if (asked >= 0) callMoves.of(asked);
    else {
      for (let at = 0; at < local.calls.length; at++) callMoves.of(at);
      this.#rest(local, store, isHolder, list);
    }
    this.#harm(local, isHolder, list);
  }

  /** Nothing that is prompt is left. */
  #rest(local: Local, store: Store, isHolder: boolean, list: MoveList): void {
    const hears = (news: number) => () => {
      return { local: hearNews(this.#is, this.#stores, { ...local, news }, store, isHolder) };
    };
    if (local.news !== 0) list.add('the watch catches up', hears(local.news));
    // Everything that a watch says, it may say again.
    else {
      list.addFault('the watch repeats itself', () => {
        const heard = hears(everything(store))();
        return { ...heard, broken: startsWaitAnew(local, heard.local) };
      });
    }
    for (const timer of local.timers) {
      if (timer.dueIn > 0) continue;
      const label = `the clock: ${timer.name} of ${this.#ownerOf(timer)}`;
      list.add(label, () => ({ local: this.#elapse(local, timer) }));
    }
    local.contenders.forEach(({ session }, at) => {
      if (session !== '') this.#contender(local, at, list);
    });
    this.#closes(local, list);
    const election = local.cells[ELECTION]?.snapshot.value;
    if (typeof election !== 'object' || !('leading' in election)) return;
    list.add('the user steps down', () => {
      return { local: this.#is.turn(local, NOBODY, ELECTION, this.#stepDown), isByUser: true };
    });
    this.#edits(local, store, isHolder, list);
  }

  #ownerOf({ owner }: Timer): string {
    return ['election', 'driver', 'validity', 'register'][owner] ?? componentName(owner - LEADERSHIP);
  }

  #elapse(local: Local, timer: Timer): Local {
    const timers = local.timers.filter((one) => one !== timer);
    return this.#is.turn({ ...local, timers }, CLOCK, timer.owner, timer.elapsed);
  }

  /** The first thing that a thawed process does is to run the timers that are overdue; its deadline is among them. */
  #thawed(local: Local): Local {
    const up: Local = { ...local, status: UP };
    const deadline = up.timers.find(({ owner, dueIn }) => owner === VALIDITY && dueIn <= 0);
    return deadline === undefined ? up : this.#elapse(up, deadline);
  }

  #contender(local: Local, at: number, list: MoveList): void {
    const { parts } = this.#is;
    const now = local.contenders[at] as Contender;
    const who = `contender of ${componentName(at)}`;
    const { session: sessionId, toldToStop, hasStarted, hasConfirmed, isSlow, open } = now;
    const becomes = (contender: Contender): Local => {
      return { ...local, contenders: local.contenders.map((one, index) => (index === at ? contender : one)) };
    };
    const says = (contender: Contender, message: Saying) => () => {
      const note = noteOf(parts, now, message);
      return { local: this.#is.turn(becomes(contender), CONTENDER - at, LEADERSHIP + at, note) };
    };
    const settles = (outcome: string) => says(parts.idle(open), { type: 'contender.settled', sessionId, outcome });
    if (!hasStarted && !toldToStop) {
      const started = parts.contender({ ...now, hasStarted: true, isSlow: false });
      list.add(`${who} starts`, says(started, { type: 'contender.started', sessionId }));
    } else if (!hasConfirmed && !toldToStop) {
      const reachable = { address: 'a', metadata: {} };
      const message = { type: 'contender.confirm', sessionId, confirmId: 'x', reachable };
      const confirming = parts.contender({ ...now, hasConfirmed: true, isSlow: false, open: open + 1 });
      list.add(`${who} confirms`, says(confirming, message));
    }
    if (toldToStop) list.add(`${who} has stopped`, settles('returned'));
    else {
      list.addFault(`${who} fails`, settles('failed'));
      list.addFault(`${who} returns`, settles('returned'));
    }
    if (isSlow || (hasConfirmed && !toldToStop)) return;
    const slow = () => ({ local: becomes(parts.contender({ ...now, isSlow: true })) });
    list.addFault(`${who} is slow to ${toldToStop ? 'stop' : hasStarted ? 'confirm' : 'start'}`, slow);
  }

  /** One component leaves; or all of them, and then the participant, as `close()` of the runtime does it. */
  #closes(local: Local, list: MoveList): void {
    const places = local.contenders.flatMap((_, at) => ((local.roster & (1 << at)) === 0 ? [] : [LEADERSHIP + at]));
    const closed = (from: Local, place: number): Local => this.#is.turn(from, NOBODY, place, this.#close);
    for (const place of places) {
      list.addFault(`the user closes ${componentName(place - LEADERSHIP)}`, () => ({ local: closed(local, place) }));
    }
    if (places.length === 0) return;
    list.addFault('the user closes everything', () => ({ local: closed(places.reduce(closed, local), ELECTION) }));
  }

  #edits(local: Local, store: Store, isHolder: boolean, list: MoveList): void {
    const edit = (label: string, edited: Edited): void => {
      list.addFault(label, () => {
        const told = withNews(grownOlder(this.#is, local, edited.change.map), edited.change);
        return { local: hearNews(this.#is, this.#stores, told, edited.store, isHolder), ...edited };
      });
    };
    const asked = this.#stores.askStepDown(store);
    if (asked !== null) edit('somebody asks for a step-down', asked);
    store.is.entries.forEach((token, at) => {
      const name = componentName(at);
      if (token !== 0) edit(`somebody: entry of ${name} deleted`, this.#stores.edit(store, at, 0));
      if (token !== -1) edit(`somebody: entry of ${name} replaced by an old one`, this.#stores.edit(store, at, -1));
    });
  }

  #harm(local: Local, isHolder: boolean, list: MoveList): void {
    const { parts } = this.#is;
    list.addFault('freezes', () => {
      const calls = local.calls.map((call) =>
        call.state === 'asked' ? parts.call('delayed', call.request, call.sentAtMs, null) : call,
      );
      return { local: { ...local, status: PAUSED, calls } };
    });
    list.addFault('is killed', () => ({ local: killed(this.#is, local), leavesLease: isHolder }));
  }
}

const everything = ({ is }: Store): number =>
  is.entries.reduce((news, _, at) => news | entryNews(at), LEASE_NEWS | FENCE_NEWS);

const expiryOf = ({ timers }: Local): number => timers.find(({ name }) => name === 'expiry')?.dueIn ?? 0;

/** What a watch repeats is news to one who heard only of an older record, by a late answer. */
const knowsNewest = ({ cells }: Local): boolean =>
  (cells[DRIVER]?.snapshot.context as LeaseContext | undefined)?.record?.version === 0n;

/** Repetitions are finite here; what each of them puts off would be put off for ever by a watch that goes on repeating. */
const startsWaitAnew = (before: Local, after: Local): string | null =>
  knowsNewest(before) && expiryOf(before) > 0 && expiryOf(after) > expiryOf(before)
    ? 'liveness: a record that is repeated starts the wait for its expiry anew'
    : null;

type Saying = Message & { readonly sessionId: string; readonly outcome?: string };

function noteOf(parts: Parts, { notes }: Contender, message: Saying): Note {
  const key = `${message.type}${message.outcome}`;
  const known = notes.get(key);
  if (known !== undefined) return known;
  const note = parts.note(message);
  notes.set(key, note);
  return note;
}
