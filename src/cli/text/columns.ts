import stringWidth from 'string-width';
import { shorten } from './shorten.ts';

/** A cell is measured as plain text and painted afterwards, so that colour never shifts a column. */
export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface ColumnLayout {
  /** Columns of the screen; `null` where nothing is cut (a pipe, a file). */
  readonly screen: number | null;
  readonly indent?: number;
  /** Which columns give way when the screen is too narrow, by index. The widest of them is cut first. */
  readonly flexible?: readonly number[];
}

const GAP = 2;
const NARROWEST = 12;

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - stringWidth(text)));
}

/** Aligned columns, two spaces between, nothing after the last one of a row; an empty column takes no room. */
export function columns(rows: readonly (readonly Cell[])[], layout: ColumnLayout): string[] {
  const widths = narrow(natural(rows), layout);
  const gapAfter = (index: number) => (widths[index] === 0 ? 0 : GAP);
  const indent = ' '.repeat(layout.indent ?? 0);
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => cell.text !== '');
    const cells = row.slice(0, last + 1).map((cell, index) => {
      const shown = shorten(cell.text, widths[index] ?? 0);
      const painted = cell.paint === undefined ? shown : cell.paint(shown);
      return index === last
        ? painted
        : painted + ' '.repeat((widths[index] ?? 0) - stringWidth(shown) + gapAfter(index));
    });
    return indent + cells.join('');
  });
}

function natural(rows: readonly (readonly Cell[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, stringWidth(cell.text));
    });
  }
  return widths;
}

function narrow(widths: number[], layout: ColumnLayout): number[] {
  if (layout.screen === null) return widths;
  const room = layout.screen - (layout.indent ?? 0) - GAP * Math.max(0, widths.length - 1);
  const flexible = (layout.flexible ?? []).filter((index) => index < widths.length);
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = flexible.reduce(
      (best, index) => ((widths[index] ?? 0) > (widths[best] ?? 0) ? index : best),
      flexible[0] ?? -1,
    );
    const width = widths[widest] ?? 0;
    if (width <= NARROWEST) break;
    widths[widest] = width - 1;
    excess -= 1;
  }
  return widths;
}
