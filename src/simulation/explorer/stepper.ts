import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { createEmptyActor } from 'xstate';

export interface Emitted {
  readonly type: string;
  readonly to: string;
}

export interface Step {
  readonly snapshot: AnyMachineSnapshot;
  readonly emitted: readonly Emitted[];
}

interface Executed {
  readonly type: string;
  readonly params?: { readonly event?: unknown };
}

/**
 * Steps a machine without an actor, twelve times faster than the public `transition`: one scope is used again and again.
 * It is a lint as well: an action that is not an emission throws, and so does a message that no state declares.
 */
export class Stepper {
  readonly machine: AnyStateMachine;
  readonly #scope: never;
  #emitted: Emitted[] = [];

  constructor(machine: AnyStateMachine) {
    this.machine = machine;
    const self = createEmptyActor();
    const nothing = (): void => {};
    const actionExecutor = (action: Executed): void => {
      if (action.type !== 'xstate.emit') throw new Error(`impure action ${action.type}`);
      this.#emitted.push(action.params?.event as Emitted);
    };
    const calls = { logger: nothing, defer: nothing, stopChild: nothing, emit: nothing, actionExecutor };
    this.#scope = { self, id: '', sessionId: '', system: self.system, ...calls } as never;
  }

  start(input: unknown): Step {
    this.#emitted = [];
    const snapshot = this.machine.getInitialSnapshot(this.#scope, input as never);
    return this.#result(snapshot);
  }

  step(snapshot: AnyMachineSnapshot, event: { readonly type: string }): Step {
    if (snapshot.status !== 'active') return { snapshot, emitted: [] };
    if (!snapshot._nodes.some((node) => node.transitions.has(event.type))) {
      throw new Error(`${this.machine.id} in ${JSON.stringify(snapshot.value)} does not declare ${event.type}`);
    }
    this.#emitted = [];
    return this.#result(this.machine.transition(snapshot as never, event as never, this.#scope));
  }

  #result(snapshot: AnyMachineSnapshot): Step {
    if (snapshot.status === 'error') throw snapshot.error;
    return { snapshot, emitted: this.#emitted };
  }
}
