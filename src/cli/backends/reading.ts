import { TenureError } from '../../errors.ts';
import type { OpenBackend } from '../../ports/backend.ts';
import type { ContainerState } from '../../ports/container.ts';
import type { LeaseRecord } from '../../ports/lease-store.ts';
import type { World } from '../command.ts';
import { isoToMs } from '../text/iso-time.ts';
import { assertFileExists, type BackendChoice, loadBackend } from './choose.ts';

/** Opens the backend without taking part in the election. @throws TenureError */
export async function openForReading(choice: BackendChoice, election: string, world: World): Promise<OpenBackend> {
  assertFileExists(choice, world.cwd);
  const backend = await loadBackend(choice);
  return await backend.open({ election, identity: 'tenure command line', clock: world.clock, random: world.random });
}

/** @throws TenureError `backend-unavailable` */
export async function readLease(open: OpenBackend, timeoutMs: number): Promise<LeaseRecord | null> {
  const reading = await open.lease.read({ timeoutMs });
  if (reading.outcome === 'failed') throw unreadable(reading.detail);
  return reading.outcome === 'absent' ? null : reading.record;
}

/** @throws TenureError `backend-unavailable` */
export async function readRegister(open: OpenBackend, timeoutMs: number): Promise<ContainerState> {
  const reading = await open.register.read({ timeoutMs });
  if (reading.outcome === 'failed') throw unreadable(reading.detail);
  return reading.state;
}

function unreadable(detail: string): TenureError {
  return new TenureError('backend-unavailable', detail, { next: 'Nothing is known of the election.' });
}

export type LeaseStanding =
  | { readonly kind: 'never' }
  | { readonly kind: 'free'; readonly lastToken: bigint }
  | { readonly kind: 'held'; readonly record: LeaseRecord; readonly heldMs: number; readonly leftMs: number | null }
  /** The holder has not renewed for longer than it promised: it is dead, frozen or cut off. */
  | { readonly kind: 'ran-out'; readonly record: LeaseRecord; readonly sinceMs: number };

/**
 * What the lease says, judged by the times that its holder wrote: exact on one machine, as good as the clocks agree
 * elsewhere. Only for telling people; who leads is never decided from them.
 */
export function leaseStanding(
  record: LeaseRecord | null,
  nowIso: string,
  protection: OpenBackend['protection'],
): LeaseStanding {
  if (record === null) return { kind: 'never' };
  if (record.holder === '') return { kind: 'free', lastToken: record.fencingToken };
  const nowMs = isoToMs(nowIso) ?? 0;
  const heldMs = Math.max(0, nowMs - (isoToMs(record.acquiredAt) ?? nowMs));
  // Without protection nobody waits for the lease to run out, so there is nothing to count down.
  if (protection === 'none') return { kind: 'held', record, heldMs, leftMs: null };
  const leftMs = (isoToMs(record.renewedAt) ?? nowMs) + record.durationMs - nowMs;
  return leftMs < 0 ? { kind: 'ran-out', record, sinceMs: -leftMs } : { kind: 'held', record, heldMs, leftMs };
}
