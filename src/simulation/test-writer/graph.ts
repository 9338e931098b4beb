import { contextOf, firstPlan, follow, type OpenStep, type Plan, stateOf } from './plan.ts';
import { type Ability, possibleSteps } from './possible-steps.ts';

export interface Edge {
  readonly label: string;
  readonly to: number;
  /** Number of the transition that is taken, in `transitions`. */
  readonly takes: number;
  /** What the contender has to be able to do for it. */
  readonly ability: Ability | null;
}

/** Everything that can become of the leadership, up to names and counts. */
export interface Graph {
  readonly edges: readonly (readonly Edge[])[];
  readonly transitions: readonly string[];
  /** Pairs of transitions that some path takes one right after the other, as `pairNumber`. */
  readonly pairs: ReadonlySet<number>;
}

/** Which step it is, whatever session, attempt or version it is about at the moment. */
export function labelOf(plan: Plan, step: OpenStep): string {
  const { entry } = step;
  const shown = typeof entry === 'object' && entry !== null ? entry.session : String(entry);
  const age = step.version !== undefined && step.version <= plan.version ? 'before' : 'after';
  const timer = step.timer?.split(':')[0];
  return [step.event, aboutOf(plan, step.session), shown, age, timer, step.address, step.outcome].join(' ');
}

export function reachableGraph(abilities: ReadonlySet<Ability>): Graph {
  const first = firstPlan();
  const numbers = new Map([[keyOf(first), 0]]);
  const plans: Plan[] = [first];
  const edges: Edge[][] = [];
  const transitions = new Map<string, number>();
  for (let at = 0; at < plans.length; at++) {
    const plan = plans[at] ?? first;
    const own: Edge[] = [];
    edges.push(own);
    for (const [step, ability] of possibleSteps(plan, abilities)) {
      const taken = follow(plan, step);
      if (taken === null) continue;
      const key = keyOf(taken.plan);
      let to = numbers.get(key);
      if (to === undefined) {
        to = plans.length;
        numbers.set(key, to);
        plans.push(taken.plan);
      }
      const takes = transitions.get(taken.takes) ?? transitions.size;
      transitions.set(taken.takes, takes);
      own.push({ label: labelOf(plan, step), to, takes, ability });
    }
  }
  return { edges, transitions: [...transitions.keys()], pairs: pairsOf(edges) };
}

/** Two transitions in a row. */
export function pairNumber(first: number, second: number): number {
  return first * PAIR_BASE + second;
}
const PAIR_BASE = 1_000;

function pairsOf(edges: readonly (readonly Edge[])[]): ReadonlySet<number> {
  const into = edges.map(() => new Set<number>());
  for (const own of edges) for (const { to, takes } of own) into[to]?.add(takes);
  const pairs = new Set<number>();
  edges.forEach((own, at) => {
    for (const { takes } of own) for (const before of into[at] ?? []) pairs.add(pairNumber(before, takes));
  });
  return pairs;
}

/** Plans with the same key have the same futures, but for names and counts. */
function keyOf(plan: Plan): string {
  const c = contextOf(plan);
  const { contender } = plan;
  const state = stateOf(plan);
  const isOver = /^(?:standby|revoked|withdrawing|resting)/.test(state);
  return [
    state,
    aboutOf(plan, plan.granted?.id),
    flags(c.session !== null, c.next !== null, c.suspended, c.failures > 0, c.lost, c.overstayed),
    c.leaving,
    // Of a session that is over only this is asked: whether it wrote.
    isOver ? c.sent !== null : runningKey(plan),
    contender === null
      ? 'none'
      : flags(
          contender.session === c.session?.id,
          contender.isTold,
          contender.hasStarted,
          contender.confirmed.length > 0,
          contender.wasRejected,
        ),
  ].join(' ');
}

/** Addresses count only by which of them are the same. */
function runningKey(plan: Plan): string {
  const { session, wanted, sent, published, seen, confirms, covered } = contextOf(plan);
  const names = [wanted?.address, sent?.address, published?.reachable.address, plan.contender?.confirmed.at(-1)];
  const news =
    seen === null
      ? 'none'
      : flags(seen.version > (published?.version ?? 0n), seen.entry?.sessionId === session?.id, seen.entry === null);
  const promises = flags(confirms.length > 0, covered > 0, confirms.length > covered);
  return [...names.map((name) => (name === undefined ? 'none' : names.indexOf(name))), news, promises].join(' ');
}

function aboutOf(plan: Plan, session: string | undefined): string {
  const { session: current, next } = contextOf(plan);
  if (session === undefined) return 'none';
  if (session === current?.id) return 'current';
  return session === next?.id ? 'next' : 'fresh';
}

function flags(...values: readonly boolean[]): string {
  return values.map(Number).join('');
}
