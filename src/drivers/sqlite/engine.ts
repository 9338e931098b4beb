import { TenureError } from '../../errors.ts';
import type { Row, SqlValue } from './rows.ts';

/** The little of SQLite that this driver needs, synchronous. Whatever fails throws the engine's own error. */
export interface Connection {
  /** Runs statements without parameters and without rows. */
  exec(sql: string): void;
  run(sql: string, params: readonly SqlValue[]): void;
  /** All rows; integers come as bigint. */
  all(sql: string, params?: readonly SqlValue[]): Row[];
  /** Ends an open transaction without its changes. Idempotent. */
  close(): void;
}

export interface Engine {
  readonly name: 'node:sqlite' | 'libsql';
  /** `path` must be absolute: a relative one could be read as a URI. */
  open(path: string): Connection;
}

/** The runtime's own SQLite where it has one, else libsql. @throws TenureError `driver-missing` */
export async function loadEngine(builtin = nodeEngine, packaged = libsqlEngine): Promise<Engine> {
  const engine = builtin() ?? (await packaged().catch((thrown: unknown) => thrown));
  if (isEngine(engine)) return engine;
  throw new TenureError(
    'driver-missing',
    `The sqlite backend needs an SQLite engine: Node ${process.version} brings no usable node:sqlite (22.13 and newer do) ` +
      'and the package libsql cannot be loaded. Run `npm install libsql`, or use a newer Node.',
    { cause: engine, next: 'Nothing was opened.' },
  );
}

interface RawStatement {
  run(...params: readonly unknown[]): unknown;
  all(...params: readonly unknown[]): unknown[];
}

interface RawDatabase<S extends RawStatement> {
  exec(sql: string): unknown;
  prepare(sql: string): S;
  close(): void;
}

interface NodeStatement extends RawStatement {
  setReadBigInts(on: boolean): void;
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => RawDatabase<NodeStatement>;
  readonly StatementSync: { readonly prototype: Partial<NodeStatement> };
}

interface LibsqlStatement extends RawStatement {
  safeIntegers(on: boolean): unknown;
}

/** The engine inside Node, or null where it is missing or still behind a flag. */
export function nodeEngine(): Engine | null {
  const builtin = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
  if (typeof builtin?.StatementSync?.prototype.setReadBigInts !== 'function') return null;
  return {
    name: 'node:sqlite',
    open: (path) => connect(new builtin.DatabaseSync(path), (statement) => statement.setReadBigInts(true)),
  };
}

/** @throws whatever the loader throws when the package or its binary is not there */
export async function libsqlEngine(): Promise<Engine> {
  // Over better-sqlite3 12: same speed and nothing lost (4 writers, kill -9; 2 cores), but that one compiles for 100 s.
  const { default: Libsql } = await import('libsql');
  return {
    name: 'libsql',
    open: (path) =>
      connect(new Libsql(path) as unknown as RawDatabase<LibsqlStatement>, (statement) => statement.safeIntegers(true)),
  };
}

function isEngine(value: unknown): value is Engine {
  return typeof value === 'object' && value !== null && 'open' in value;
}

function connect<S extends RawStatement>(database: RawDatabase<S>, prepared: (statement: S) => void): Connection {
  const statements = new Map<string, S>();
  let open = true;
  const statement = (sql: string): S => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const fresh = database.prepare(sql);
    prepared(fresh);
    statements.set(sql, fresh);
    return fresh;
  };
  return {
    exec: (sql) => void database.exec(sql),
    run: (sql, params) => void statement(sql).run(...params),
    all: (sql, params = []) => statement(sql).all(...params) as Row[],
    close: () => {
      if (!open) return;
      open = false;
      statements.clear();
      // libsql closes the file only when the garbage collector has taken every statement, and has no call that makes it.
      // A transaction left open would keep the whole machine locked until then.
      rollBackIfAny(database);
      database.close();
    },
  };
}

function rollBackIfAny(database: RawDatabase<RawStatement>): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // No transaction was open: the usual case.
  }
}
