import type { AnyStateMachine } from 'xstate';
import type { Scope } from '../model.ts';
import type { Machines } from '../participant.ts';
import type { SearchOptions } from '../search.ts';
import { type StoreRules, shippedStore } from '../store.ts';

/** A bug that other systems have or had, put into the shipped machines or the shipped store. */
export interface Plant {
  /** As the command line calls it. */
  readonly name: string;
  readonly summary: string;
  /** The smallest scope in which it shows. Without the plant the same scope is clean. */
  readonly scope: Scope;
  /** The invariant that it breaks first: `I3`, `liveness`. */
  readonly breaks: string;
  /** Length of the shortest counterexample. */
  readonly steps: number;
  readonly machines?: () => Partial<Machines>;
  /** Changed answers of the store. */
  readonly store?: (shipped: StoreRules) => StoreRules;
}

interface StateConfig {
  readonly initial?: string;
  readonly states?: Record<string, StateConfig>;
  readonly on?: Record<string, unknown>;
  readonly entry?: unknown;
}

/** What a search needs to explore the plant's scope with the plant in it. */
export function planted({ scope, machines, store }: Plant): Omit<SearchOptions, 'maxStates'> {
  return {
    scope,
    ...(machines === undefined ? {} : { machines: machines() }),
    ...(store === undefined ? {} : { store: store(shippedStore) }),
  };
}

type Change = (state: StateConfig) => StateConfig;

/** A shipped machine with one state changed. */
export function changed(machine: AnyStateMachine, path: readonly string[], change: Change): AnyStateMachine {
  const walk = (config: StateConfig, [first, ...rest]: readonly string[]): StateConfig => {
    if (first === undefined) return change(config);
    const inner = config.states?.[first];
    if (inner === undefined) throw new Error(`${machine.id} has no state ${path.join('.')}`);
    return { ...config, states: { ...config.states, [first]: walk(inner, rest) } };
  };
  const { constructor: Machine } = machine as unknown as { constructor: new (...args: unknown[]) => AnyStateMachine };
  return new Machine(walk(machine.config as StateConfig, path), machine.implementations);
}

/** Other transitions for these messages. */
export const on =
  (events: Record<string, unknown>): Change =>
  (state) => ({ ...state, on: { ...state.on, ...events } });

export const entering =
  (entry: readonly unknown[]): Change =>
  (state) => ({ ...state, entry });
