import type { AnyMachineSnapshot, AnyTransitionDefinition } from 'xstate';

/** `confirmed.settled × register.changed #2`: the third candidate of that state for that message. */
export function transitionName(transition: AnyTransitionDefinition): string {
  const { source, eventType } = transition;
  const candidates = source.transitions.get(eventType) ?? [];
  const at = candidates.indexOf(transition);
  return `${source.path.join('.') || 'any state'} × ${eventType}${candidates.length > 1 ? ` #${at}` : ''}`;
}

/**
 * The transition that a message takes in this state, when it moves the machine or makes it remember or say something.
 * `null` for what is declared as meaningless here and for what no guard lets through.
 */
export function effectiveTransition(
  snapshot: AnyMachineSnapshot,
  message: { readonly type: string },
): AnyTransitionDefinition | null {
  if (snapshot.status !== 'active') return null;
  const selected: readonly AnyTransitionDefinition[] = snapshot.machine.getTransitionData(
    snapshot as never,
    message as never,
  );
  return selected.find((one) => one.target !== undefined || one.actions.length > 0) ?? null;
}

/** Two transitions in a row. */
export function pairName(first: string, second: string): string {
  return `${first} → ${second}`;
}
