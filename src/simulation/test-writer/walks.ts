import { type Edge, type Graph, pairNumber } from './graph.ts';
import { ABILITIES, type Ability } from './possible-steps.ts';

/** A walk as the labels of its steps. */
export interface PlannedWalk {
  readonly edges: readonly Edge[];
  /** Pairs that no walk before it takes. */
  readonly news: number;
}

/** A walk that would have to go farther than this for something new ends; the next one begins at the start. */
const FARTHEST = 9;
const LONGEST = 24;

interface Way {
  readonly edge: Edge;
  readonly before: Way | null;
}

/**
 * A small set of walks from the start that takes every pair of transitions: always on to the nearest pair that has not
 * been taken. First what any contender can be led through, then what needs one ability of the contender, then the rest.
 */
export function planWalks(graph: Graph): readonly PlannedWalk[] {
  const open = new Set(graph.pairs);
  const walks: PlannedWalk[] = [];
  const all = Object.keys(ABILITIES) as Ability[];
  for (const allowed of [[], ...all.map((ability) => [ability]), all]) {
    for (;;) {
      const walk = oneWalk(graph, open, new Set(allowed));
      if (walk === null) break;
      walks.push(walk);
    }
  }
  if (open.size > 0) throw new Error(`no walk takes ${open.size} of the pairs`);
  return walks;
}

function oneWalk(graph: Graph, open: Set<number>, allowed: ReadonlySet<Ability>): PlannedWalk | null {
  const edges: Edge[] = [];
  let news = 0;
  while (edges.length < LONGEST) {
    const farthest = edges.length === 0 ? Number.POSITIVE_INFINITY : FARTHEST;
    const way = nearestNew(graph, open, allowed, edges.at(-1) ?? null, farthest);
    if (way === null) break;
    for (const edge of way) {
      const last = edges.at(-1);
      if (last !== undefined && open.delete(pairNumber(last.takes, edge.takes))) news += 1;
      edges.push(edge);
    }
  }
  return news === 0 ? null : { edges, news };
}

/** The shortest way from here whose last two transitions are a pair that is still open. */
function nearestNew(
  graph: Graph,
  open: ReadonlySet<number>,
  allowed: ReadonlySet<Ability>,
  from: Edge | null,
  farthest: number,
): readonly Edge[] | null {
  const width = graph.transitions.length;
  const seen = new Uint8Array(graph.edges.length * width);
  let front: (Way | null)[] = [null];
  for (let length = 1; length <= farthest && front.length > 0; length++) {
    const next: Way[] = [];
    for (const before of front) {
      const last = before?.edge ?? from;
      for (const edge of graph.edges[last?.to ?? 0] ?? []) {
        if (edge.ability !== null && !allowed.has(edge.ability)) continue;
        const way = { edge, before };
        if (last !== null && open.has(pairNumber(last.takes, edge.takes))) return unrolled(way);
        const place = edge.to * width + edge.takes;
        if (seen[place] === 1) continue;
        seen[place] = 1;
        next.push(way);
      }
    }
    front = next;
  }
  return null;
}

function unrolled(way: Way): readonly Edge[] {
  const edges: Edge[] = [];
  for (let at: Way | null = way; at !== null; at = at.before) edges.unshift(at.edge);
  return edges;
}
