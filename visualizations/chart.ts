import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';

/** A statechart as plain data: what diagrams, golden tables and the lint of machines look at. */
export interface Chart {
  readonly id: string;
  readonly root: ChartState;
  /** All states in document order, without the root. */
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
}

export interface ChartState {
  /** Path from the root: `confirm-pending.publishing`; `''` for the root itself. */
  readonly path: string;
  readonly key: string;
  readonly parent: string | null;
  readonly type: 'leaf' | 'compound' | 'final' | 'other';
  readonly initial: string | null;
  readonly children: readonly ChartState[];
}

export interface ChartTransition {
  readonly from: string;
  readonly event: string;
  /** Name of the guard function, `null` when it is always taken. */
  readonly guard: string | null;
  /** Path of the state entered, `null` when the state stays as it is. */
  readonly target: string | null;
  /** Whether it does anything besides moving: `ignored` is `{}`. */
  readonly does: 'ignored' | 'notes' | 'answers';
  readonly description: string | null;
}

export function readChart(machine: AnyStateMachine): Chart {
  const states: ChartState[] = [];
  const transitions: ChartTransition[] = [];
  const visit = (node: AnyStateNode): ChartState => {
    const state: Mutable<ChartState> = { ...describeState(node), children: [] };
    if (node.parent !== undefined) states.push(state);
    for (const [event, candidates] of node.transitions) {
      transitions.push(...candidates.map((candidate) => describeTransition(node, event, candidate)));
    }
    state.children = Object.values(node.states).map(visit);
    return state;
  };
  const root = visit(machine.root);
  return { id: machine.id, root, states, transitions };
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function pathOf(node: AnyStateNode): string {
  return node.path.join('.');
}

function describeState(node: AnyStateNode): Omit<ChartState, 'children'> {
  const types = { atomic: 'leaf', compound: 'compound', final: 'final' } as const;
  const type = node.type === 'atomic' || node.type === 'compound' || node.type === 'final' ? types[node.type] : 'other';
  return {
    path: pathOf(node),
    key: node.key,
    parent: node.parent === undefined ? null : pathOf(node.parent),
    type,
    initial: initialOf(node),
  };
}

function initialOf(node: AnyStateNode): string | null {
  const target = node.type === 'compound' ? node.initial.target[0] : undefined;
  return target === undefined ? null : pathOf(target);
}

/** `enqueueActions` is how a machine emits one answer for each of several operations. */
const SPEAKING: ReadonlySet<string> = new Set(['xstate.emit', 'xstate.enqueueActions']);

function describeTransition(node: AnyStateNode, event: string, one: AnyTransitionDefinition): ChartTransition {
  const target = one.target?.[0];
  const emits = one.actions.some((action) => SPEAKING.has(actionType(action)));
  return {
    from: pathOf(node),
    event,
    guard: one.guard === undefined ? null : guardName(one.guard),
    target: target === undefined ? null : pathOf(target),
    does: one.actions.length === 0 ? 'ignored' : emits ? 'answers' : 'notes',
    description: typeof one.description === 'string' ? one.description : null,
  };
}

/** Guards are plain named functions, so that diagrams, traces and stack traces call them the same. */
function guardName(guard: unknown): string {
  if (typeof guard === 'function') return guard.name;
  if (typeof guard === 'string') return guard;
  return guard !== null && typeof guard === 'object' && 'type' in guard ? String(guard.type) : '';
}

/** `xstate.emit`, `xstate.assign`, …; `''` for a plain function or a name. */
export function actionType(action: unknown): string {
  const isObject = typeof action === 'function' || (typeof action === 'object' && action !== null);
  return isObject && 'type' in action && typeof action.type === 'string' ? action.type : '';
}

/** The state itself, then its ancestors up to the root: the order in which XState looks for a transition. */
export function lineage(chart: Chart, path: string): readonly string[] {
  if (path === '') return [''];
  const parent = chart.states.find((state) => state.path === path)?.parent ?? '';
  return [path, ...lineage(chart, parent)];
}

/** What an event can do in a leaf state, in the order tried; empty when it is not declared at all. */
export function candidates(chart: Chart, leaf: string, event: string): readonly ChartTransition[] {
  const found: ChartTransition[] = [];
  for (const path of lineage(chart, leaf)) {
    for (const transition of chart.transitions) {
      if (transition.from !== path || transition.event !== event) continue;
      found.push(transition);
      if (transition.guard === null) return found;
    }
  }
  return found;
}
