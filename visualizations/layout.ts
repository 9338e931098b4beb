import ElkModule from 'elkjs/lib/elk.bundled.js';
import type { ElkExtendedEdge, ElkNode, ElkPoint } from 'elkjs/lib/elk-api.js';
import type { Chart, ChartState } from './chart.ts';
import { type DrawnEdge, edgesOf, marksOf } from './edges.ts';
import { textWidth } from './text.ts';

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

export interface PlacedState extends Rect {
  readonly state: ChartState;
  readonly marks: readonly string[];
  /** Where name and marks of a compound stand; for a leaf its whole box. */
  readonly head: Rect;
}

export interface PlacedEdge {
  /** `null` for the arrow to an initial state. */
  readonly edge: DrawnEdge | null;
  readonly points: readonly ElkPoint[];
  readonly label: Rect | null;
}

export interface Geometry {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly edges: readonly PlacedEdge[];
  /** Starting points: of an initial state, or of a transition that leaves from every state. */
  readonly dots: readonly (Rect & { readonly text: string })[];
}

export const SIZES = { name: 13, small: 11, line: 14, head: 24, glyph: 12, dot: 8, padding: 10 } as const;

const SPACING: Readonly<Record<string, string>> = {
  'elk.spacing.nodeNode': '18',
  'elk.spacing.edgeNode': '12',
  'elk.spacing.edgeEdge': '10',
  'elk.spacing.edgeLabel': '2',
  'elk.spacing.labelLabel': '6',
  'elk.layered.spacing.nodeNodeBetweenLayers': '16',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '10',
};

const OPTIONS: Readonly<Record<string, string>> = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.edgeCoords': 'ROOT',
  'elk.json.shapeCoords': 'ROOT',
  'elk.layered.considerModelOrder.strategy': 'PREFER_NODES',
  'elk.layered.nodePlacement.strategy': 'LINEAR_SEGMENTS',
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'SPACE_EFFICIENT_LAYER',
  'elk.layered.thoroughness': '60',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.padding': '[top=16,left=16,bottom=16,right=16]',
  ...SPACING,
};

const headId = (path: string): string => `head:${path}`;
const dotId = (path: string): string => `dot:${path}`;
const stubId = (path: string): string => `stub:${path}`;

export async function layOut(chart: Chart): Promise<Geometry> {
  const edges = edgesOf(chart);
  const stubs = edges.filter((edge) => edge.from === '');
  const laidOut = await new ElkModule.default().layout(graphOf(chart, edges, stubs));
  const nodes = new Map(allNodes(laidOut).map((node) => [node.id, node]));
  const compounds = [chart.root, ...chart.states].filter((state) => state.initial !== null);
  const rect = (id: string): Rect => rectOf(nodes.get(id));
  return {
    width: Math.ceil(laidOut.width ?? 0),
    height: Math.ceil(laidOut.height ?? 0),
    states: chart.states.map((state) => ({
      state,
      marks: marksOf(chart, state),
      ...rect(state.path),
      head: rect(state.children.length > 0 ? headId(state.path) : state.path),
    })),
    edges: placedEdges(laidOut, edges),
    dots: [
      ...compounds.map((state) => ({ ...rect(dotId(state.path)), text: '' })),
      ...stubs.map((edge) => ({ ...rect(stubId(edge.to)), text: 'from every state' })),
    ],
  };
}

function graphOf(chart: Chart, edges: readonly DrawnEdge[], stubs: readonly DrawnEdge[]): ElkNode {
  const drawn = edges.map((edge, at): ElkExtendedEdge => {
    const width = Math.max(...edge.label.map((line) => textWidth(line, SIZES.small))) + 8;
    const label = { text: edge.label.join('\n'), width, height: edge.label.length * SIZES.line + 2 };
    const from = edge.from === '' ? stubId(edge.to) : edge.from;
    const layoutOptions = { 'elk.edgeLabels.inline': 'true' };
    return { id: `edge:${at}`, sources: [from], targets: [edge.to], labels: [{ ...label, layoutOptions }] };
  });
  const initials = [chart.root, ...chart.states].flatMap((state): readonly ElkExtendedEdge[] =>
    state.initial === null
      ? []
      : [{ id: `initial:${state.path}`, sources: [dotId(state.path)], targets: [state.initial] }],
  );
  return {
    id: 'root',
    layoutOptions: { ...OPTIONS },
    children: [
      dotNode(dotId('')),
      ...stubs.map((edge) => dotNode(stubId(edge.to))),
      ...chart.root.children.map((state) => nodeOf(chart, state)),
    ],
    edges: [...initials, ...drawn],
  };
}

function nodeOf(chart: Chart, state: ChartState): ElkNode {
  const marks = marksOf(chart, state);
  const name = textWidth(state.key, SIZES.name, true) + SIZES.glyph + 6;
  const width = Math.max(name, ...marks.map((mark) => textWidth(mark, SIZES.small))) + 2 * SIZES.padding;
  const height = SIZES.head + marks.length * SIZES.line + (marks.length > 0 ? 6 : 4);
  if (state.children.length === 0) return { id: state.path, width, height };
  const first = { 'elk.layered.layering.layerConstraint': 'FIRST' };
  return {
    id: state.path,
    layoutOptions: { ...SPACING, 'elk.padding': '[top=8,left=10,bottom=12,right=10]' },
    children: [
      // A node of its own, so that lines are led around the name and never through it.
      { id: headId(state.path), width, height, layoutOptions: first },
      ...(state.initial === null ? [] : [dotNode(dotId(state.path))]),
      ...state.children.map((child) => nodeOf(chart, child)),
    ],
  };
}

function dotNode(id: string): ElkNode {
  return { id, width: SIZES.dot, height: SIZES.dot };
}

function allNodes(node: ElkNode): readonly ElkNode[] {
  return [node, ...(node.children ?? []).flatMap(allNodes)];
}

function placedEdges(root: ElkNode, edges: readonly DrawnEdge[]): readonly PlacedEdge[] {
  const found = allNodes(root).flatMap((node) => node.edges ?? []);
  return found.flatMap((one): readonly PlacedEdge[] => {
    const section = one.sections?.[0];
    if (section === undefined) return [];
    const points = [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
    const edge = one.id.startsWith('edge:') ? (edges[Number(one.id.slice('edge:'.length))] ?? null) : null;
    const [label] = one.labels ?? [];
    return [{ edge, points, label: label === undefined ? null : rectOf(label) }];
  });
}

function rectOf(shape: { x?: number; y?: number; width?: number; height?: number } | undefined): Rect {
  return { x: shape?.x ?? 0, y: shape?.y ?? 0, w: shape?.width ?? 0, h: shape?.height ?? 0 };
}
