import type { Fence, LeaderInformation } from '../../../machines/vocabulary.ts';
import type { ContainerState, ContainerWrite, ContainerWriteResult } from '../../ports/container.ts';
import type { Entry, Register } from './document.ts';

/** Deletions kept; more are forgotten at once, and readers that missed one get the whole map. */
export const KEPT_DELETIONS = 1000;

export function stateOf(register: Register, since: bigint | undefined, keys?: readonly string[]): ContainerState {
  const { version, fence, prunedVersion, entries } = register;
  const full = since === undefined || since < prunedVersion || since > version;
  const wanted = keys === undefined ? null : new Set(keys);
  const changed = new Map<string, LeaderInformation | null>();
  for (const [key, entry] of entries) {
    if (wanted !== null && !wanted.has(key)) continue;
    if (full ? entry.information !== null : entry.version > since) changed.set(key, entry.information);
  }
  return { version, fence, full, changed };
}

/** The register after the write; `after` is null when the write was not accepted. */
export function applyWrite(
  register: Register,
  write: ContainerWrite,
): { readonly after: Register | null; readonly result: ContainerWriteResult } {
  const { fence } = register;
  // Before the version: a deposed leader must hear that it is deposed. A conflict would have it read and try again.
  if (fence !== null && isFenced(fence, write.fence)) {
    const detail = `the fence is at token ${fence.fencingToken} of session ${fence.sessionId}`;
    return { after: null, result: { outcome: 'refused', reason: 'fenced', detail } };
  }
  if (register.version !== write.expectedVersion) {
    return { after: null, result: { outcome: 'conflict', version: register.version, fence } };
  }
  const version = register.version + 1n;
  const entries = new Map(register.entries);
  for (const [key, sessionId] of write.withdrawals) {
    if (entries.get(key)?.information?.sessionId === sessionId) entries.set(key, { version, information: null });
  }
  for (const [key, information] of write.puts) entries.set(key, { version, information });
  const prunedVersion = prune(entries, register);
  return { after: { version, fence: write.fence, prunedVersion, entries }, result: { outcome: 'committed', version } };
}

/** Forgets the deletions of earlier writes once there are too many; answers the new `prunedVersion`. */
function prune(entries: Map<string, Entry>, before: Register): bigint {
  const deleted = [...entries].filter(([, entry]) => entry.information === null);
  if (deleted.length <= KEPT_DELETIONS) return before.prunedVersion;
  for (const [key, entry] of deleted) if (entry.version <= before.version) entries.delete(key);
  return before.version;
}

function isFenced(stored: Fence, writer: Fence): boolean {
  if (stored.fencingToken !== writer.fencingToken) return stored.fencingToken > writer.fencingToken;
  return stored.sessionId !== writer.sessionId;
}
