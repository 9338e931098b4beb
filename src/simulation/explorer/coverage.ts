import type { AnyMachineSnapshot, AnyStateMachine, AnyStateNode, AnyTransitionDefinition } from 'xstate';
import type { Cell } from './cells.ts';
import type { MachineName, Message } from './model.ts';

type Share = readonly [covered: number, total: number];

/** How much of a machine a search has been through. */
export interface Coverage {
  readonly machine: MachineName;
  readonly states: Share;
  /** Of the transitions that do something; explicit ignores are not counted. */
  readonly transitions: Share;
  /** Two transitions, one right after the other, as far as the second one is declared where the first one leads. */
  readonly pairs: Share;
  /** States and transitions that were never reached. */
  readonly missing: readonly string[];
}

/** The transitions of one machine, numbered. */
class Chart {
  readonly transitions: AnyTransitionDefinition[] = [];
  readonly leaves: AnyStateNode[] = [];
  readonly #numbers = new Map<AnyTransitionDefinition, number>();

  constructor({ root }: AnyStateMachine) {
    this.#visit(root);
  }

  number(transition: AnyTransitionDefinition): number | undefined {
    return this.#numbers.get(transition);
  }

  /** Transitions that are declared where this one leads. */
  followers({ source, target }: AnyTransitionDefinition): Set<number> {
    const into = target === undefined ? leavesOf(source as AnyStateNode) : target.map(initialLeaf);
    const found = new Set<number>();
    for (const leaf of into) {
      for (let node: AnyStateNode | undefined = leaf; node !== undefined; node = node.parent) {
        for (const one of [...node.transitions.values()].flat()) {
          const number = this.#numbers.get(one);
          if (number !== undefined) found.add(number);
        }
      }
    }
    return found;
  }

  #visit(node: AnyStateNode): void {
    for (const one of [...node.transitions.values()].flat()) {
      if (one.target === undefined && one.actions.length === 0) continue;
      this.#numbers.set(one, this.transitions.length);
      this.transitions.push(one);
    }
    const children = Object.values(node.states);
    if (children.length === 0) this.leaves.push(node);
    for (const child of children) this.#visit(child);
  }
}

function leavesOf(node: AnyStateNode): AnyStateNode[] {
  const children = Object.values(node.states);
  return children.length === 0 ? [node] : children.flatMap(leavesOf);
}

function initialLeaf(node: AnyStateNode): AnyStateNode {
  const first = node.initial?.target[0];
  return first === undefined ? node : initialLeaf(first);
}

/** `confirmed.settled × register.changed #2`: the third candidate of that state for that event. */
function nameOf(transition: AnyTransitionDefinition): string {
  const { source, eventType } = transition;
  const candidates = source.transitions.get(eventType) ?? [];
  const which = candidates.length > 1 ? ` #${candidates.indexOf(transition)}` : '';
  return `${source.path.join('.') || 'anywhere'} × ${eventType}${which}`;
}

const stateName = ({ path }: AnyStateNode): string => path.join('.');

/** Counts what a search takes of its machines. */
export class CoverageCounter {
  readonly #charts: ReadonlyMap<MachineName, Chart>;

  constructor(machines: Record<MachineName, AnyStateMachine>) {
    this.#charts = new Map(
      (Object.keys(machines) as MachineName[]).map((name) => [name, new Chart(machines[name])] as const),
    );
  }

  readonly taken = (machine: MachineName, before: AnyMachineSnapshot, message: Message): number[] => {
    const chart = this.#charts.get(machine) as Chart;
    const transitions = before.machine.getTransitionData(before as never, message as never);
    return transitions.flatMap((one) => chart.number(one) ?? []);
  };

  /** A pair counts when one reachable state is led into by the first transition and left by the second. */
  of(cells: readonly Cell[]): Coverage[] {
    passOn(cells);
    return [...this.#charts].map(([machine, chart]) =>
      coverageOf(
        machine,
        chart,
        cells.filter((cell) => cell.machine === machine),
      ),
    );
  }
}

/** What led to a state led also to the same state in smaller numbers, one tick later, or seen from a newer store. */
function passOn(cells: readonly Cell[]): void {
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false;
    for (const { ins, derived } of cells) {
      for (const to of derived.values()) {
        const before = to.ins.size;
        for (const one of ins) to.ins.add(one);
        if (to.ins.size > before) hasChanged = true;
      }
    }
  }
}

function coverageOf(machine: MachineName, chart: Chart, cells: readonly Cell[]): Coverage {
  const leaves = new Set(cells.flatMap(({ snapshot }) => snapshot._nodes.filter(isLeaf).map(stateName)));
  const transitions = new Set(cells.flatMap(({ outs }) => [...outs]));
  const pairs = new Set(cells.flatMap(({ ins, outs }) => [...ins].flatMap((a) => [...outs].map((b) => `${a},${b}`))));
  const allPairs = chart.transitions.reduce((sum, one) => sum + chart.followers(one).size, 0);
  return {
    machine,
    states: [leaves.size, chart.leaves.length],
    transitions: [transitions.size, chart.transitions.length],
    pairs: [pairs.size, allPairs],
    missing: [
      ...chart.leaves.map(stateName).filter((name) => !leaves.has(name)),
      ...chart.transitions.filter((_, at) => !transitions.has(at)).map(nameOf),
    ],
  };
}

const isLeaf = ({ states }: AnyStateNode): boolean => Object.keys(states).length === 0;
