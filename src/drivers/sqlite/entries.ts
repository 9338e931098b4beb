import type { Fence, LeaderInformation } from '../../../machines/vocabulary.ts';
import type { Connection } from './engine.ts';
import { DamagedRow, integer, type Row, type SqlValue, text } from './rows.ts';

/** Deletions kept per container. More are forgotten at once, and watchers that missed one then read the whole map. */
export const KEPT_DELETIONS = 1000;

export interface Header {
  readonly version: bigint;
  readonly fence: Fence | null;
  /** Deletions of this version and before may be missing. */
  readonly prunedVersion: bigint;
}

export function readHeader(connection: Connection, name: string): Header {
  const [row] = connection.all('SELECT * FROM container WHERE name = ?', [name]);
  if (row === undefined) return { version: 0n, fence: null, prunedVersion: 0n };
  return {
    version: integer(row, 'version'),
    fence: { fencingToken: integer(row, 'fence_token'), sessionId: text(row, 'fence_session') },
    prunedVersion: integer(row, 'pruned_version'),
  };
}

export function storeHeader(connection: Connection, name: string, header: Header & { readonly fence: Fence }): void {
  connection.run(
    `INSERT INTO container (name, version, fence_token, fence_session, pruned_version) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET version = excluded.version, fence_token = excluded.fence_token,
       fence_session = excluded.fence_session, pruned_version = excluded.pruned_version`,
    [name, header.version, header.fence.fencingToken, header.fence.sessionId, header.prunedVersion],
  );
}

/** Entries changed after `since`, deletions included; with null all that exist. */
export function changedEntries(
  connection: Connection,
  name: string,
  since: bigint | null,
  keys?: readonly string[],
): ReadonlyMap<string, LeaderInformation | null> {
  const columns = 'SELECT key, session_id, fencing_token, information FROM entry';
  const all = (condition: string, params: readonly SqlValue[]): Row[] =>
    since === null
      ? connection.all(`${columns} WHERE ${condition} AND session_id IS NOT NULL`, params)
      : connection.all(`${columns} WHERE ${condition} AND version > ? ORDER BY version`, [...params, since]);
  const rows =
    keys === undefined
      ? all('container = ?', [name])
      : keys.flatMap((key) => all('container = ? AND key = ?', [name, key]));
  return new Map(rows.map((row) => [text(row, 'key'), informationOf(row)]));
}

export function putEntry(
  connection: Connection,
  name: string,
  key: string,
  information: LeaderInformation,
  version: bigint,
): void {
  const { address, metadata, sessionId, fencingToken } = information;
  connection.run(
    `INSERT INTO entry (container, key, version, session_id, fencing_token, information) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (container, key) DO UPDATE SET version = excluded.version, session_id = excluded.session_id,
       fencing_token = excluded.fencing_token, information = excluded.information`,
    [name, key, version, sessionId, fencingToken, JSON.stringify({ address, metadata })],
  );
}

/** Leaves an entry of another session alone. */
export function deleteEntry(
  connection: Connection,
  name: string,
  key: string,
  sessionId: string,
  version: bigint,
): void {
  connection.run(
    `UPDATE entry SET version = ?, session_id = NULL, fencing_token = NULL, information = NULL
     WHERE container = ? AND key = ? AND session_id = ?`,
    [version, name, key, sessionId],
  );
}

/**
 * Forgets the deletions of earlier writes once there are too many; answers the new `prunedVersion`. Those of the write
 * under way stay, so a watcher that was up to date before it goes on with differences.
 */
export function pruneDeletions(connection: Connection, name: string, before: Header): bigint {
  const kept = connection.all('SELECT 1 FROM entry WHERE container = ? AND session_id IS NULL LIMIT ?', [
    name,
    BigInt(KEPT_DELETIONS + 1),
  ]);
  if (kept.length <= KEPT_DELETIONS) return before.prunedVersion;
  connection.run('DELETE FROM entry WHERE container = ? AND session_id IS NULL AND version <= ?', [
    name,
    before.version,
  ]);
  return before.version;
}

function informationOf(row: Row): LeaderInformation | null {
  if (row.session_id === null) return null;
  const { address, metadata } = parse(text(row, 'information'));
  return { address, metadata, sessionId: text(row, 'session_id'), fencingToken: integer(row, 'fencing_token') };
}

function parse(json: string): { readonly address: string; readonly metadata: Readonly<Record<string, string>> } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new DamagedRow('column information does not hold JSON');
  }
  const { address, metadata } = (value ?? {}) as { address?: unknown; metadata?: unknown };
  if (typeof address !== 'string' || typeof metadata !== 'object' || metadata === null) {
    throw new DamagedRow('column information does not hold leader information');
  }
  return { address, metadata: metadata as Readonly<Record<string, string>> };
}
