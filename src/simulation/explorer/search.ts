import { type Coverage, CoverageCounter } from './coverage.ts';
import type { Scope } from './model.ts';
import {
  CHANGE,
  COLUMNS,
  FLAGS,
  IS_BROKEN,
  IS_BUSY,
  IS_BY_USER,
  IS_PROMPT,
  IS_QUIET,
  LABEL,
  LEAVES_LEASE,
  LOCAL,
  OTHERS_LATE,
  Outcomes,
  STORE,
  TAKES_LEASE,
} from './outcomes.ts';
import { type Machines, Participants, shippedMachines } from './participant.ts';
import { QuietEnds } from './quiet-ends.ts';
import { Ints, RowTable } from './row-table.ts';
import { beginning, type StoreRules } from './store.ts';
import { Stores } from './stores.ts';

export interface Found {
  readonly invariant: string;
  readonly detail: string;
  readonly state: number;
}

export interface SearchOptions {
  readonly scope: Scope;
  /** The search stops there and says that it is not complete. */
  readonly maxStates: number;
  readonly machines?: Partial<Machines>;
  readonly store?: StoreRules;
  /** Off: every order of participants and components is visited for itself. For checking the symmetries. */
  readonly symmetry?: boolean;
}

/** Column of a world that holds its store; and the one with who holds the lease (0: nobody) and how many faults are left. */
const STORE_IS = 0;
const HOLDER = 1;
/** The first participant. */
const FIRST = 2;
const FAULT_LEFT = 16;

const holderOf = (column: number): number => column % FAULT_LEFT;

/**
 * Breadth-first over worlds. A world is a row of small integers: the store, who holds the lease, and one number for
 * each participant; what a participant can do is found out once and then looked up.
 */
export class Search {
  readonly outcomes: Outcomes;
  readonly participants: Participants;
  readonly stores: Stores;
  readonly scope: Scope;
  readonly table: RowTable;
  found: Found | null = null;
  depth = 0;
  edges = 0;
  readonly #parents = new Ints();
  readonly #maxStates: number;
  readonly #row: Int32Array;
  readonly #next: Int32Array;
  readonly #best: Int32Array;
  readonly #symmetry: boolean;
  readonly #coverage: CoverageCounter;
  readonly #quietEnds = new QuietEnds();
  #isSettled = false;
  #at = 0;
  #levelEnd = 1;

  constructor({ scope, maxStates, machines, store, symmetry = true }: SearchOptions) {
    this.scope = scope;
    this.#symmetry = symmetry;
    this.#maxStates = maxStates;
    const all = { ...shippedMachines, ...machines };
    this.#coverage = new CoverageCounter(all);
    this.participants = new Participants(scope, all, this.#coverage.taken);
    this.stores = new Stores(scope, this.participants.parts, store);
    this.outcomes = new Outcomes(this.participants, this.stores, scope.components);
    const width = scope.participants + 2;
    this.table = new RowTable(width);
    this.#row = new Int32Array(width);
    this.#next = new Int32Array(width);
    this.#best = new Int32Array(width);
    const fresh = this.participants.id(this.participants.fresh());
    this.#next.fill(fresh);
    this.#next[STORE_IS] = this.stores.take(beginning(scope)).id;
    this.#next[HOLDER] = scope.faults * FAULT_LEFT;
    this.#add(-1);
  }

  get states(): number {
    return this.table.size;
  }

  get frontier(): number {
    return this.table.size - this.#at;
  }

  get isComplete(): boolean {
    return this.found === null && this.#at === this.table.size;
  }

  get bytes(): number {
    return this.table.bytes + this.#parents.bytes + this.#quietEnds.bytes;
  }

  /** Expands at most so many more worlds. True when there is nothing left to do. */
  advance(worlds: number): boolean {
    const end = this.#at + worlds;
    while (this.#at < this.table.size && this.#at < end && this.found === null) {
      if (this.table.size >= this.#maxStates) return true;
      if (this.#at === this.#levelEnd) {
        this.depth += 1;
        this.#levelEnd = this.table.size;
      }
      this.#expand(this.#at++);
    }
    if (this.#at === this.table.size && this.found === null) this.#settle();
    return this.found !== null || this.#at === this.table.size;
  }

  run(): this {
    while (!this.advance(Number.POSITIVE_INFINITY));
    return this;
  }

  coverage(): Coverage[] {
    return this.#coverage.of(this.participants.cells.pool.all);
  }

  /** Liveness can only be told once every world is known. */
  #settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const state = this.#quietEnds.firstHopeless(this.table.size);
    if (state < 0) return;
    const detail = 'from here no course without faults ends with one leader and every confirmed entry stored';
    this.found = { invariant: 'liveness', detail, state };
  }

  #expand(at: number): void {
    const { outcomes, table } = this;
    const row = this.#row;
    for (let i = 0; i < row.length; i++) row[i] = table.get(at, i);
    let any = 0;
    let all = IS_QUIET;
    for (let p = FIRST; p < row.length; p++) {
      const readiness = outcomes.readiness(row[p] as number);
      any |= readiness;
      all &= readiness;
    }
    const isPrompt = (any & IS_PROMPT) !== 0;
    const faults = (row[HOLDER] as number) >= FAULT_LEFT;
    for (let p = FIRST; p < row.length && this.found === null; p++) {
      if (isPrompt && (outcomes.readiness(row[p] as number) & IS_PROMPT) === 0) continue;
      this.#followAll(at, p, false);
      if (faults) this.#followAll(at, p, true);
    }
    if (this.found !== null) return;
    if (all === IS_QUIET) this.#checkQuiet(at);
    if ((any & IS_BUSY) === 0 && this.found === null) this.#tick(at);
  }

  #followAll(at: number, p: number, faults: boolean): void {
    const { outcomes } = this;
    const row = this.#row;
    const isHolder = holderOf(row[HOLDER] as number) === p - 1;
    const index = outcomes.of(row[p] as number, row[STORE_IS] as number, isHolder, faults);
    if (!faults && outcomes.isAtLimit(index)) this.#quietEnds.end(at);
    const end = outcomes.start(index) + outcomes.count(index) * COLUMNS;
    for (let edge = outcomes.start(index); edge < end && this.found === null; edge += COLUMNS) {
      this.#follow(at, p, edge, faults);
    }
  }

  #follow(at: number, p: number, edge: number, isFault: boolean): void {
    const { edges } = this.outcomes;
    const flags = edges.at(edge + FLAGS);
    this.edges += 1;
    this.#successor(p, edge, isFault);
    const state = this.#add(at);
    if (!isFault && (flags & IS_BY_USER) === 0) this.#quietEnds.step(at, state);
    if ((flags & IS_BROKEN) !== 0) {
      const [invariant = '', detail = ''] = split(this.outcomes.labelText(edges.at(edge + LABEL)));
      this.found = { invariant, detail, state };
    } else if ((flags & TAKES_LEASE) !== 0) this.#checkTakeOver((flags & LEAVES_LEASE) !== 0 ? -1 : p, state);
  }

  /** Writes into `#next` what becomes of the world when participant `p` takes that edge. */
  #successor(p: number, edge: number, isFault: boolean): void {
    const { edges } = this.outcomes;
    const row = this.#row;
    const next = this.#next;
    const flags = edges.at(edge + FLAGS);
    const isLate = (flags & OTHERS_LATE) !== 0;
    const store = edges.at(edge + STORE);
    const change = edges.at(edge + CHANGE);
    const before = (row[HOLDER] as number) - (isFault ? FAULT_LEFT : 0);
    const takes = (flags & TAKES_LEASE) !== 0;
    const holder = (flags & LEAVES_LEASE) !== 0 ? 0 : takes ? p - 1 : holderOf(before);
    next[STORE_IS] = store;
    next[HOLDER] = before - holderOf(before) + holder;
    for (let other = FIRST; other < row.length; other++) {
      const local = row[other] as number;
      if (other === p) next[other] = edges.at(edge + LOCAL);
      else next[other] = change < 0 ? local : this.outcomes.hear(local, store, change, holder === other - 1, isLate);
    }
  }

  #add(parent: number): number {
    if (this.#symmetry) this.#canonical(this.#next, this.table.probe);
    else this.table.probe.set(this.#next);
    const at = this.table.add();
    if (at < 0) return ~at;
    this.#parents.push(parent);
    return at;
  }

  /** One order of participants, and one of components, stands for all of them. */
  #canonical(next: Int32Array, probe: Int32Array): void {
    sortInto(probe, next);
    for (let which = 0; which < this.outcomes.orders.length; which++) {
      const best = this.#best;
      best[STORE_IS] = this.outcomes.reorderedStore(which, next[STORE_IS] as number);
      best[HOLDER] = next[HOLDER] as number;
      for (let p = FIRST; p < next.length; p++) best[p] = this.outcomes.reordered(which, next[p] as number);
      sortInto(best, best);
      if (isLess(best, probe)) probe.set(best);
    }
  }

  /** I1 and I7: when the lease changes hands, nobody else may hold a valid session or still work untold. */
  #checkTakeOver(p: number, state: number): void {
    for (let other = FIRST; other < this.#row.length; other++) {
      if (other === p) continue;
      const traits = this.outcomes.traits(this.#row[other] as number);
      if (traits.isValid)
        this.found = { invariant: 'I1', detail: 'acquired while another session is still valid', state };
      else if (traits.works) {
        this.found = { invariant: 'I7', detail: 'acquired while a contender works that was not told', state };
      }
    }
  }

  /** One leads (if anybody wants to), its components are all confirmed, and what they confirmed is stored. */
  #endsWell(entries: readonly number[]): boolean {
    let leaders = 0;
    let standing = 0;
    for (let p = FIRST; p < this.#row.length; p++) {
      const { leads, stands, isComplete, confirmed } = this.outcomes.traits(this.#row[p] as number);
      if (stands) standing += 1;
      if (!leads) continue;
      leaders += 1;
      if (!isComplete || confirmed.some((token, at) => token > 0 && entries[at] !== token)) return false;
    }
    return leaders === Math.min(1, standing);
  }

  /** I8 and I9, where nothing is on its way any more. */
  #checkQuiet(state: number): void {
    const { entries } = this.stores.at(this.#row[STORE_IS] as number).is;
    if (this.#endsWell(entries)) this.#quietEnds.end(state);
    for (let p = FIRST; p < this.#row.length; p++) {
      const { confirmed, openPromises } = this.outcomes.traits(this.#row[p] as number);
      if (openPromises) {
        this.found = { invariant: 'I9', detail: 'at rest with a confirmation that was never answered', state };
      }
      const wrong = confirmed.findIndex((token, c) => token > 0 && entries[c] !== token);
      if (wrong < 0) continue;
      this.found = {
        invariant: 'I8',
        detail: `at rest, c${wrong} confirmed, but its entry is not in the store`,
        state,
      };
    }
  }

  #tick(at: number): void {
    this.edges += 1;
    this.#next[STORE_IS] = this.#row[STORE_IS] as number;
    this.#next[HOLDER] = this.#row[HOLDER] as number;
    for (let p = FIRST; p < this.#row.length; p++) this.#next[p] = this.outcomes.passTick(this.#row[p] as number);
    this.#quietEnds.step(at, this.#add(at));
  }

  /** The number of a world; −1 when it was not met. */
  indexOf(store: number, holder: number, faultsLeft: number, locals: readonly number[]): number {
    this.#next.set([store, holder + faultsLeft * FAULT_LEFT, ...locals]);
    if (this.#symmetry) this.#canonical(this.#next, this.table.probe);
    else this.table.probe.set(this.#next);
    return this.table.find();
  }

  /** How many worlds are left when those that differ in names only are counted once. */
  orbits(): number {
    const distinct = new RowTable(this.table.width);
    for (let at = 0; at < this.table.size; at++) {
      this.#read(at, this.#next);
      this.#canonical(this.#next, distinct.probe);
      distinct.add();
    }
    return distinct.size;
  }

  /** How many worlds those that were visited stand for: a search without symmetries has to visit each of them. */
  covered(): number {
    let count = 0;
    for (let at = 0; at < this.table.size; at++) {
      this.#read(at, this.#next);
      count += this.#images(this.#next);
    }
    return count;
  }

  #read(at: number, into: Int32Array): void {
    for (let i = 0; i < into.length; i++) into[i] = this.table.get(at, i);
  }

  #images(row: Int32Array): number {
    const seen = new Set([sorted(row).join()]);
    let count = arrangements(sorted(row));
    for (let which = 0; which < this.outcomes.orders.length; which++) {
      const image = sorted(row.map((value, at) => this.#reorderedColumn(which, value, at)));
      if (seen.has(image.join())) continue;
      seen.add(image.join());
      count += arrangements(image);
    }
    return count;
  }

  #reorderedColumn(which: number, value: number, column: number): number {
    if (column === HOLDER) return value;
    return column === STORE_IS ? this.outcomes.reorderedStore(which, value) : this.outcomes.reordered(which, value);
  }

  /** The worlds from the first one to that one. */
  pathTo(state: number): number[] {
    const path: number[] = [];
    for (let at = state; at > 0; at = this.#parents.at(at)) path.push(at);
    return path.reverse();
  }
}

/** Participants in the order of their numbers; among equal ones the holder of the lease comes first. */
function sortInto(into: Int32Array, row: Int32Array): void {
  if (into !== row) into.set(row);
  for (let i = FIRST + 1; i < into.length; i++) {
    for (let j = i; j > FIRST; j--) {
      const [a, b] = [into[j - 1] as number, into[j] as number];
      const holder = holderOf(into[HOLDER] as number);
      if (a < b || (a === b && holder !== j - 1)) break;
      into[j - 1] = b;
      into[j] = a;
      if (holder === j - 1) into[HOLDER] = (into[HOLDER] as number) - 1;
      else if (holder === j - 2) into[HOLDER] = (into[HOLDER] as number) + 1;
    }
  }
}

const sorted = (row: Int32Array): Int32Array => {
  const into = row.slice();
  sortInto(into, row);
  return into;
};

/** In how many orders these participants can stand; the holder of the lease is unlike the others. */
function arrangements(row: Int32Array): number {
  const same = new Map<number, number>();
  let count = 1;
  for (let p = FIRST; p < row.length; p++) {
    const isHolder = holderOf(row[HOLDER] as number) === p - 1;
    const key = (row[p] as number) * 2 + (isHolder ? 1 : 0);
    const alike = (same.get(key) ?? 0) + 1;
    same.set(key, alike);
    count = (count * (p - FIRST + 1)) / alike;
  }
  return count;
}

function isLess(a: Int32Array, b: Int32Array): boolean {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return (a[i] as number) < (b[i] as number);
  }
  return false;
}

function split(broken: string): [string, string] {
  const at = broken.indexOf(': ');
  return [broken.slice(0, at), broken.slice(at + 2)];
}
