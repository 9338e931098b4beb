import type { AnyStateMachine } from 'xstate';
import { allMachines } from '../../machines/index.ts';

export interface Subject {
  readonly name: string;
  readonly machine: AnyStateMachine;
  /** Every event type that the machine can be sent. */
  readonly alphabet: readonly string[];
}

export const SUBJECTS: readonly Subject[] = Object.entries(allMachines).map(([name, { machine, events }]) => {
  return { name, machine, alphabet: events };
});
