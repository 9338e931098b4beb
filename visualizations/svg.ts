import type { Chart } from './chart.ts';
import { type Geometry, type PlacedEdge, type PlacedState, type Rect, SIZES } from './layout.ts';
import { type Glyph, lookOf, STYLE } from './palette.ts';
import { escapeXml, textWidth } from './text.ts';

const CORNER = 6;

export function toSvg(chart: Chart, { width, height, states, edges, dots }: Geometry): string {
  const compounds = states.filter((placed) => placed.state.children.length > 0);
  const leaves = states.filter((placed) => placed.state.children.length === 0);
  const inside = (rect: Rect): string => {
    const around = compounds.filter((placed) => contains(placed, rect)).at(-1);
    return around === undefined ? 'on-bg' : `on-${lookOf(around.state.path).hue}`;
  };
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Statechart of ${escapeXml(chart.id)}</title>`,
    `<style>\n${STYLE}\n</style>`,
    `<rect class="bg" width="${width}" height="${height}"/>`,
    ...compounds.map(drawState),
    ...edges.map(drawLine),
    ...leaves.map(drawState),
    ...dots.map(drawDot),
    ...edges.map((edge) => drawLabel(edge, inside)),
    '</svg>',
  ];
  return `${parts.filter((part) => part !== '').join('\n')}\n`;
}

export function contains(outer: Rect, inner: Rect): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.w >= inner.x + inner.w &&
    outer.y + outer.h >= inner.y + inner.h
  );
}

function drawState(placed: PlacedState): string {
  const { state, head } = placed;
  const { hue, glyph } = lookOf(state.path);
  const compound = state.children.length > 0;
  const own = state.parent === '' || state.type === 'final';
  const left = head.x + SIZES.padding;
  const middle = head.y + SIZES.head / 2 + 2;
  const nameAt = own ? left + SIZES.glyph + 6 : left;
  return [
    `<g class="${hue}" data-state="${escapeXml(state.path)}">`,
    rectangle(placed, compound || own ? 'box' : 'leaf'),
    state.type === 'final' ? rectangle(inset(placed, 3), 'box hollow') : '',
    own ? drawGlyph(glyph, left + SIZES.glyph / 2, middle) : '',
    text(state.key, 'name', nameAt, middle + 4.5, textWidth(state.key, SIZES.name, true)),
    ...placed.marks.map((mark, at) => {
      const y = head.y + SIZES.head + 10 + at * SIZES.line;
      return text(mark, 'mark', left, y, textWidth(mark, SIZES.small));
    }),
    '</g>',
  ].join('');
}

function drawLine({ edge, points }: PlacedEdge): string {
  const names = edge === null ? '' : ` data-edges="${escapeXml(edge.transitions.join(' '))}"`;
  const title = edge === null ? '' : `<title>${escapeXml(edge.label.join(', '))}</title>`;
  return `<g${names}>${title}<path class="line" d="${rounded(points)}"/><path class="tip" d="${tip(points)}"/></g>`;
}

function drawLabel({ edge, label }: PlacedEdge, inside: (rect: Rect) => string): string {
  if (edge === null || label === null) return '';
  const lines = edge.label.map((line, at) => {
    const width = textWidth(line, SIZES.small);
    return text(line, 'label', label.x + (label.w - width) / 2, label.y + 11.5 + at * SIZES.line, width);
  });
  return `<g data-edges="${escapeXml(edge.transitions.join(' '))}">${rectangle(label, inside(label), 2)}${lines.join('')}</g>`;
}

function drawDot(dot: Rect & { readonly text: string }): string {
  const circle = `<circle class="dot" cx="${round(dot.x + dot.w / 2)}" cy="${round(dot.y + dot.h / 2)}" r="${SIZES.dot / 2}"/>`;
  if (dot.text === '') return circle;
  return circle + text(dot.text, 'mark', dot.x + dot.w + 4, dot.y + 8, textWidth(dot.text, SIZES.small));
}

function rectangle(rect: Rect, className: string, corner = CORNER): string {
  const at = `x="${round(rect.x)}" y="${round(rect.y)}" width="${round(rect.w)}" height="${round(rect.h)}"`;
  return `<rect class="${className}" ${at} rx="${corner}"/>`;
}

function inset(rect: Rect, by: number): Rect {
  return { x: rect.x + by, y: rect.y + by, w: rect.w - 2 * by, h: rect.h - 2 * by };
}

function text(content: string, className: string, x: number, y: number, width: number): string {
  const fitted = `textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
  return `<text class="${className}" x="${round(x)}" y="${round(y)}" ${fitted}>${escapeXml(content)}</text>`;
}

type Point = PlacedEdge['points'][number];

/** Corners of 6 px, less where the line is shorter. */
function rounded(points: readonly Point[]): string {
  const [start, ...rest] = points;
  if (start === undefined) return '';
  const parts = [`M${round(start.x)} ${round(start.y)}`];
  rest.forEach((corner, at) => {
    const before = points[at] ?? corner;
    const after = rest[at + 1];
    if (after === undefined) {
      parts.push(`L${round(corner.x)} ${round(corner.y)}`);
      return;
    }
    const radius = Math.min(CORNER, distance(before, corner) / 2, distance(corner, after) / 2);
    const from = towards(corner, before, radius);
    const to = towards(corner, after, radius);
    parts.push(
      `L${round(from.x)} ${round(from.y)}Q${round(corner.x)} ${round(corner.y)} ${round(to.x)} ${round(to.y)}`,
    );
  });
  return parts.join('');
}

function tip(points: readonly Point[]): string {
  const end = points.at(-1);
  const before = points.at(-2);
  if (end === undefined || before === undefined) return '';
  const back = towards(end, before, 7);
  const across = { x: ((end.y - back.y) * 3.5) / 7, y: ((back.x - end.x) * 3.5) / 7 };
  const corners = [end, { x: back.x + across.x, y: back.y + across.y }, { x: back.x - across.x, y: back.y - across.y }];
  return `M${corners.map((corner) => `${round(corner.x)} ${round(corner.y)}`).join('L')}Z`;
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

function towards(from: Point, to: Point, by: number): Point {
  const length = distance(from, to) || 1;
  return { x: from.x + ((to.x - from.x) * by) / length, y: from.y + ((to.y - from.y) * by) / length };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The disc fills as leadership comes nearer: the shape alone orders the states. */
function drawGlyph(glyph: Glyph, x: number, y: number): string {
  const at = (dx: number, dy: number): string => `${round(x + dx)} ${round(y + dy)}`;
  const circle = `<circle class="glyph hollow" cx="${round(x)}" cy="${round(y)}" r="5"/>`;
  const shapes: Readonly<Record<Glyph, string>> = {
    ring: circle,
    quarter: `${circle}<path class="glyph" d="M${at(0, 0)}L${at(0, -5)}A5 5 0 0 1 ${at(5, 0)}Z"/>`,
    half: `${circle}<path class="glyph" d="M${at(0, -5)}A5 5 0 0 1 ${at(0, 5)}Z"/>`,
    full: `<circle class="glyph" cx="${round(x)}" cy="${round(y)}" r="5"/><path class="cut" d="M${at(-2.5, 0)}L${at(-0.5, 2)}L${at(2.8, -2)}"/>`,
    octagon: `<path class="glyph" d="M${at(-2, -5)}L${at(2, -5)}L${at(5, -2)}L${at(5, 2)}L${at(2, 5)}L${at(-2, 5)}L${at(-5, 2)}L${at(-5, -2)}Z"/><path class="cut" d="M${at(-2.5, 0)}L${at(2.5, 0)}"/>`,
    down: `<path class="glyph hollow" d="M${at(0, -5)}L${at(0, 4)}M${at(-4, 0.5)}L${at(0, 4.5)}L${at(4, 0.5)}"/>`,
    square: `<path class="glyph hollow" d="M${at(-4, -4)}L${at(4, -4)}L${at(4, 4)}L${at(-4, 4)}Z"/>`,
    question: `<path class="glyph hollow" d="M${at(-3, -2)}A3 3 0 1 1 ${at(0, 1)}L${at(0, 2)}M${at(0, 4.6)}L${at(0, 5)}"/>`,
  };
  return shapes[glyph];
}
