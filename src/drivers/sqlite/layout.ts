import { TenureError } from '../../errors.ts';
import type { Connection } from './engine.ts';
import { integer } from './rows.ts';

/** `TENU` in the file's header says whose file it is, `user_version` which layout. */
const APPLICATION_ID = 0x54454e55n;
export const LAYOUT_VERSION = 1n;

/**
 * A container is named `<election>/<name>`. Entries carry the container's version at their last change, so a reader that
 * knows version N takes an index range and never looks at the others. A deletion stays as a row without a session.
 * `pruned_version` is the version up to which deletions have been forgotten.
 * Leader information is one JSON text, because SQLite's own texts lose lone surrogates and end at a NUL.
 */
const TABLES = `
  CREATE TABLE lease (
    election TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    holder TEXT NOT NULL,
    session_id TEXT NOT NULL,
    fencing_token INTEGER NOT NULL,
    duration_ms REAL NOT NULL,
    step_down_for TEXT NOT NULL,
    acquired_at TEXT NOT NULL,
    renewed_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE container (
    name TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    fence_token INTEGER NOT NULL,
    fence_session TEXT NOT NULL,
    pruned_version INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE entry (
    container TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    session_id TEXT,
    fencing_token INTEGER,
    information TEXT,
    PRIMARY KEY (container, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX entry_by_version ON entry (container, version);
  CREATE INDEX entry_deleted ON entry (container, version) WHERE session_id IS NULL;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${LAYOUT_VERSION};
`;

/**
 * Makes the file ready, or throws and leaves a foreign file as it was.
 * @throws TenureError `store-unusable` for a file of another program or another layout
 * @throws whatever the engine throws, busy included: call it again then
 */
export function prepareLayout(connection: Connection, file: string): void {
  connection.exec('PRAGMA busy_timeout = 0');
  // Before the switch to WAL, which would already change a file that belongs to somebody else.
  const found = layoutOf(connection, file);
  switchToWal(connection, file);
  // FULL: a commit is on the disk before it is answered. With NORMAL a power cut can take back the newest commits, and a
  // token that a leader has already handed to the outside would be granted a second time, to another session.
  connection.exec('PRAGMA synchronous = FULL');
  // On macOS a plain fsync stops at the drive's cache; elsewhere this does nothing.
  connection.exec('PRAGMA fullfsync = ON');
  if (found === 'empty') createTables(connection, file);
  probeWriting(connection);
}

function layoutOf(connection: Connection, file: string): 'empty' | 'ours' {
  const application = pragma(connection, 'application_id');
  const layout = pragma(connection, 'user_version');
  if (application === APPLICATION_ID && layout === LAYOUT_VERSION) return 'ours';
  if (application === APPLICATION_ID) {
    throw unusable(`${file} has layout ${layout}, and this version of Tenure reads layout ${LAYOUT_VERSION} only.`);
  }
  const [row] = connection.all('SELECT count(*) AS tables FROM sqlite_schema');
  const empty = application === 0n && layout === 0n && row !== undefined && integer(row, 'tables') === 0n;
  if (empty) return 'empty';
  throw unusable(
    `${file} is an SQLite database of another program; the file must be missing, empty or made by Tenure.`,
  );
}

function switchToWal(connection: Connection, file: string): void {
  const [row] = connection.all('PRAGMA journal_mode = WAL');
  const mode = Object.values(row ?? {})[0];
  if (mode === 'wal') return;
  throw unusable(
    `${file} cannot be used with a write-ahead log (journal mode stays ${String(mode)}); it must be on a local disk.`,
  );
}

function createTables(connection: Connection, file: string): void {
  connection.exec('BEGIN IMMEDIATE');
  // Again, under the lock: two processes may both have found the file empty. A throw leaves the roll-back to `close`.
  if (layoutOf(connection, file) === 'empty') connection.exec(TABLES);
  connection.exec('COMMIT');
}

/** A file that may not be written opens without a complaint, and BEGIN IMMEDIATE passes too. Only a write tells. */
function probeWriting(connection: Connection): void {
  connection.exec('BEGIN IMMEDIATE');
  connection.exec('UPDATE lease SET version = version WHERE false');
  connection.exec('ROLLBACK');
}

function pragma(connection: Connection, name: string): bigint {
  const [row] = connection.all(`PRAGMA ${name}`);
  return row === undefined ? -1n : integer(row, name);
}

function unusable(message: string): TenureError {
  return new TenureError('store-unusable', `${message} Choose another file, or move this one away.`, {
    next: 'Nothing was changed and nothing is left open.',
  });
}
