import { TenureError } from '../../errors.ts';
import type { OpenBackend } from '../../ports/backend.ts';
import type { LeaseRecord } from '../../ports/lease-store.ts';

/** Tries again after a renewal of the same session came between; a healthy holder renews every few seconds. */
const MOST_TRIES = 20;

/**
 * Writes into the lease that its session should be given up. Answers false when that session is over already.
 * @throws TenureError when the request could not be written
 */
export async function requestStepDown(open: OpenBackend, record: LeaseRecord, timeoutMs: number): Promise<boolean> {
  const { sessionId } = record;
  let expectedVersion = record.version;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const result = await open.lease.write({ kind: 'request-step-down', expectedVersion, sessionId }, { timeoutMs });
    if (result.outcome === 'committed') return true;
    if (result.outcome === 'refused') throw new TenureError('backend-unavailable', result.detail);
    if (result.outcome === 'unknown') {
      throw new TenureError('backend-unavailable', result.detail, {
        outcome: 'unknown',
        next: 'The request may have been written; tenure status tells.',
      });
    }
    if (result.record?.sessionId !== sessionId) return false;
    expectedVersion = result.record.version;
  }
  throw new TenureError(
    'backend-unavailable',
    `the lease changed ${MOST_TRIES} times while the request was being written`,
  );
}
