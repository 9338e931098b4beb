import { allMachines } from '../machines/index.ts';
import { type Chart, readChart } from './chart.ts';
import { type Geometry, layOut } from './layout.ts';
import { toMermaid } from './mermaid.ts';
import { toSvg } from './svg.ts';

export interface Drawing {
  readonly name: string;
  readonly chart: Chart;
  readonly geometry: Geometry;
  readonly svg: string;
  readonly mermaid: string;
}

export async function drawings(): Promise<readonly Drawing[]> {
  const all: Drawing[] = [];
  for (const [name, { machine }] of Object.entries(allMachines)) {
    const chart = readChart(machine);
    const geometry = await layOut(chart);
    all.push({ name, chart, geometry, svg: toSvg(chart, geometry), mermaid: toMermaid(chart) });
  }
  return all;
}

/** File name → text; a test compares them with the committed files. */
export function filesOf(all: readonly Drawing[]): ReadonlyMap<string, string> {
  return new Map(
    all.flatMap(({ name, svg, mermaid }) => [[`${name}.svg`, svg] as const, [`${name}.mmd`, mermaid] as const]),
  );
}
