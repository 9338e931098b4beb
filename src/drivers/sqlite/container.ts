import type { Fence } from '../../../machines/vocabulary.ts';
import type {
  Container,
  ContainerReading,
  ContainerState,
  ContainerWrite,
  ContainerWriteResult,
} from '../../ports/container.ts';
import type { CallOptions } from '../../ports/lease-store.ts';
import type { Connection } from './engine.ts';
import { changedEntries, deleteEntry, pruneDeletions, putEntry, readHeader, storeHeader } from './entries.ts';
import type { ChangePoller } from './poller.ts';
import type { Transactions } from './transactions.ts';

/** A fenced map in the file: one header row, and one row per key. */
export class SqliteContainer implements Container {
  readonly #name: string;
  readonly #transactions: Transactions;
  readonly #poller: ChangePoller;

  constructor(name: string, transactions: Transactions, poller: ChangePoller) {
    this.#name = name;
    this.#transactions = transactions;
    this.#poller = poller;
  }

  async read(
    options: CallOptions & { readonly since?: bigint; readonly keys?: readonly string[] },
  ): Promise<ContainerReading> {
    const { since, keys, timeoutMs } = options;
    const answer = await this.#transactions.read(
      (connection) => readState(connection, this.#name, since, keys),
      timeoutMs,
    );
    return answer.done ? { outcome: 'found', state: answer.value } : { outcome: 'failed', detail: answer.detail };
  }

  async write(write: ContainerWrite, { timeoutMs }: CallOptions): Promise<ContainerWriteResult> {
    const answer = await this.#transactions.write((connection) => applyWrite(connection, this.#name, write), timeoutMs);
    if (answer.done) return answer.value;
    if (!answer.certain) return { outcome: 'unknown', detail: answer.detail };
    const reason = answer.kind === 'too-large' ? 'too-large' : 'unavailable';
    return { outcome: 'refused', reason, detail: answer.detail };
  }

  watch(listener: (state: ContainerState) => void): () => void {
    let since: bigint | undefined;
    return this.#poller.subscribe(() => {
      const answer = this.#transactions.attemptRead((connection) => readState(connection, this.#name, since));
      if (!answer.done) return false;
      if (answer.value.version === since) return true;
      since = answer.value.version;
      listener(answer.value);
      return true;
    });
  }
}

function readState(
  connection: Connection,
  name: string,
  since: bigint | undefined,
  keys?: readonly string[],
): ContainerState {
  const header = readHeader(connection, name);
  // Deletions up to `prunedVersion` are forgotten: who has not seen them gets the whole map instead. So does who knows a
  // version that was never written here.
  const full = since === undefined || since < header.prunedVersion || since > header.version;
  const changed = changedEntries(connection, name, full ? null : since, keys);
  return { version: header.version, fence: header.fence, full, changed };
}

function applyWrite(connection: Connection, name: string, write: ContainerWrite): ContainerWriteResult {
  const header = readHeader(connection, name);
  const { fence } = header;
  // Before the version: a deposed leader must hear that it is deposed. A conflict would have it read and try again.
  if (fence !== null && isFenced(fence, write.fence)) {
    const detail = `the fence is at token ${fence.fencingToken} of session ${fence.sessionId}`;
    return { outcome: 'refused', reason: 'fenced', detail };
  }
  if (header.version !== write.expectedVersion) return { outcome: 'conflict', version: header.version, fence };
  const version = header.version + 1n;
  for (const [key, sessionId] of write.withdrawals) deleteEntry(connection, name, key, sessionId, version);
  for (const [key, information] of write.puts) putEntry(connection, name, key, information, version);
  const prunedVersion = write.withdrawals.size > 0 ? pruneDeletions(connection, name, header) : header.prunedVersion;
  storeHeader(connection, name, { version, fence: write.fence, prunedVersion });
  return { outcome: 'committed', version };
}

function isFenced(stored: Fence, writer: Fence): boolean {
  if (stored.fencingToken !== writer.fencingToken) return stored.fencingToken > writer.fencingToken;
  return stored.sessionId !== writer.sessionId;
}
