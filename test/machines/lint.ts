import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { actionType, candidates, readChart } from '../../visualizations/chart.ts';

/**
 * XState has no strict mode: it drops what it does not know and runs what TypeScript does not see. These see it. What is
 * done inside `enqueueActions` no object shows: `test/tidy/purity.ts` reads that in the source.
 */
const ALLOWED_ACTIONS = ['xstate.emit', 'xstate.assign', 'xstate.enqueueActions'];

/** Every (leaf state × event of the alphabet) must be declared: a transition, or an explicit ignore. */
export function undeclaredPairs(machine: AnyStateMachine, alphabet: readonly string[]): readonly string[] {
  const chart = readChart(machine);
  return chart.states
    .filter((state) => state.type === 'leaf')
    .flatMap((state) =>
      alphabet
        .filter((event) => candidates(chart, state.path, event).length === 0)
        .map((event) => `${state.path} × ${event}`),
    );
}

/** Events that the machine declares and its alphabet does not know: a typing error, or a word that was renamed. */
export function unknownEvents(machine: AnyStateMachine, alphabet: readonly string[]): readonly string[] {
  const declared = new Set(readChart(machine).transitions.map((transition) => transition.event));
  return [...declared].filter((event) => !alphabet.includes(event));
}

/** A candidate behind an unguarded one can never be taken. */
export function deadCandidates(machine: AnyStateMachine): readonly string[] {
  const chart = readChart(machine);
  return chart.transitions
    .filter((one, at) => {
      return chart.transitions
        .slice(0, at)
        .some((other) => other.from === one.from && other.event === one.event && other.guard === null);
    })
    .map((one) => `${one.from} × ${one.event}${one.guard === null ? '' : ` [${one.guard}]`}`);
}

/** Everything that has no place in a pure protocol, node by node. */
export function impurities(machine: AnyStateMachine): readonly string[] {
  const found: string[] = [];
  const config = machine.config as { readonly options?: { readonly maxIterations?: number } };
  if (config.options?.maxIterations === undefined) found.push('maxIterations is not set');
  const visit = (node: AnyStateNode): void => {
    const name = node.path.length === 0 ? 'the root' : node.path.join('.');
    found.push(...impuritiesOf(node).map((what) => `${name}: ${what}`));
    for (const child of Object.values(node.states)) visit(child);
  };
  visit(machine.root);
  return found;
}

function impuritiesOf(node: AnyStateNode): readonly string[] {
  const transitions = [...node.transitions.values()].flat();
  const actions = [...node.entry, ...node.exit, ...transitions.flatMap((one) => one.actions)];
  const config = node.config as { readonly after?: unknown; readonly initial?: unknown };
  return [
    ...(node.invoke.length > 0 ? ['invokes an actor'] : []),
    ...((node.always ?? []).length > 0 ? ['has an eventless transition'] : []),
    ...(config.after === undefined ? [] : ['has a delayed transition']),
    ...(node.type === 'parallel' ? ['is parallel'] : []),
    ...(node.type === 'history' ? ['is a history state'] : []),
    ...(node.type === 'compound' && !Object.hasOwn(node.states, String(config.initial)) ? ['has no such initial'] : []),
    ...[...node.transitions.keys()].filter((event) => event.includes('*')).map((event) => `has a wildcard, ${event}`),
    ...transitions.filter((one) => (one.target?.length ?? 0) > 1).map((one) => `${one.eventType} has several targets`),
    ...transitions.filter((one) => isNameless(one.guard)).map((one) => `${one.eventType} has a guard without a name`),
    ...actions
      .map((action) => actionType(action))
      .filter((type) => !ALLOWED_ACTIONS.includes(type))
      .map((type) => `has an action that is neither emit nor assign${type === '' ? '' : `, ${type}`}`),
  ];
}

/** A guard is a plain function with a name of its own: an inline one would be called after its key. */
function isNameless(guard: unknown): boolean {
  return guard !== undefined && !(typeof guard === 'function' && guard.name !== '' && guard.name !== 'guard');
}
