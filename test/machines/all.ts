import type { AnyStateMachine } from 'xstate';
import * as machines from '../../machines/index.ts';

export interface Subject {
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** Every event type that the machine can be sent. */
  readonly alphabet: readonly string[];
}

/** Each machine beside its alphabet: `leadership` and `leadershipEvents`. */
export const SUBJECTS: readonly Subject[] = Object.entries(machines.allMachines).map(([name, machine]) => {
  const exported: Readonly<Record<string, unknown>> = machines;
  const alphabet = exported[`${name}Events`];
  if (!Array.isArray(alphabet)) throw new Error(`machines/index.ts does not export ${name}Events`);
  return { name, machine, alphabet: alphabet.map(String) };
});
