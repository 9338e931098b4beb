import type { WalkFile } from '../harness/walk-file.ts';
import type { Walk, WalkStep } from '../harness/walk-steps.ts';
import { type Graph, labelOf, reachableGraph } from './graph.ts';
import { type Phrased, pairText, whileText } from './phrases.ts';
import { firstPlan, follow, type Plan, stateOf } from './plan.ts';
import { ABILITIES, type Ability, possibleSteps } from './possible-steps.ts';
import { type PlannedWalk, planWalks } from './walks.ts';

const ALL = new Set(Object.keys(ABILITIES) as Ability[]);

export interface WrittenWalks extends WalkFile {
  /** How many transitions the pairs are of. */
  readonly transitions: number;
}

let written: WrittenWalks | null = null;

/** Walks that together take every pair of transitions of the shipped leadership machine: the same in every process. */
export function leadershipWalks(): WrittenWalks {
  written ??= writeWalks();
  return written;
}

function writeWalks(): WrittenWalks {
  const graph = reachableGraph(ALL);
  const planned = planWalks(graph);
  const walks = planned.map((walk) => ({ walk, ...concrete(walk, graph) }));
  const names = uniqueNames(walks.map(({ name }) => name));
  const led = walks.filter(({ needs }) => needs.length === 0).reduce((sum, { walk }) => sum + walk.news, 0);
  return {
    walks: walks.map(({ group, needs, steps }, at): Walk => ({ name: names[at] ?? '', group, needs, steps })),
    pairs: { all: graph.pairs.size, led },
    transitions: graph.transitions.length,
  };
}

function concrete({ edges }: PlannedWalk, { transitions }: Graph): Walk {
  let plan = firstPlan();
  const steps: WalkStep[] = [];
  const phrases: Phrased[] = [];
  for (const edge of edges) {
    const [step, taken] = choose(plan, edge.label, transitions[edge.takes] ?? '');
    plan = taken.plan;
    steps.push({ ...step, state: stateOf(plan) });
    phrases.push({ event: step.event, guard: taken.guard, source: taken.source });
  }
  const [first, second] = phrases.slice(-2);
  if (first === undefined || second === undefined) throw new Error('a walk has at least two steps');
  const [phase = ''] = first.source.split('.');
  const needs = [...new Set(edges.flatMap(({ ability }) => (ability === null ? [] : [ABILITIES[ability]])))];
  return { name: pairText(first, second), group: whileText(phase), needs, steps };
}

/** The step of that label here. Plans of one key were taken for equal: if they are not, the walk must not be written. */
function choose(plan: Plan, label: string, takes: string) {
  for (const [step] of possibleSteps(plan, ALL)) {
    if (labelOf(plan, step) !== label) continue;
    const taken = follow(plan, step);
    if (taken?.takes === takes) return [step, taken] as const;
  }
  throw new Error(`${stateOf(plan)} cannot take ${takes} by ${label}`);
}

function uniqueNames(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  return names.map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}
