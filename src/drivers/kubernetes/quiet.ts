import { isRecord, type KubeObject } from './objects.ts';

/** The server sends a sign of life about once a minute. */
const BOOKMARKS_MS = 150_000;

export function quietRegisterMs(): number {
  return BOOKMARKS_MS;
}

/**
 * A held Lease is a heartbeat of its own: without a renewal for much longer than they come, the watch is dead or the
 * holder is, and to open it anew costs little.
 */
export function quietLeaseMs(object: KubeObject | null | undefined, spacingMs: number | null): number {
  const spec = isRecord(object?.spec) ? object.spec : {};
  const { holderIdentity, leaseDurationSeconds: seconds } = spec;
  if (typeof holderIdentity !== 'string' || holderIdentity === '') return BOOKMARKS_MS;
  const durationMs = typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : BOOKMARKS_MS;
  return Math.min(BOOKMARKS_MS, spacingMs === null ? durationMs : Math.max(2.5 * spacingMs, durationMs / 2));
}
