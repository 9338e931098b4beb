import type { Clock } from '../../ports/clock.ts';
import type {
  CallOptions,
  LeaseReading,
  LeaseRecord,
  LeaseStore,
  LeaseWrite,
  LeaseWriteResult,
} from '../../ports/lease-store.ts';
import type { Connection } from './engine.ts';
import type { ChangePoller } from './poller.ts';
import { integer, real, text } from './rows.ts';
import type { Transactions } from './transactions.ts';

/** The lease of one election: one row, changed by compare-and-set under the file's write lock, never deleted. */
export class SqliteLeaseStore implements LeaseStore {
  readonly #election: string;
  readonly #transactions: Transactions;
  readonly #poller: ChangePoller;
  readonly #clock: Clock;

  constructor(election: string, transactions: Transactions, poller: ChangePoller, clock: Clock) {
    this.#election = election;
    this.#transactions = transactions;
    this.#poller = poller;
    this.#clock = clock;
  }

  async read({ timeoutMs }: CallOptions): Promise<LeaseReading> {
    const answer = await this.#transactions.read((connection) => readLease(connection, this.#election), timeoutMs);
    if (!answer.done) return { outcome: 'failed', detail: answer.detail };
    return answer.value === null ? { outcome: 'absent' } : { outcome: 'found', record: answer.value };
  }

  async write(write: LeaseWrite, { timeoutMs }: CallOptions): Promise<LeaseWriteResult> {
    const answer = await this.#transactions.write<LeaseWriteResult>((connection) => {
      const found = readLease(connection, this.#election);
      if ((found?.version ?? null) !== write.expectedVersion) return { outcome: 'conflict', record: found };
      const record = nextRecord(found, write, this.#clock.isoNow());
      if (record === null) return { outcome: 'conflict', record: found };
      storeLease(connection, this.#election, record);
      return { outcome: 'committed', record };
    }, timeoutMs);
    if (answer.done) return answer.value;
    return { outcome: answer.certain ? 'refused' : 'unknown', detail: answer.detail };
  }

  watch(listener: (record: LeaseRecord | null) => void): () => void {
    let last: bigint | null | undefined;
    return this.#poller.subscribe(() => {
      const answer = this.#transactions.attemptRead((connection) => readLease(connection, this.#election));
      // In a file that is gone nobody holds anything: the holder must hear that before others lead in a new one.
      if (!answer.done && answer.kind !== 'replaced') return false;
      const record = answer.done ? answer.value : null;
      const version = record?.version ?? null;
      if (version === last) return true;
      last = version;
      listener(record);
      return true;
    });
  }
}

/** The record after a write whose `expectedVersion` matched `found`; null when no such write fits that record. */
function nextRecord(found: LeaseRecord | null, write: LeaseWrite, now: string): LeaseRecord | null {
  if (write.kind === 'acquire') {
    return {
      version: (found?.version ?? 0n) + 1n,
      holder: write.holder,
      sessionId: write.sessionId,
      fencingToken: (found?.fencingToken ?? 0n) + 1n,
      durationMs: write.durationMs,
      stepDownFor: '',
      acquiredAt: now,
      renewedAt: now,
    };
  }
  if (found === null || found.holder === '') return null;
  const version = found.version + 1n;
  switch (write.kind) {
    case 'renew':
      return { ...found, version, durationMs: write.durationMs, renewedAt: now };
    case 'release':
      return { ...found, version, holder: '', sessionId: '', stepDownFor: '' };
    case 'request-step-down':
      return write.sessionId === found.sessionId ? { ...found, version, stepDownFor: write.sessionId } : null;
  }
}

function readLease(connection: Connection, election: string): LeaseRecord | null {
  const [row] = connection.all('SELECT * FROM lease WHERE election = ?', [election]);
  if (row === undefined) return null;
  return {
    version: integer(row, 'version'),
    holder: text(row, 'holder'),
    sessionId: text(row, 'session_id'),
    fencingToken: integer(row, 'fencing_token'),
    durationMs: real(row, 'duration_ms'),
    stepDownFor: text(row, 'step_down_for'),
    acquiredAt: text(row, 'acquired_at'),
    renewedAt: text(row, 'renewed_at'),
  };
}

function storeLease(connection: Connection, election: string, record: LeaseRecord): void {
  connection.run(
    `INSERT INTO lease (election, version, holder, session_id, fencing_token, duration_ms, step_down_for, acquired_at, renewed_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (election) DO UPDATE SET
       version = excluded.version, holder = excluded.holder, session_id = excluded.session_id,
       fencing_token = excluded.fencing_token, duration_ms = excluded.duration_ms,
       step_down_for = excluded.step_down_for, acquired_at = excluded.acquired_at, renewed_at = excluded.renewed_at`,
    [
      election,
      record.version,
      record.holder,
      record.sessionId,
      record.fencingToken,
      record.durationMs,
      record.stepDownFor,
      record.acquiredAt,
      record.renewedAt,
    ],
  );
}
