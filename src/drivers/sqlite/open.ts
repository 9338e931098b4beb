import { mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TenureError } from '../../errors.ts';
import type { BackendContext, OpenBackend } from '../../ports/backend.ts';
import type { Clock } from '../../ports/clock.ts';
import { SqliteContainer } from './container.ts';
import type { Connection, Engine } from './engine.ts';
import { classify, folderError, openError } from './failures.ts';
import { prepareLayout } from './layout.ts';
import { SqliteLeaseStore } from './lease.ts';
import { ChangePoller } from './poller.ts';
import { Transactions } from './transactions.ts';

/** How long an open repeats while others keep the file locked. */
const OPEN_TIMEOUT_MS = 5000;
const OPEN_PAUSE_MS = 5;

export interface SqliteSettings {
  readonly file: string;
  readonly pollMs: number;
  readonly openTimeoutMs?: number;
}

/** @throws TenureError `store-unusable`, `store-read-only` or `backend-unavailable`; nothing is left open then */
export async function openSqlite(
  settings: SqliteSettings,
  engine: Engine,
  { election, clock, random }: BackendContext,
): Promise<OpenBackend> {
  const file = resolve(settings.file);
  createFolder(dirname(file));
  const connection = await connect(file, engine, clock, settings.openTimeoutMs ?? OPEN_TIMEOUT_MS);
  const transactions = new Transactions(connection, file, clock, random);
  const stamp = (): string | null => {
    const answer = transactions.stamp();
    if (answer.done) return answer.value;
    // A stamp of its own, so that the watches look once and report.
    return answer.kind === 'replaced' ? 'replaced' : null;
  };
  const poller = new ChangePoller({ clock, file, pollMs: settings.pollMs, stamp });
  transactions.onCommit = () => poller.wake();
  return {
    place: `sqlite (${settings.file})`,
    protection: 'lease',
    lease: new SqliteLeaseStore(election, transactions, poller, clock),
    register: new SqliteContainer(`${election}/leaders`, transactions, poller),
    close: async () => {
      poller.close();
      transactions.close();
    },
  };
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (thrown) {
    throw folderError(folder, thrown);
  }
}

async function connect(file: string, engine: Engine, clock: Clock, timeoutMs: number): Promise<Connection> {
  const endMs = clock.nowMs() + timeoutMs;
  for (;;) {
    try {
      return connectOnce(file, engine);
    } catch (thrown) {
      if (thrown instanceof TenureError) throw thrown;
      const failure = classify(thrown);
      if (failure === null) throw thrown;
      if (failure.kind !== 'busy' || clock.nowMs() >= endMs) throw openError(file, failure, thrown);
    }
    await new Promise<void>((settle) => void clock.setTimer(OPEN_PAUSE_MS, settle));
  }
}

function connectOnce(file: string, engine: Engine): Connection {
  const connection = engine.open(file);
  try {
    prepareLayout(connection, file);
    return connection;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}
