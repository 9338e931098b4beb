import type { AnyStateMachine } from 'xstate';
import { allMachines } from '../../../machines/roster.ts';
import { type CellStep, Cells, type Taken } from './cells.ts';
import type { Local } from './local.ts';
import type { MachineName, Scope } from './model.ts';
import {
  componentName,
  DOWN,
  DRIVER,
  ELECTION,
  entryNews,
  FENCE_NEWS,
  LEADERSHIP,
  LEASE_NEWS,
  REGISTER,
  TICKS,
  UP,
  VALIDITY,
} from './model.ts';
import { normalise } from './normalise.ts';
import { type Note, Parts } from './parts.ts';
import { RowTable } from './row-table.ts';
import { Turn } from './turn.ts';

export type Machines = Record<MachineName, AnyStateMachine>;

export const shippedMachines: Machines = {
  election: allMachines.election.machine,
  driver: allMachines.lease.machine,
  validity: allMachines.validity.machine,
  register: allMachines.container.machine,
  leadership: allMachines.leadership.machine,
};

const POLICY = {
  retryBaseMs: 1,
  retryCapMs: 1,
  calmMs: 1,
  stopBoundMs: 2,
  withdrawBoundMs: 2,
  restBaseMs: 1,
  restCapMs: 1,
};

/** Makes and moves participants of one scope. */
export class Participants {
  readonly parts = new Parts();
  readonly cells: Cells;
  readonly machines: Machines;
  /** Every message that is handled is kept in the story of its participant. */
  isTelling = false;
  readonly #components: number;
  readonly #locals: RowTable;
  readonly #lists = new Lists();
  readonly #broken = new Map<string, number>();
  readonly #all: Local[] = [];

  constructor(scope: Scope, machines: Machines = shippedMachines, taken: Taken = () => []) {
    this.#components = scope.components;
    this.#locals = new RowTable(5 + LEADERSHIP + scope.components);
    this.machines = machines;
    this.cells = new Cells(this.machines, this.parts, taken);
  }

  get size(): number {
    return this.#all.length;
  }

  at(id: number): Local {
    return this.#all[id] as Local;
  }

  /** The number of a participant that is in this state, in the smallest numbers that mean the same. */
  id(local: Local): number {
    const small = normalise(this, local);
    const { probe } = this.#locals;
    const { status, roster, news, cells, contenders, timers, calls, broken } = small;
    probe[0] = status + (roster << 2) + (news << 10);
    probe[1] = broken === null ? 0 : this.#brokenId(broken);
    probe[2] = this.#lists.of(contenders);
    probe[3] = this.#lists.of(timers);
    probe[4] = this.#lists.of(calls);
    for (let at = 5; at < probe.length; at++) probe[at] = cells[at - 5]?.id ?? -1;
    const id = this.#locals.add();
    if (id < 0) return ~id;
    this.#all.push(small);
    return id;
  }

  #brokenId(broken: string): number {
    const known = this.#broken.get(broken);
    if (known !== undefined) return known;
    this.#broken.set(broken, this.#broken.size + 1);
    return this.#broken.size;
  }

  fresh(): Local {
    const contenders = Array.from({ length: this.#components }, () => this.parts.idle(0));
    const nothing = {
      status: UP,
      cells: [],
      timers: [],
      calls: [],
      contenders,
      roster: 0,
      news: 0,
      broken: null,
      story: null,
    } as const;
    const turn = new Turn(this, nothing);
    const take = (place: number, input: unknown): void => turn.take(place, this.#start(place, input));
    take(ELECTION, undefined);
    take(DRIVER, { identity: 'me', ...TICKS, retryMs: 1, releaseTries: 2 });
    take(VALIDITY, TICKS);
    take(REGISTER, { retryBaseMs: 1, retryCapMs: 1 });
    for (let at = 0; at < this.#components; at++) {
      take(LEADERSHIP + at, { component: componentName(at), policy: POLICY });
    }
    turn.drain();
    let news = LEASE_NEWS | FENCE_NEWS;
    for (let at = 0; at < this.#components; at++) news |= entryNews(at);
    // The first watch reports everything.
    return { ...turn.result(), news };
  }

  /** Delivers one event and everything that follows from it inside the participant. */
  turn(local: Local, from: number, to: number, note: Note): Local {
    const turn = new Turn(this, local);
    turn.post(from, to, note);
    turn.drain();
    return turn.result();
  }

  #start(place: number, input: unknown): CellStep {
    return this.cells.start(place, input);
  }
}

/** What is left of a participant that was killed: what it sent, and the promises of nobody. */
export function killed({ parts }: Participants, local: Local): Local {
  const sent = local.calls.filter(({ state, request }) => state !== 'answered' && request.call.kind !== 'read');
  return {
    status: DOWN,
    cells: [],
    timers: [],
    calls: sent.map((call) => parts.call('orphan', call.request, 0, null)),
    contenders: local.contenders.map(() => parts.idle(0)),
    roster: 0,
    news: 0,
    broken: null,
    story: local.story,
  };
}

/** Gives every list a number: that of the list without its last item, and the last item. */
class Lists {
  readonly #table = new RowTable(2);

  of(items: readonly { readonly id: number }[]): number {
    const { probe } = this.#table;
    let list = 0;
    for (let at = 0; at < items.length; at++) {
      probe[0] = list;
      probe[1] = (items[at] as { readonly id: number }).id;
      const found = this.#table.add();
      list = (found < 0 ? ~found : found) + 1;
    }
    return list;
  }
}
