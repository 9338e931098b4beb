import { hearNews, withNews } from './call-moves.ts';
import type { Local, Scope, Shared } from './model.ts';
import { movesOf } from './moves.ts';
import { keyOf, normalise, passTick, shiftVersions, text } from './normalise.ts';
import { Participants } from './participant.ts';
import { StateTable } from './state-table.ts';
import { beginning, type Moved } from './store.ts';
import { type Traits, traitsOf } from './traits.ts';

const TICK = -1;

/** Gives every distinct value a small number. */
class Interner<T> {
  readonly values: T[] = [];
  readonly #ids = new Map<string, number>();
  readonly #key: (value: T) => string;

  constructor(key: (value: T) => string) {
    this.#key = key;
  }

  id(value: T): number {
    const key = this.#key(value);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#ids.set(key, this.values.length);
    this.values.push(value);
    return this.values.length - 1;
  }
}

/** One memoised move, flat. */
interface Outcome {
  readonly label: string;
  readonly local: number;
  readonly shared: number;
  readonly takesLease: boolean;
  readonly shift: number;
  readonly isFault: boolean;
  readonly othersLate: boolean;
  readonly broken: string | null;
}

export interface Found {
  readonly invariant: string;
  readonly detail: string;
  readonly state: number;
}

export interface Exploration {
  readonly states: number;
  readonly edges: number;
  readonly depth: number;
  readonly locals: number;
  readonly shareds: number;
  readonly evaluated: number;
  readonly isComplete: boolean;
  readonly found: Found | null;
  readonly trace: readonly string[];
  readonly bytesPerState: number;
}

export interface SearchOptions {
  readonly scope: Scope;
  readonly maxStates: number;
  readonly participants?: Participants;
  readonly onProgress?: (states: number, frontier: number) => void;
}

/** Breadth-first over worlds; a world is a row of small integers: shared state, holder, one number per participant. */
export class Search {
  readonly #scope: Scope;
  readonly #participants: Participants;
  readonly #locals = new Interner<Local>(keyOf);
  readonly #shareds = new Interner<Shared>(text);
  readonly #shifts = new Interner<Moved>(text);
  readonly #traits: Traits[] = [];
  readonly #outcomes = new Map<number, readonly Outcome[]>();
  readonly #heard = new Map<number, number>();
  readonly #ticked: number[] = [];
  readonly #table: StateTable;
  readonly #options: SearchOptions;
  #evaluated = 0;
  #edges = 0;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#scope = options.scope;
    this.#participants = options.participants ?? new Participants(options.scope);
    this.#table = new StateTable(options.scope.participants + 2, options.maxStates);
  }

  run(): Exploration {
    const { participants: count } = this.#scope;
    const fresh = this.#local(this.#participants.fresh());
    const first = [this.#shareds.id(beginning(this.#scope)), 0, ...Array.from({ length: count }, () => fresh)];
    this.#table.add(first, -1, 0);
    let levelEnd = 1;
    let depth = 0;
    let found: Found | null = null;
    let at = 0;
    for (; at < this.#table.size && found === null; at++) {
      if (at === levelEnd) {
        depth += 1;
        levelEnd = this.#table.size;
      }
      if ((at & 0xffff) === 0) this.#options.onProgress?.(at, this.#table.size - at);
      found = this.#expand(at);
      if (this.#table.size >= this.#options.maxStates) break;
    }
    return {
      states: this.#table.size,
      edges: this.#edges,
      depth,
      locals: this.#locals.values.length,
      shareds: this.#shareds.values.length,
      evaluated: this.#evaluated,
      isComplete: found === null && at === this.#table.size,
      found,
      trace: found === null ? [] : this.#traceTo(found.state),
      bytesPerState: this.#table.bytesPerState,
    };
  }

  #expand(at: number): Found | null {
    const row = this.#table.row(at);
    const [shared = 0, holder = 0] = row;
    let mayTick = true;
    let isQuiet = true;
    for (let p = 0; p < this.#scope.participants; p++) {
      const local = row[p + 2] ?? 0;
      const traits = this.#traitsOf(local);
      if (traits.isBusy) mayTick = false;
      if (!traits.isQuiet) isQuiet = false;
      const outcomes = this.#outcomesOf(local, shared, holder === p + 1);
      for (let o = 0; o < outcomes.length; o++) {
        const found = this.#follow(at, row, p, outcomes[o] as Outcome, o);
        if (found !== null) return found;
      }
    }
    if (isQuiet) {
      const found = this.#checkQuiet(at, row);
      if (found !== null) return found;
    }
    if (mayTick) this.#tick(at, row);
    return null;
  }

  #follow(at: number, row: readonly number[], p: number, outcome: Outcome, index: number): Found | null {
    this.#edges += 1;
    const next = [outcome.shared, outcome.takesLease ? p + 1 : (row[1] ?? 0)];
    for (let other = 0; other < this.#scope.participants; other++) {
      const local = row[other + 2] ?? 0;
      next.push(
        other === p
          ? outcome.local
          : outcome.shift < 0
            ? local
            : this.#hear(local, outcome, !outcome.takesLease && row[1] === other + 1),
      );
    }
    const state = this.#table.add(this.#canonical(next), at, p * 4096 + index);
    if (outcome.broken !== null) {
      const [invariant = '', detail = ''] = split(outcome.broken);
      return { invariant, detail, state };
    }
    if (outcome.takesLease) return this.#checkTakeOver(row, p, state);
    return null;
  }

  /** I1 and I7: when the lease changes hands, nobody else may hold a valid session or still work untold. */
  #checkTakeOver(row: readonly number[], p: number, state: number): Found | null {
    for (let other = 0; other < this.#scope.participants; other++) {
      if (other === p) continue;
      const traits = this.#traitsOf(row[other + 2] ?? 0);
      if (traits.isValid) return { invariant: 'I1', detail: 'acquired while another session is still valid', state };
      if (traits.works) return { invariant: 'I7', detail: 'acquired while a contender works that was not told', state };
    }
    return null;
  }

  /** I8 and I9, where nothing is on its way any more. */
  #checkQuiet(at: number, row: readonly number[]): Found | null {
    const { entries } = this.#shareds.values[row[0] ?? 0] as Shared;
    for (let p = 0; p < this.#scope.participants; p++) {
      const { confirmed, openPromises } = this.#traitsOf(row[p + 2] ?? 0);
      if (openPromises)
        return { invariant: 'I9', detail: 'at rest with a confirmation that was never answered', state: at };
      const wrong = confirmed.findIndex((token, c) => token > 0 && entries[c] !== token);
      if (wrong >= 0)
        return {
          invariant: 'I8',
          detail: `at rest, c${wrong} confirmed, but its entry is not in the store`,
          state: at,
        };
    }
    return null;
  }

  #tick(at: number, row: readonly number[]): void {
    this.#edges += 1;
    const next = row.map((value, index) => (index < 2 ? value : this.#passTick(value)));
    this.#table.add(this.#canonical(next), at, TICK);
  }

  /** Participants that behave alike are interchangeable: one order stands for all. */
  #canonical(row: number[]): number[] {
    const count = this.#scope.participants;
    if (count !== 2) return canonicalOrder(row, count);
    const [shared = 0, holder = 0, a = 0, b = 0] = row;
    const swap = a > b || (a === b && holder === 2);
    return swap ? [shared, holder === 0 ? 0 : 3 - holder, b, a] : row;
  }

  #local(local: Local): number {
    return this.#locals.id(normalise(local));
  }

  #traitsOf(local: number): Traits {
    const known = this.#traits[local];
    if (known !== undefined) return known;
    const traits = traitsOf(this.#locals.values[local] as Local);
    this.#traits[local] = traits;
    return traits;
  }

  #outcomesOf(local: number, shared: number, isHolder: boolean): readonly Outcome[] {
    const key = (local * 2 + (isHolder ? 1 : 0)) * 2 ** 22 + shared;
    const known = this.#outcomes.get(key);
    if (known !== undefined) return known;
    const outcomes: Outcome[] = [];
    const from = this.#locals.values[local] as Local;
    for (const move of movesOf(
      this.#scope,
      this.#participants,
      from,
      this.#shareds.values[shared] as Shared,
      isHolder,
    )) {
      this.#evaluated += 1;
      outcomes.push({
        label: move.label,
        local: this.#local(move.local),
        shared: this.#shareds.id(move.shared),
        takesLease: move.takesLease,
        shift: move.moved === null ? -1 : this.#shifts.id(move.moved),
        isFault: move.isFault,
        othersLate: move.othersLate,
        broken: move.broken ?? move.local.broken,
      });
    }
    this.#outcomes.set(key, outcomes);
    return outcomes;
  }

  /** Another participant: what it knew is one version older, and its watch tells it so. */
  #hear(local: number, { shift, shared, othersLate }: Outcome, isHolder: boolean): number {
    const key = ((local * 2 ** 14 + shared) * 2 ** 10 + shift) * 4 + (isHolder ? 2 : 0) + (othersLate ? 1 : 0);
    const known = this.#heard.get(key);
    if (known !== undefined) return known;
    const moved = this.#shifts.values[shift] as Moved;
    const told = withNews(shiftVersions(this.#locals.values[local] as Local, moved), moved);
    const turn = this.#participants.turn.bind(this.#participants);
    const heard = this.#local(
      othersLate ? told : hearNews(turn, told, this.#shareds.values[shared] as Shared, isHolder),
    );
    this.#heard.set(key, heard);
    return heard;
  }

  #passTick(local: number): number {
    const known = this.#ticked[local];
    if (known !== undefined) return known;
    const ticked = this.#local(passTick(this.#locals.values[local] as Local));
    this.#ticked[local] = ticked;
    return ticked;
  }

  #traceTo(state: number): string[] {
    const labels: string[] = [];
    for (let at = state; at > 0; ) {
      const parent = this.#table.parent(at);
      labels.push(this.#labelOf(parent, this.#table.action(at)));
      at = parent;
    }
    return labels.reverse();
  }

  #labelOf(parent: number, action: number): string {
    if (action === TICK) return 'time passes';
    const row = this.#table.row(parent);
    const p = Math.floor(action / 4096);
    const outcome = this.#outcomesOf(row[p + 2] ?? 0, row[0] ?? 0, row[1] === p + 1)[action % 4096];
    return `${'AB'[p] ?? p}: ${outcome?.label ?? ''}`;
  }
}

function canonicalOrder(row: readonly number[], count: number): number[] {
  const [shared = 0, holder = 0] = row;
  const order = Array.from({ length: count }, (_, p) => p).sort(
    (a, b) => (row[a + 2] ?? 0) - (row[b + 2] ?? 0) || (holder === b + 1 ? 1 : 0) - (holder === a + 1 ? 1 : 0),
  );
  const place = holder === 0 ? 0 : order.indexOf(holder - 1) + 1;
  return [shared, place, ...order.map((p) => row[p + 2] ?? 0)];
}

function split(broken: string): [string, string] {
  const at = broken.indexOf(': ');
  return [broken.slice(0, at), broken.slice(at + 2)];
}
