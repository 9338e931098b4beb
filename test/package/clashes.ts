import type { Geometry, PlacedEdge, Rect } from '../../visualizations/layout.ts';
import { contains } from '../../visualizations/svg.ts';

interface Named extends Rect {
  readonly name: string;
}

/** Every pair of things that lie on each other and must not: texts on boxes, boxes on boxes, lines through texts. */
export function clashes(geometry: Geometry): readonly string[] {
  const leaves = geometry.states.filter((placed) => placed.state.children.length === 0);
  const compounds = geometry.states.filter((placed) => placed.state.children.length > 0);
  const labels = geometry.edges.flatMap(({ edge, label }): readonly Named[] =>
    edge === null || label === null ? [] : [{ name: `label ${edge.label.join('/')} of ${edge.from}`, ...label }],
  );
  const solid: readonly Named[] = [
    ...leaves.map((placed) => ({ ...place(placed), name: placed.state.path })),
    ...compounds.map((placed) => ({ ...place(placed.head), name: `head of ${placed.state.path}` })),
    ...labels,
  ];
  const frames = compounds.map((placed) => ({ ...place(placed), name: placed.state.path }));
  return [
    ...solid.flatMap((one, at) => solid.slice(at + 1).flatMap((other) => clash(one, other, overlap(one, other)))),
    ...frames.flatMap((frame) => {
      return solid.flatMap((one) => clash(frame, one, overlap(frame, one) && !contains(frame, one)));
    }),
    ...geometry.edges.flatMap((line) => crossed(line, solid)),
  ];
}

function clash(one: Named, other: Named, doClash: boolean): readonly string[] {
  return doClash ? [`${one.name} lies on ${other.name}`] : [];
}

function place({ x, y, w, h }: Rect): Rect {
  return { x, y, w, h };
}

function overlap(a: Rect, b: Rect): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/** A line may touch the boxes at its ends and lie under its own label; it runs through nothing else. */
function crossed({ edge, points, label }: PlacedEdge, solid: readonly Named[]): readonly string[] {
  const name = edge === null ? 'the line to an initial state' : `the line ${edge.from} → ${edge.to}`;
  const others = solid.filter((one) => label === null || one.x !== label.x || one.y !== label.y);
  return others
    .filter((one) => points.some((point, at) => at > 0 && overlap(segment(points[at - 1] ?? point, point), inner(one))))
    .map((one) => `${name} runs through ${one.name}`);
}

function segment(a: { x: number; y: number }, b: { x: number; y: number }): Rect {
  const thin = 0.01;
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)];
  return { x, y, w: Math.abs(a.x - b.x) + thin, h: Math.abs(a.y - b.y) + thin };
}

/** Lines end at the border of a box, so the border itself is no clash. */
function inner({ x, y, w, h }: Rect): Rect {
  return { x: x + 1, y: y + 1, w: w - 2, h: h - 2 };
}
