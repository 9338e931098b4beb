import type { AnyMachineSnapshot, AnyStateMachine, EventObject } from 'xstate';

/** XState drops an event that no state declares. Here every pair is declared, so a dropped one is a fault to be told. */
export function undeclared(snapshot: AnyMachineSnapshot, event: EventObject): boolean {
  if (snapshot.status !== 'active' || event.type.startsWith('xstate.')) return false;
  // Not `ownEvents`: that leaves out the explicit ignores.
  return !snapshot._nodes.some((node) => node.transitions.has(event.type));
}

/**
 * The same machine, with `report` called for every undeclared (state, event) pair before the event is dropped. In tests
 * `report` throws; in production it is counted and told.
 */
export function strict<M extends AnyStateMachine>(
  machine: M,
  report: (snapshot: AnyMachineSnapshot, event: EventObject) => void,
): M {
  return Object.create(machine, {
    transition: {
      value(snapshot: AnyMachineSnapshot, event: EventObject, scope: never) {
        if (undeclared(snapshot, event)) report(snapshot, event);
        return machine.transition(snapshot, event, scope);
      },
    },
  }) as M;
}
