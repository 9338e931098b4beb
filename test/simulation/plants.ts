import type { AnyStateMachine } from 'xstate';
import * as a from '../../machines/leadership-actions.ts';
import { allMachines } from '../../machines/roster.ts';
import type { Scope } from '../../src/simulation/explorer/model.ts';

type Machines = Partial<Record<'election' | 'driver' | 'leadership', AnyStateMachine>>;

export interface Plant {
  readonly scope: Scope;
  readonly breaks: string;
  /** Length of the shortest counterexample. */
  readonly steps: number;
  readonly machines: () => Machines;
}

interface StateConfig {
  readonly states?: Record<string, StateConfig>;
  readonly on?: Record<string, unknown>;
  readonly entry?: unknown;
}

/** A shipped machine with one state changed. */
function changed(machine: AnyStateMachine, path: readonly string[], change: (state: StateConfig) => StateConfig) {
  const walk = (config: StateConfig, [first, ...rest]: readonly string[]): StateConfig => {
    if (first === undefined) return change(config);
    const inner = config.states?.[first] ?? {};
    return { ...config, states: { ...config.states, [first]: walk(inner, rest) } };
  };
  const { constructor: Machine } = machine as unknown as { constructor: new (...args: unknown[]) => AnyStateMachine };
  return new Machine(walk(machine.config as StateConfig, path), machine.implementations);
}

const on =
  (events: Record<string, unknown>) =>
  (state: StateConfig): StateConfig => ({
    ...state,
    on: { ...state.on, ...events },
  });

const { leadership, election, lease } = allMachines;
const small: Scope = { participants: 2, components: 1, sessions: 2, faults: 0 };

/** Bugs that other systems have or had, put into the shipped machines one at a time. */
export const plants: Record<string, Plant> = {
  'confirmed before the write is acknowledged': {
    scope: { ...small, participants: 1, faults: 1 },
    breaks: 'I8',
    steps: 5,
    machines: () => ({
      leadership: changed(
        leadership.machine,
        ['confirm-pending', 'publishing'],
        on({ 'publish.failed': { target: '#leadership.confirmed.settled', actions: [a.settleConfirms] } }),
      ),
    }),
  },
  'the next session starts before the former contender has settled': {
    scope: { ...small, participants: 1, faults: 1 },
    breaks: 'I6',
    steps: 6,
    machines: () => ({
      leadership: changed(
        leadership.machine,
        ['revoked', 'stopping'],
        on({ granted: { target: '#leadership.grant-pending', actions: [a.replaceNext, a.takeNext] } }),
      ),
    }),
  },
  'the lock is released before the work has settled': {
    scope: small,
    breaks: 'I7',
    steps: 5,
    machines: () => ({
      election: changed(election.machine, ['leading'], on({ 'step-down': { target: 'ceding.releasing' } })),
    }),
  },
  'an acquisition heard of after its deadline is granted': {
    scope: { ...small, faults: 1 },
    breaks: 'I7',
    steps: 9,
    machines: () => {
      const contending = (lease.machine.config.states as Record<string, StateConfig>).contending?.on ?? {};
      const [, granted] = contending['acquire.committed'] as unknown[];
      return { driver: changed(lease.machine, ['contending'], on({ 'acquire.committed': granted })) };
    },
  },
};
