export type SqlValue = string | number | bigint | null;

export type Row = Readonly<Record<string, SqlValue>>;

/** A row holds what Tenure never writes: the file was damaged, or changed by hand. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow';
}

export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw damaged(column, value);
  return value;
}

export function integer(row: Row, column: string): bigint {
  const value = row[column];
  if (typeof value !== 'bigint') throw damaged(column, value);
  return value;
}

export function real(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw damaged(column, value);
  return value;
}

function damaged(column: string, value: unknown): DamagedRow {
  return new DamagedRow(`column ${column} holds ${value === null ? 'nothing' : `a ${typeof value}`}`);
}
