import type { LeaseReading, LeaseRecord, LeaseStore, LeaseWrite, LeaseWriteResult } from '../ports/lease-store.ts';
import type { Bound } from './bound.ts';
import { fails } from './expect.ts';
import { Watching } from './watching.ts';

export const CALL = { timeoutMs: 5_000 };
export const DURATION_MS = 15_000;

/** The calls of a `LeaseStore` as laws make them. Those that are named for a write fail unless it is committed. */
export interface LeaseHand {
  read(timeoutMs?: number): Promise<LeaseReading>;
  write(write: LeaseWrite, timeoutMs?: number): Promise<LeaseWriteResult>;
  /** The record that a reading finds. */
  current(): Promise<LeaseRecord>;
  tryAcquire(expectedVersion: bigint | null, sessionId: string): Promise<LeaseWriteResult>;
  acquire(expectedVersion: bigint | null, sessionId: string): Promise<LeaseRecord>;
  renew(expectedVersion: bigint, durationMs?: number): Promise<LeaseRecord>;
  release(expectedVersion: bigint): Promise<LeaseRecord>;
  requestStepDown(expectedVersion: bigint, sessionId: string): Promise<LeaseRecord>;
  watch(onItem?: (record: LeaseRecord | null) => void): Watching<LeaseRecord | null>;
}

export function leaseHand(lease: LeaseStore, bound: Bound): LeaseHand {
  const write = (write: LeaseWrite, timeoutMs = CALL.timeoutMs): Promise<LeaseWriteResult> =>
    bound.within(
      `the answer to lease ${write.kind}`,
      answer(() => lease.write(write, { timeoutMs })),
    );
  const read = (timeoutMs = CALL.timeoutMs): Promise<LeaseReading> =>
    bound.within(
      'the answer to lease read',
      answer(() => lease.read({ timeoutMs })),
    );
  const tryAcquire = (expectedVersion: bigint | null, sessionId: string): Promise<LeaseWriteResult> =>
    write({
      kind: 'acquire',
      expectedVersion,
      holder: `holder of ${sessionId}`,
      sessionId,
      durationMs: DURATION_MS,
    });
  return {
    read,
    write,
    tryAcquire,
    async current() {
      const reading = await read();
      if (reading.outcome === 'found') return reading.record;
      return fails('reading a lease that was taken', 'a record', reading);
    },
    acquire: async (expectedVersion, sessionId) => committed('acquire', await tryAcquire(expectedVersion, sessionId)),
    renew: async (expectedVersion, durationMs = DURATION_MS) =>
      committed('renew', await write({ kind: 'renew', expectedVersion, durationMs })),
    release: async (expectedVersion) => committed('release', await write({ kind: 'release', expectedVersion })),
    requestStepDown: async (expectedVersion, sessionId) =>
      committed('request-step-down', await write({ kind: 'request-step-down', expectedVersion, sessionId })),
    watch: (onItem) =>
      new Watching((listener: (record: LeaseRecord | null) => void) => lease.watch(listener), bound, onItem),
  };
}

/** Makes the call at once; what it throws, now or later, is told as what it is. */
export async function answer<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (thrown) {
    throw new Error(`the port threw instead of answering: ${thrown instanceof Error ? thrown.message : thrown}`, {
      cause: thrown,
    });
  }
}

function committed(kind: string, result: LeaseWriteResult): LeaseRecord {
  if (result.outcome === 'committed') return result.record;
  return fails(`the answer to ${kind} of the newest version`, 'committed', result);
}
