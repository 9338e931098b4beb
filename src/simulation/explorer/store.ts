import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import type { ContainerCall, LeaseCall, Message, Scope, Shared } from './model.ts';
import { componentIndex, componentName, sessionName, TICKS, tokenOf } from './model.ts';

/** What a write moved, as far as the participants' versions and watches are concerned. */
export interface Moved {
  readonly lease: boolean;
  readonly register: boolean;
  readonly entries: readonly boolean[];
  readonly fence: boolean;
}

export interface Applied {
  readonly shared: Shared;
  /** The asker holds the lease from now on. */
  readonly takesLease: boolean;
  readonly answer: Message;
  readonly moved: Moved | null;
  readonly broken: string | null;
}

/** What the store does with a call; `null`: beyond the scope (no session is left to grant). */
export interface StoreRules {
  lease(scope: Scope, shared: Shared, call: LeaseCall, isHolder: boolean): Applied | null;
  container(shared: Shared, call: ContainerCall): Applied;
}

const address = { address: 'a', metadata: {} };

export function entryOf(token: number): LeaderInformation | null {
  if (token === 0) return null;
  if (token < 0) return { sessionId: 'stale', fencingToken: 0n, ...address };
  return { sessionId: sessionName(token), fencingToken: BigInt(token), ...address };
}

export const fenceOf = (shared: Shared) =>
  shared.fence === 0 ? null : { fencingToken: BigInt(shared.fence), sessionId: sessionName(shared.fence) };

/** The record as the asker sees it: holders are `me` and `other`. */
export function recordOf(shared: Shared, isHolder: boolean) {
  if (shared.lease === null) return null;
  const { held, token, isAskedFor } = shared.lease;
  return {
    version: 0n,
    holder: held ? (isHolder ? 'me' : 'other') : '',
    sessionId: held ? sessionName(token) : '',
    durationMs: TICKS.leaseDurationMs,
    stepDownFor: isAskedFor ? sessionName(token) : '',
  };
}

export const shippedStore: StoreRules = {
  lease(scope, shared, call, isHolder) {
    const record = recordOf(shared, isHolder);
    const same = { shared, takesLease: false, moved: null, broken: null };
    if (call.kind === 'read') return { ...same, answer: { type: 'record.seen', record } as Message };
    const { sessionId } = call;
    if ((record?.version ?? null) !== call.expected) {
      return { ...same, answer: { type: `${call.kind}.conflict`, record, sessionId } as Message };
    }
    const token = (shared.lease?.token ?? 0) + (call.kind === 'acquire' ? 1 : 0);
    if (token > scope.sessions) return null;
    const isAskedFor = call.kind === 'renew' && shared.lease?.isAskedFor === true;
    const next: Shared = { ...shared, lease: { token, held: call.kind !== 'release', isAskedFor } };
    const takesLease = call.kind === 'acquire';
    const answer = {
      type: `${call.kind}.committed`,
      record: recordOf(next, isHolder || takesLease),
      sessionId,
      ...(takesLease ? { session: { id: sessionName(token), fencingToken: BigInt(token) } } : {}),
    };
    const entries = shared.entries.map(() => false);
    const moved = { lease: true, register: false, entries, fence: false };
    return { shared: next, takesLease, answer: answer as Message, moved, broken: null };
  },

  container(shared, call) {
    const same = { shared, takesLease: false, moved: null, broken: null };
    const fence = fenceOf(shared);
    if (call.kind === 'read') {
      const entries = new Map(call.keys.map((key) => [key, entryOf(shared.entries[componentIndex(key)] ?? 0)]));
      const token = tokenOf(call.current);
      const read = token > shared.fence ? { ...shared, read: Math.max(shared.read, token) } : shared;
      return {
        ...same,
        shared: read,
        answer: { type: 'read.found', readId: call.id, version: 0n, fence, entries } as Message,
      };
    }
    const writeId = call.id;
    if (fence !== null && fence.fencingToken > call.token) {
      return { ...same, answer: { type: 'write.fenced', writeId, fence } as Message };
    }
    if (call.expected !== 0n) {
      return { ...same, answer: { type: 'write.conflict', writeId, version: 0n, fence } as Message };
    }
    return write(shared, call, withdrawnFrom(shared.entries, call));
  },
};

/** Only an entry of the session that withdraws it is deleted. */
function withdrawnFrom(entries: readonly number[], call: ContainerCall): number[] {
  const sessions = new Map(call.withdrawals);
  return entries.map((token, at) => {
    const session = sessions.get(componentName(at));
    return session !== undefined && token === tokenOf(session) ? 0 : token;
  });
}

/** A write that is accepted: `entries` as its withdrawals leave them, with what it puts. */
export function write(shared: Shared, call: ContainerCall, entries: number[]): Applied {
  const broken = brokenBy(shared, call, entries);
  for (const [component, entry] of call.puts) entries[componentIndex(component)] = tokenOf(entry.sessionId);
  const next = {
    ...shared,
    entries,
    fence: Number(call.token),
    read: shared.read > Number(call.token) ? shared.read : 0,
  };
  const answer = { type: 'write.committed', writeId: call.id, version: 0n } as Message;
  const changed = entries.map((token, at) => token !== shared.entries[at]);
  const moved = { lease: false, register: true, entries: changed, fence: next.fence !== shared.fence };
  return { shared: next, takesLease: false, answer, moved, broken };
}

function brokenBy(shared: Shared, call: ContainerCall, left: readonly number[]): string | null {
  if (Number(call.token) < shared.fence) {
    return `I2: the fence of the register goes back from token ${shared.fence} to ${call.token}`;
  }
  if (Number(call.token) < shared.read) {
    return `I2: written under token ${call.token} after session ${sessionName(shared.read)} has read`;
  }
  for (const [component, entry] of call.puts) {
    if (entry.sessionId !== call.current) {
      return `I4: ${component} written for ${entry.sessionId} while ${call.current || 'none'} was current`;
    }
  }
  const sessions = new Map(call.withdrawals);
  for (let at = 0; at < left.length; at++) {
    const [before = 0, by] = [shared.entries[at], sessions.get(componentName(at))];
    if (before !== 0 && left[at] === 0 && by !== sessionName(before)) {
      const whose = before > 0 ? `session ${sessionName(before)}` : 'an older session';
      return `I3: entry of ${componentName(at)} (${whose}) deleted by ${by ?? 'nobody'}`;
    }
  }
  return null;
}

/** Somebody edits the register by hand: deletes an entry, or puts an old one in its place. */
export function edit(shared: Shared, at: number, token: 0 | -1): { readonly shared: Shared; readonly moved: Moved } {
  const entries = shared.entries.map((before, component) => (component === at ? token : before));
  const moved = { lease: false, register: true, entries: entries.map((_, c) => c === at), fence: false };
  return { shared: { ...shared, entries }, moved };
}

/** Somebody asks the holder to step down; `null` where that has no effect. */
export function askStepDown(shared: Shared): { readonly shared: Shared; readonly moved: Moved } | null {
  if (shared.lease === null || !shared.lease.held || shared.lease.isAskedFor) return null;
  const moved = { lease: true, register: false, entries: shared.entries.map(() => false), fence: false };
  return { shared: { ...shared, lease: { ...shared.lease, isAskedFor: true } }, moved };
}

export function beginning(scope: Scope): Shared {
  const entries = Array.from({ length: scope.components }, () => -1);
  return { lease: null, fence: 0, read: 0, entries };
}
