import { CallMoves } from './call-moves.ts';
import { CLOCK, CONTENDER, NOBODY } from './cells.ts';
import { grownOlder, hearNews, withNews } from './hearing.ts';
import {
  componentName,
  DOWN,
  ELECTION,
  entryNews,
  FENCE_NEWS,
  LEADERSHIP,
  LEASE_NEWS,
  type Local,
  type Message,
  PAUSED,
  UP,
  VALIDITY,
} from './model.ts';
import { type Emit, FAULT, type Move } from './move.ts';
import { killed, type Participants } from './participant.ts';
import type { Contender, Note, Timer } from './parts.ts';
import type { Store, Stores } from './stores.ts';

const replaced = <T>(values: readonly T[], at: number, value: T): T[] =>
  values.map((before, index) => (index === at ? value : before));

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

  /** What is prompt comes first: contenders, then calls in the order in which they were made, then everything else. */
  of(local: Local, store: Store, isHolder: boolean): Move[] {
    const moves: Move[] = [];
    this.atLimit = local.calls.some(
      ({ state, request }) =>
        (state === 'asked' || state === 'delayed') && this.#stores.apply(store, request, isHolder) === null,
    );
    const emit: Emit = (move) => {
      const isFault = move.isFault === true;
      if (isFault && store.is.faultsLeft === 0) return;
      const after = move.store ?? store;
      moves.push({
        takesLease: false,
        change: null,
        isFault: false,
        othersLate: false,
        broken: null,
        ...move,
        store: isFault ? this.#stores.afterFault(after) : after,
      });
    };
    const { status, calls } = local;
    const callMoves = new CallMoves(this.#is, this.#stores, local, store, isHolder, emit);
    if (status !== UP) {
      for (let at = 0; at < calls.length; at++) callMoves.of(at);
      if (status === DOWN) emit({ label: 'starts again', local: { ...this.#is.fresh(), calls } });
      else emit({ label: 'goes on', local: this.#thawed(local) });
      return moves;
    }
    const prompt = local.contenders.findIndex(isPrompt);
    const asked = calls.findIndex(({ state }) => state === 'asked');
    if (prompt >= 0) this.#contender(local, prompt, emit);
    else if (asked >= 0) callMoves.of(asked);
    else {
      for (let at = 0; at < calls.length; at++) callMoves.of(at);
      this.#rest(local, store, isHolder, emit);
    }
    this.#harm(local, emit);
    return moves;
  }

  /** Nothing that is prompt is left. */
  #rest(local: Local, store: Store, isHolder: boolean, emit: Emit): void {
    if (local.news !== 0) {
      emit({ label: 'the watch catches up', local: hearNews(this.#is, this.#stores, local, store, isHolder) });
    }
    for (const timer of local.timers) {
      if (timer.dueIn > 0) continue;
      emit({ label: `the clock: ${timer.name} of ${this.#ownerOf(timer)}`, local: this.#elapse(local, timer) });
    }
    local.contenders.forEach(({ session }, at) => {
      if (session !== '') this.#contender(local, at, emit);
    });
    if (local.news === 0) this.#repeat(local, store, isHolder, emit);
    this.#closes(local, emit);
    const election = local.cells[ELECTION]?.snapshot.value;
    if (typeof election !== 'object' || !('leading' in election)) return;
    emit({ label: 'the user steps down', local: this.#is.turn(local, NOBODY, ELECTION, this.#stepDown) });
    this.#edits(local, store, isHolder, emit);
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

  #contender(local: Local, at: number, emit: Emit): void {
    const { parts } = this.#is;
    const now = local.contenders[at] as Contender;
    const who = `contender of ${componentName(at)}`;
    const { session: sessionId, toldToStop, hasConfirmed, isSlow, open } = now;
    const say = (becomes: Contender, message: object): Local => {
      const contenders = replaced(local.contenders, at, becomes);
      return this.#is.turn({ ...local, contenders }, CONTENDER - at, LEADERSHIP + at, parts.note(message as Message));
    };
    if (!hasConfirmed && !toldToStop) {
      const reachable = { address: 'a', metadata: {} };
      const message = { type: 'contender.confirm', sessionId, confirmId: 'x', reachable };
      const confirming = parts.contender({ ...now, hasConfirmed: true, isSlow: false, open: open + 1 });
      emit({ label: `${who} confirms`, local: say(confirming, message) });
    }
    const settled = (outcome: string): Local =>
      say(parts.idle(open), { type: 'contender.settled', sessionId, outcome });
    if (toldToStop) emit({ label: `${who} has stopped`, local: settled('returned') });
    else {
      emit({ label: `${who} fails`, local: settled('failed'), ...FAULT });
      emit({ label: `${who} returns`, local: settled('returned'), ...FAULT });
    }
    if (isSlow || (hasConfirmed && !toldToStop)) return;
    const contenders = replaced(local.contenders, at, parts.contender({ ...now, isSlow: true }));
    emit({ label: `${who} is slow to ${toldToStop ? 'stop' : 'confirm'}`, local: { ...local, contenders }, ...FAULT });
  }

  /** One component leaves; or all of them, and then the participant, as `close()` of the runtime does it. */
  #closes(local: Local, emit: Emit): void {
    let all = local;
    for (let at = 0; at < local.contenders.length; at++) {
      if ((local.roster & (1 << at)) === 0) continue;
      const place = LEADERSHIP + at;
      emit({
        label: `the user closes ${componentName(at)}`,
        local: this.#is.turn(local, NOBODY, place, this.#close),
        ...FAULT,
      });
      all = this.#is.turn(all, NOBODY, place, this.#close);
    }
    if (local.cells[ELECTION]?.snapshot.status !== 'active' || all === local) return;
    emit({ label: 'the user closes everything', local: this.#is.turn(all, NOBODY, ELECTION, this.#close), ...FAULT });
  }

  /** Everything that a watch says, it may say again. */
  #repeat(local: Local, store: Store, isHolder: boolean, emit: Emit): void {
    const entries = store.is.entries.reduce((news, _, at) => news | entryNews(at), 0);
    const everything = { ...local, news: LEASE_NEWS | FENCE_NEWS | entries };
    const heard = hearNews(this.#is, this.#stores, everything, store, isHolder);
    emit({ label: 'the watch repeats itself', local: heard, ...FAULT });
  }

  #edits(local: Local, store: Store, isHolder: boolean, emit: Emit): void {
    const asked = this.#stores.askStepDown(store);
    if (asked !== null) {
      const told = withNews(grownOlder(this.#is, local, asked.change.map), asked.change);
      const heard = hearNews(this.#is, this.#stores, told, asked.store, isHolder);
      emit({ label: 'somebody asks for a step-down', local: heard, ...asked, ...FAULT });
    }
    store.is.entries.forEach((token, at) => {
      for (const by of [0, -1] as const) {
        if (token === by) continue;
        const what = by === 0 ? 'deleted' : 'replaced by an old one';
        const edited = this.#stores.edit(store, at, by);
        const told = withNews(grownOlder(this.#is, local, edited.change.map), edited.change);
        const heard = hearNews(this.#is, this.#stores, told, edited.store, isHolder);
        emit({ label: `somebody: entry of ${componentName(at)} ${what}`, local: heard, ...edited, ...FAULT });
      }
    });
  }

  #harm(local: Local, emit: Emit): void {
    const { parts } = this.#is;
    const calls = local.calls.map((call) =>
      call.state === 'asked' ? parts.call('delayed', call.request, call.sentAtMs, null) : call,
    );
    emit({ label: 'freezes', local: { ...local, status: PAUSED, calls }, ...FAULT });
    emit({ label: 'is killed', local: killed(this.#is, local), ...FAULT });
  }
}
