import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition, InputFrom } from 'xstate';
import { stepper } from './stepper.ts';

/** `confirmed.settled × register.changed #2` — the third candidate of that state for that event. */
export function nameOf(transition: AnyTransitionDefinition): string {
  const { source, eventType } = transition;
  const at = source.transitions.get(eventType)?.indexOf(transition) ?? -1;
  const others = source.transitions.get(eventType)?.length ?? 1;
  return `${source.path.join('.') || 'the root'} × ${eventType}${others > 1 ? ` #${at}` : ''}`;
}

/** All transitions that the machine declares, the explicit ignores included. */
export function declared(machine: AnyStateMachine): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (node: AnyStateNode): void => {
    for (const transitions of node.transitions.values()) for (const one of transitions) names.add(nameOf(one));
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return names;
}

export interface Exploration<M extends AnyStateMachine> {
  readonly machine: M;
  readonly input: InputFrom<M>;
  /** A small concrete alphabet: every event worth trying in that state, late and foreign ones included. */
  readonly events: (snapshot: AnyMachineSnapshot) => readonly { readonly type: string }[];
  /** Two snapshots with the same key behave alike. Counters and the like are left out, or the search never ends. */
  readonly key: (snapshot: AnyMachineSnapshot) => string;
}

const MAX_STATES = 60_000;

/**
 * Breadth-first over everything that the alphabet can make of the machine, until each transition has been taken.
 * Returns those that no path takes.
 */
export function untaken<M extends AnyStateMachine>({ machine, input, events, key }: Exploration<M>): readonly string[] {
  const steps = stepper(machine);
  const missed = new Set(declared(machine));
  const first: AnyMachineSnapshot = steps.initial(input).snapshot;
  const seen = new Set([key(first)]);
  const queue = [first];
  for (let at = 0; at < queue.length && missed.size > 0; at++) {
    const snapshot = queue[at];
    if (snapshot === undefined || snapshot.status !== 'active') continue;
    for (const event of events(snapshot)) {
      const { snapshot: next, taken } = steps.step(snapshot as never, event as never);
      for (const one of taken) missed.delete(nameOf(one));
      const name = key(next);
      if (seen.has(name)) continue;
      if (seen.size >= MAX_STATES)
        throw new Error(`${machine.id}: more than ${MAX_STATES} states; the key is too fine`);
      seen.add(name);
      queue.push(next);
    }
  }
  return [...missed];
}

/** A text for anything in a context; what is named in `without` is left out. */
export function textOf(value: unknown, without: readonly string[] = []): string {
  return JSON.stringify(value, (name, one: unknown) => {
    if (without.includes(name)) return undefined;
    return typeof one === 'bigint' ? `${one}n` : one;
  });
}
