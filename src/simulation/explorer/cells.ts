import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { MachineName, Message } from './model.ts';
import { machineAt } from './model.ts';
import { type Note, type Parts, Pool, text } from './parts.ts';
import { Stepper } from './stepper.ts';
import { mapContext, negativesIn, type VersionMap } from './versions.ts';

/** Where a message goes inside a participant: an actor's place, or one of these; contenders are below them. */
export const STORE = -1;
export const CLOCK = -2;
export const NOBODY = -3;
export const EVERY_LEADERSHIP = -4;
export const CONTENDER = -5;

export interface Letter {
  readonly to: number;
  readonly note: Note;
}

export interface CellStep {
  readonly cell: Cell;
  readonly letters: readonly Letter[];
}

/** One actor in one state, with everything that was ever found out about it. */
export class Cell {
  readonly id: number;
  readonly machine: MachineName;
  readonly snapshot: AnyMachineSnapshot;
  readonly negatives: { readonly lease: readonly bigint[]; readonly container: readonly bigint[] };
  readonly steps = new Map<number, CellStep>();
  readonly derived = new Map<string, Cell>();
  /** Transitions that lead here and that were taken from here; `coverage.ts` reads them. */
  readonly ins = new Set<number>();
  readonly outs = new Set<number>();
  /** The same actor in the smallest numbers, where they depend on nothing else. */
  small: Cell | null = null;

  constructor(id: number, machine: MachineName, snapshot: AnyMachineSnapshot) {
    this.id = id;
    this.machine = machine;
    this.snapshot = snapshot;
    this.negatives = negativesIn(machine, snapshot);
  }
}

export type Taken = (machine: MachineName, before: AnyMachineSnapshot, message: Message) => readonly number[];

/** The machines that are explored; a machine that steps from the same state with the same message does so only once. */
export class Cells {
  readonly pool = new Pool<Cell>();
  readonly #steppers: Record<MachineName, Stepper>;
  readonly #parts: Parts;
  readonly #taken: Taken;

  constructor(machines: Record<MachineName, AnyStateMachine>, parts: Parts, taken: Taken) {
    const stepper = (name: MachineName): Stepper => new Stepper(machines[name]);
    this.#steppers = {
      election: stepper('election'),
      driver: stepper('driver'),
      validity: stepper('validity'),
      register: stepper('register'),
      leadership: stepper('leadership'),
    };
    this.#parts = parts;
    this.#taken = taken;
  }

  start(place: number, input: unknown): CellStep {
    const machine = machineAt(place);
    const { snapshot, emitted } = this.#steppers[machine].start(input);
    return { cell: this.#intern(machine, snapshot), letters: emitted.map((one) => this.#letter(one)) };
  }

  step(cell: Cell, note: Note): CellStep {
    const known = cell.steps.get(note.id);
    if (known !== undefined) return known;
    const { snapshot, emitted } = this.#steppers[cell.machine].step(cell.snapshot, note.message);
    const next = this.#intern(cell.machine, snapshot);
    for (const transition of this.#taken(cell.machine, cell.snapshot, note.message)) {
      cell.outs.add(transition);
      next.ins.add(transition);
    }
    const step = { cell: next, letters: emitted.map((one) => this.#letter(one)) };
    cell.steps.set(note.id, step);
    return step;
  }

  /** The same state with another context; `key` names the change. */
  derive(cell: Cell, key: string, change: (context: never) => object): Cell {
    const known = cell.derived.get(key);
    if (known !== undefined) return known;
    const context = change(cell.snapshot.context as never);
    const made = context === cell.snapshot.context ? cell : this.#intern(cell.machine, withContext(cell, context));
    cell.derived.set(key, made);
    return made;
  }

  mapVersions(cell: Cell, map: VersionMap): Cell {
    return this.derive(cell, map.key, (context) => mapContext(cell.machine, context, map));
  }

  #intern(machine: MachineName, snapshot: AnyMachineSnapshot): Cell {
    const { value, status, context } = snapshot;
    return this.pool.take(machine + text([value, status, context]), (id) => new Cell(id, machine, snapshot));
  }

  #letter(message: Message & { readonly to: string }): Letter {
    return { to: placeOf(message.to), note: this.#parts.note(message) };
  }
}

export function placeOf(address: string): number {
  const [role = '', component = ''] = address.split(':');
  switch (role) {
    case 'election':
      return 0;
    case 'driver':
      return 1;
    case 'validity':
      return 2;
    case 'register':
      return 3;
    case 'leadership':
      return component === '*' ? EVERY_LEADERSHIP : 4 + Number(component.slice(1));
    case 'contender':
      return CONTENDER - Number(component.slice(1));
    case 'store':
      return STORE;
    case 'clock':
      return CLOCK;
    default:
      return NOBODY;
  }
}

export function addressOf(place: number): string {
  if (place <= CONTENDER) return `contender:c${CONTENDER - place}`;
  if (place === STORE) return 'store';
  if (place === CLOCK) return 'clock';
  if (place < 0) return 'tenure';
  return place >= 4 ? `leadership:c${place - 4}` : machineAt(place);
}

function withContext({ snapshot }: Cell, context: object): AnyMachineSnapshot {
  return Object.assign(Object.create(Object.getPrototypeOf(snapshot)), snapshot, { context });
}
