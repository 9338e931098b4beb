import { InvalidOptionsError, type Violation } from '../../errors.ts';
import type { Backend } from '../../ports/backend.ts';
import { loadEngine } from './engine.ts';
import { openSqlite } from './open.ts';

export interface SqliteOptions {
  /** The database file, on a local disk; its folder is created. Default `.tenure/tenure.db`. */
  readonly file?: string;
  /** How often watches look for changes at the latest, in milliseconds, 1 to 10 000. Default 20. */
  readonly pollMs?: number;
}

const DEFAULT_FILE = '.tenure/tenure.db';
const DEFAULT_POLL_MS = 20;

/**
 * Elections among the processes of one machine, in one SQLite file; one file can serve many elections. Uses the
 * runtime's own `node:sqlite` (Node 22.13 and newer) or else the package `libsql`.
 * @throws InvalidOptionsError. `open` rejects with a TenureError: `store-unusable`, `store-read-only`,
 * `backend-unavailable` (locked for 5 s, disk full or failing) or `driver-missing`.
 */
export function sqlite(options: SqliteOptions = {}): Backend {
  const { file = DEFAULT_FILE, pollMs = DEFAULT_POLL_MS } = options;
  const violations = [...fileViolations(file), ...pollViolations(pollMs)];
  if (violations.length > 0) throw new InvalidOptionsError(violations);
  return {
    name: 'sqlite',
    open: async (context) => openSqlite({ file, pollMs }, await loadEngine(), context),
  };
}

function fileViolations(file: unknown): Violation[] {
  const named = typeof file === 'string' && file !== '' && !file.includes('\0');
  if (!named) return [{ field: 'file', received: file, rule: 'must be the path of a file' }];
  if (!file.startsWith(':')) return [];
  const rule = 'must be a file that other processes can open; for one process use the memory backend';
  return [{ field: 'file', received: file, rule }];
}

function pollViolations(pollMs: unknown): Violation[] {
  if (typeof pollMs === 'number' && pollMs >= 1 && pollMs <= 10_000) return [];
  return [{ field: 'pollMs', received: pollMs, rule: 'must be 1 to 10 000 milliseconds' }];
}
