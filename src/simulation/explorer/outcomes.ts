import { passTick } from './clockwork.ts';
import { grownOlder, hearNews, withNews } from './hearing.ts';
import type { Local } from './local.ts';
import { Moves } from './moves.ts';
import type { Participants } from './participant.ts';
import { Ints, RowTable } from './row-table.ts';
import type { Stores } from './stores.ts';
import { isIdentity, type Order, ordersOf, reorder, reorderShared } from './symmetry.ts';
import { type Traits, traitsOf } from './traits.ts';

/** Columns of an outcome in `Outcomes.edges`. */
export const LOCAL = 0;
export const STORE = 1;
export const CHANGE = 2;
export const FLAGS = 3;
export const LABEL = 4;
export const COLUMNS = 5;

export const TAKES_LEASE = 1;
export const OTHERS_LATE = 2;
export const IS_BROKEN = 4;
export const LEAVES_LEASE = 8;
export const IS_BY_USER = 16;

export const IS_PROMPT = 1;
export const IS_BUSY = 2;
export const IS_QUIET = 4;

/** Everything that was found out about participants, once each, as numbers. */
export class Outcomes {
  readonly edges = new Ints();
  readonly orders: readonly Order[];
  readonly #participants: Participants;
  readonly #stores: Stores;
  readonly #moves: Moves;
  readonly #known = new RowTable(2);
  /** Three a row of `known`: where its outcomes start, how many there are, whether the scope leaves a call unanswered. */
  readonly #spans = new Ints();
  readonly #hearings = new RowTable(3);
  readonly #heard = new Ints();
  readonly #ticked: number[] = [];
  readonly #traits: Traits[] = [];
  readonly #readiness: number[] = [];
  readonly #reordered: number[][];
  readonly #reorderedStores: number[][];
  readonly #labels = new Map<string, number>();
  readonly #labelTexts: string[] = [];

  constructor(participants: Participants, stores: Stores, components: number) {
    this.#participants = participants;
    this.#stores = stores;
    this.#moves = new Moves(participants, stores);
    this.orders = ordersOf(components).filter((order) => !isIdentity(order));
    this.#reordered = this.orders.map(() => []);
    this.#reorderedStores = this.orders.map(() => []);
  }

  get evaluated(): number {
    return this.edges.size / COLUMNS;
  }

  /** Index of what a participant can do while the store is so, promptly or for a fault; `start`, `count` and `isAtLimit` tell more. */
  of(local: number, store: number, isHolder: boolean, faults: boolean): number {
    this.#known.probe[0] = local;
    this.#known.probe[1] = store * 4 + (isHolder ? 1 : 0) + (faults ? 2 : 0);
    const at = this.#known.add();
    if (at < 0) return ~at;
    this.#evaluate(local, store, isHolder, faults);
    return at;
  }

  start(index: number): number {
    return this.#spans.at(index * 3);
  }

  count(index: number): number {
    return this.#spans.at(index * 3 + 1);
  }

  isAtLimit(index: number): boolean {
    return this.#spans.at(index * 3 + 2) === 1;
  }

  labelText(label: number): string {
    return this.#labelTexts[label] as string;
  }

  /** Another participant: what it knew is one version older, and its watch tells it so. */
  hear(local: number, store: number, change: number, isHolder: boolean, isLate: boolean): number {
    const { probe } = this.#hearings;
    probe[0] = local;
    probe[1] = store;
    probe[2] = change * 4 + (isHolder ? 2 : 0) + (isLate ? 1 : 0);
    const at = this.#hearings.add();
    if (at < 0) return this.#heard.at(~at);
    const is = this.#stores.changeAt(change);
    const told = withNews(grownOlder(this.#participants, this.#participants.at(local), is.map), is);
    const heard = isLate ? told : hearNews(this.#participants, this.#stores, told, this.#stores.at(store), isHolder);
    const id = this.#participants.id(heard);
    this.#heard.push(id);
    return id;
  }

  // These are asked for in every step of the search: no closure, no object.

  /** What of a participant decides who moves next, as bits. */
  readiness(local: number): number {
    const known = this.#readiness[local];
    if (known !== undefined) return known;
    const { isPrompt, isBusy, isQuiet } = this.traits(local);
    const bits = (isPrompt ? IS_PROMPT : 0) | (isBusy ? IS_BUSY : 0) | (isQuiet ? IS_QUIET : 0);
    this.#readiness[local] = bits;
    return bits;
  }

  passTick(local: number): number {
    const known = this.#ticked[local];
    if (known !== undefined) return known;
    const id = this.#participants.id(passTick(this.#participants, this.#participants.at(local)));
    this.#ticked[local] = id;
    return id;
  }

  traits(local: number): Traits {
    const known = this.#traits[local];
    if (known !== undefined) return known;
    const traits = traitsOf(this.#participants.at(local));
    this.#traits[local] = traits;
    return traits;
  }

  reordered(which: number, local: number): number {
    const memory = this.#reordered[which] as number[];
    const known = memory[local];
    if (known !== undefined) return known;
    const from: Local = this.#participants.at(local);
    const id = this.#participants.id(reorder(this.#participants, from, this.orders[which] as Order));
    memory[local] = id;
    return id;
  }

  reorderedStore(which: number, store: number): number {
    const memory = this.#reorderedStores[which] as number[];
    const known = memory[store];
    if (known !== undefined) return known;
    const { id } = this.#stores.take(reorderShared(this.#stores.at(store).is, this.orders[which] as Order));
    memory[store] = id;
    return id;
  }

  #evaluate(local: number, store: number, isHolder: boolean, faults: boolean): void {
    const start = this.edges.size;
    const moves = this.#moves.of(this.#participants.at(local), this.#stores.at(store), isHolder, faults);
    const { atLimit } = this.#moves;
    for (const move of moves) {
      const broken = move.broken ?? move.local.broken;
      this.edges.push(this.#participants.id(move.local));
      this.edges.push(move.store.id);
      this.edges.push(move.change?.id ?? -1);
      this.edges.push(
        (move.takesLease ? TAKES_LEASE : 0) |
          (move.leavesLease ? LEAVES_LEASE : 0) |
          (move.isByUser ? IS_BY_USER : 0) |
          (move.othersLate ? OTHERS_LATE : 0) |
          (broken === null ? 0 : IS_BROKEN),
      );
      this.edges.push(this.#label(broken ?? move.label));
    }
    this.#spans.push(start);
    this.#spans.push(moves.length);
    this.#spans.push(atLimit ? 1 : 0);
  }

  #label(text: string): number {
    const known = this.#labels.get(text);
    if (known !== undefined) return known;
    this.#labels.set(text, this.#labelTexts.length);
    this.#labelTexts.push(text);
    return this.#labelTexts.length - 1;
  }
}
