/** One line of the table, and what it is held to. */
export interface Row {
  readonly what: string;
  readonly unit: 'ns' | 'µs' | 'ms' | 's' | '×' | 'bytes' | 'states/s' | 'fail-overs/s';
  /** One value per round, over all processes that measured it. */
  readonly values: readonly number[];
  /** Which of them is shown first and compared with the target; default the median. */
  readonly show?: 'median' | 'p99';
  /** From DESIGN §10: at most this. */
  readonly atMost?: number;
  /** At least this. */
  readonly atLeast?: number;
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Rounds of one kind that several processes measured, as one row. */
export function joinRows(parts: readonly (readonly Row[])[]): readonly Row[] {
  const joined = new Map<string, Row>();
  for (const row of parts.flat()) {
    const known = joined.get(row.what);
    joined.set(row.what, known === undefined ? row : { ...known, values: [...known.values, ...row.values] });
  }
  return [...joined.values()];
}

export function formatRows(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const shown = quantile(row.values, row.show === 'p99' ? 0.99 : 0.5);
    const range = `${digits(Math.min(...row.values))}–${digits(Math.max(...row.values))}`;
    const { atMost, atLeast } = row;
    const target = atMost !== undefined ? `≤ ${digits(atMost)}` : atLeast !== undefined ? `≥ ${digits(atLeast)}` : '';
    const isHeld = shown <= (atMost ?? shown) && shown >= (atLeast ?? shown);
    const verdict = target === '' ? '' : isHeld ? 'held' : 'missed';
    return [row.what, row.unit, digits(shown), range, String(row.values.length), target, verdict];
  });
  const table = [['', 'unit', 'median', 'min–max', 'rounds', 'target', ''], ...cells];
  const widths = table.reduce<number[]>(
    (sofar, line) => line.map((cell, at) => Math.max(cell.length, sofar[at] ?? 0)),
    [],
  );
  const isNumber = [false, false, true, true, true, true, false];
  return table
    .map((line) =>
      line
        .map((cell, at) => (isNumber[at] ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function digits(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
