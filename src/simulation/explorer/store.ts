import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import type { Call, ContainerCall, LeaseCall, Message, Scope, Shared } from './model.ts';
import { componentIndex, sessionName, TICKS, tokenOf } from './model.ts';

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
  const { held, token } = shared.lease;
  return {
    version: 0n,
    holder: held ? (isHolder ? 'me' : 'other') : '',
    sessionId: held ? sessionName(token) : '',
    durationMs: TICKS.leaseDurationMs,
    stepDownFor: '',
  };
}

/** Carries out one call. `null`: beyond the scope (no session is left to grant). */
export function apply(scope: Scope, shared: Shared, { request }: Call, isHolder: boolean): Applied | null {
  return request.port === 'lease' ? applyLease(scope, shared, request, isHolder) : applyContainer(shared, request);
}

function applyLease(scope: Scope, shared: Shared, call: LeaseCall, isHolder: boolean): Applied | null {
  const record = recordOf(shared, isHolder);
  const same = { shared, takesLease: false, moved: null, broken: null };
  if (call.kind === 'read') return { ...same, answer: { type: 'record.seen', record } as Message };
  const { sessionId } = call;
  if ((record?.version ?? null) !== call.expected) {
    return { ...same, answer: { type: `${call.kind}.conflict`, record, sessionId } as Message };
  }
  const token = (shared.lease?.token ?? 0) + (call.kind === 'acquire' ? 1 : 0);
  if (token > scope.sessions) return null;
  const next: Shared = { ...shared, lease: { token, held: call.kind !== 'release' } };
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
}

function applyContainer(shared: Shared, call: ContainerCall): Applied {
  const same = { shared, takesLease: false, moved: null, broken: null };
  const fence = fenceOf(shared);
  if (call.kind === 'read') {
    const entries = new Map(call.keys.map((key) => [key, entryOf(shared.entries[componentIndex(key)] ?? 0)]));
    return { ...same, answer: { type: 'read.found', readId: call.id, version: 0n, fence, entries } as Message };
  }
  const writeId = call.id;
  if (fence !== null && fence.fencingToken > call.token) {
    return { ...same, answer: { type: 'write.fenced', writeId, fence } as Message };
  }
  if (call.expected !== 0n) {
    return { ...same, answer: { type: 'write.conflict', writeId, version: 0n, fence } as Message };
  }
  const entries = [...shared.entries];
  let broken: string | null = null;
  for (const [component, entry] of call.puts) {
    entries[componentIndex(component)] = tokenOf(entry.sessionId);
    if (entry.sessionId !== call.current) {
      broken = `I4: ${component} written for ${entry.sessionId} while ${call.current || 'none'} was current`;
    }
  }
  for (const [component, session] of call.withdrawals) {
    const at = componentIndex(component);
    if (entries[at] === tokenOf(session)) entries[at] = 0;
  }
  const next = { ...shared, entries, fence: Number(call.token) };
  const answer = { type: 'write.committed', writeId, version: 0n } as Message;
  const changed = entries.map((token, at) => token !== shared.entries[at]);
  const moved = { lease: false, register: true, entries: changed, fence: next.fence !== shared.fence };
  return { shared: next, takesLease: false, answer, moved, broken };
}

/** Somebody edits the register by hand: deletes an entry, or puts an old one in its place. */
export function edit(shared: Shared, at: number, token: 0 | -1): { readonly shared: Shared; readonly moved: Moved } {
  const entries = shared.entries.map((before, component) => (component === at ? token : before));
  const moved = { lease: false, register: true, entries: entries.map((_, c) => c === at), fence: false };
  return { shared: { ...shared, entries }, moved };
}

export function beginning(scope: Scope): Shared {
  const entries = Array.from({ length: scope.components }, () => -1);
  return { lease: null, fence: 0, entries, faultsLeft: scope.faults };
}
