import type {
  AnyMachineSnapshot,
  AnyStateMachine,
  AnyTransitionDefinition,
  ContextFrom,
  EmittedFrom,
  EventFrom,
  InputFrom,
  SnapshotFrom,
} from 'xstate';
import { createEmptyActor } from 'xstate';
import { undeclared } from '../../machines/index.ts';

/** `noted`: only assigns or emits. `stale`: declared, but no guard held. `undeclared` never happens: it throws. */
export type Verdict = 'moved' | 'noted' | 'ignored' | 'stale';

export interface Step<M extends AnyStateMachine> {
  readonly snapshot: SnapshotFrom<M>;
  readonly emitted: readonly EmittedFrom<M>[];
  readonly verdict: Verdict;
  readonly taken: readonly AnyTransitionDefinition[];
}

export interface Stepper<M extends AnyStateMachine> {
  initial(input: InputFrom<M>): Step<M>;
  step(snapshot: SnapshotFrom<M>, event: EventFrom<M>): Step<M>;
}

interface ExecutedAction {
  readonly type: string;
  readonly params?: { readonly event?: unknown };
}

/**
 * Steps a machine without an actor: pure, in strict mode, with one reused scope. Anything but an emission that wants to
 * be executed is a fault of the machine and throws.
 */
export function stepper<M extends AnyStateMachine>(machine: M): Stepper<M> {
  let emitted: EmittedFrom<M>[] = [];
  const scope = scopeFor((event) => emitted.push(event as EmittedFrom<M>));
  return {
    initial(input) {
      emitted = [];
      const snapshot = machine.getInitialSnapshot(scope, input) as SnapshotFrom<M>;
      return { snapshot: intact(snapshot), emitted, verdict: 'moved', taken: [] };
    },
    step(snapshot, event) {
      emitted = [];
      if (undeclared(snapshot, event)) throw new Error(`${stateOf(snapshot)} does not declare ${nameOf(event)}`);
      const { status }: AnyMachineSnapshot = snapshot;
      const taken = status === 'active' ? machine.getTransitionData(snapshot as never, event as never) : [];
      const next = intact(machine.transition(snapshot as never, event as never, scope) as SnapshotFrom<M>);
      return { snapshot: next, emitted, verdict: verdictOf(taken), taken };
    },
  };
}

function scopeFor(emit: (event: unknown) => void): never {
  const self = createEmptyActor();
  const nothing = (): void => {};
  const actionExecutor = (action: ExecutedAction): void => {
    if (action.type !== 'xstate.emit') throw new Error(`impure action ${action.type}`);
    emit(action.params?.event);
  };
  const { system } = self;
  const calls = { logger: nothing, defer: nothing, stopChild: nothing, emit: nothing, actionExecutor };
  return { self, id: '', sessionId: '', system, ...calls } as never;
}

function intact<S extends AnyMachineSnapshot>(snapshot: S): S {
  if (snapshot.status === 'error') throw snapshot.error;
  return snapshot;
}

function nameOf(event: { readonly type: string }): string {
  return event.type;
}

function verdictOf(taken: readonly AnyTransitionDefinition[]): Verdict {
  if (taken.length === 0) return 'stale';
  if (taken.some((one) => one.target !== undefined)) return 'moved';
  return taken.some((one) => one.actions.length > 0) ? 'noted' : 'ignored';
}

/** `confirm-pending.publishing` */
export function stateOf(snapshot: AnyMachineSnapshot): string {
  const names: string[] = [];
  let value: unknown = snapshot.value;
  while (typeof value === 'object' && value !== null) {
    const [entry] = Object.entries(value);
    if (entry === undefined) break;
    names.push(entry[0]);
    value = entry[1];
  }
  if (typeof value === 'string') names.push(value);
  return names.join('.');
}

/** One machine in a test: what it was sent decides what it is. */
export interface Rig<M extends AnyStateMachine> {
  readonly state: string;
  readonly context: ContextFrom<M>;
  readonly snapshot: SnapshotFrom<M>;
  /** How the last event was taken. */
  readonly verdict: Verdict;
  /** Everything said so far, the start included. */
  readonly said: readonly EmittedFrom<M>[];
  /** Sends the events one after the other; returns what all of them made the machine say. */
  send(...events: EventFrom<M>[]): readonly EmittedFrom<M>[];
  /** The same machine in the same state, apart from this one: for trying several continuations. */
  fork(): Rig<M>;
}

export function start<M extends AnyStateMachine>(machine: M, ...[input]: OptionalInput<M>): Rig<M> {
  const steps = stepper(machine);
  return rigAt(steps, steps.initial(input as InputFrom<M>));
}

type OptionalInput<M extends AnyStateMachine> = unknown extends InputFrom<M> ? [] : [input: InputFrom<M>];

function rigAt<M extends AnyStateMachine>(steps: Stepper<M>, first: Step<M>): Rig<M> {
  let at = first;
  const said: EmittedFrom<M>[] = [...first.emitted];
  return {
    get state() {
      return stateOf(at.snapshot);
    },
    get context() {
      return (at.snapshot as AnyMachineSnapshot).context as ContextFrom<M>;
    },
    get snapshot() {
      return at.snapshot;
    },
    get verdict() {
      return at.verdict;
    },
    get said() {
      return said;
    },
    send(...events) {
      const from = said.length;
      for (const event of events) {
        at = steps.step(at.snapshot, event);
        said.push(...at.emitted);
      }
      return said.slice(from);
    },
    fork: () => rigAt(steps, at),
  };
}
