import { setup } from 'xstate';
import type {
  ContainerCommand,
  ContainerContext,
  ContainerEvent,
  ContainerOperation,
  Queued,
} from './container-messages.ts';
import type { Fence, LeaderInformation, Session } from './vocabulary.ts';
import { backOffMs, sameInformation } from './vocabulary.ts';

export interface ContainerInput {
  readonly retryBaseMs?: number;
  readonly retryCapMs?: number;
}

export const container = setup({
  types: {
    context: {} as ContainerContext,
    events: {} as ContainerEvent,
    emitted: {} as ContainerCommand,
    input: {} as ContainerInput,
  },
});

interface At<E = ContainerEvent> {
  readonly context: ContainerContext;
  readonly event: E;
}
type Written = { readonly writeId: number };
type Found = {
  readonly readId: number;
  readonly version: bigint;
  readonly fence: Fence | null;
  readonly entries: ReadonlyMap<string, LeaderInformation | null>;
};

const fenceOf = (context: ContainerContext): Fence => ({
  fencingToken: context.session?.fencingToken ?? 0n,
  sessionId: context.session?.id ?? '',
});

/** A fence that is newer than ours, or of another session with the same token (the store has gone back in time). */
const isForeignFence = (context: ContainerContext, fence: Fence | null): boolean =>
  fence !== null &&
  (fence.fencingToken > fenceOf(context).fencingToken ||
    (fence.fencingToken === fenceOf(context).fencingToken && fence.sessionId !== fenceOf(context).sessionId));

export const isOwnWrite = ({ context, event }: At<Written>): boolean => event.writeId === context.calls;
export const isOwnRead = ({ context, event }: At<{ readonly readId: number }>): boolean =>
  event.readId === context.calls;
export const conflictsWithForeignFence = (at: At<Written & { readonly fence: Fence | null }>): boolean =>
  isOwnWrite(at) && isForeignFence(at.context, at.event.fence);
export const showsForeignFence = (at: At<Found>): boolean =>
  isOwnRead(at) && isForeignFence(at.context, at.event.fence);
export const isOwnWriteWithMore = (at: At<Written>): boolean => isOwnWrite(at) && at.context.queue !== null;
export const isSameSession = ({ context, event }: At<{ readonly session: Session }>): boolean =>
  context.session?.id === event.session.id;
export const isCurrent = ({ context, event }: At<{ readonly sessionId: string }>): boolean =>
  context.session?.id === event.sessionId;
export const isCurrentEntry = ({ context, event }: At<{ readonly entry: LeaderInformation }>): boolean =>
  context.session?.id === event.entry.sessionId;
export const hasQueue = ({ context }: At<unknown>): boolean => context.queue !== null;
export const isWaitTimer = ({ context, event }: At<{ readonly id: string }>): boolean =>
  event.id === `retry:${context.calls}`;

type Refused = Written & { readonly reason: 'unavailable' | 'too-large' };
export const isTooLargeTogether = (at: At<Refused>): boolean =>
  isOwnWrite(at) && at.event.reason === 'too-large' && at.context.batch.length > 1;
export const isTooLargeAlone = (at: At<Refused>): boolean =>
  isOwnWrite(at) && at.event.reason === 'too-large' && at.context.batch.length <= 1;
export const isTooLargeAloneWithMore = (at: At<Refused>): boolean => isTooLargeAlone(at) && hasQueue(at);

/** Nothing moved the version since our write left: it may still be on its way. */
export const isUnmoved = (at: At<Found>): boolean => isOwnRead(at) && at.event.version === at.context.version;

/** An answer from before our own last write: it can say nothing about the write in doubt. */
export const isStaleRead = (at: At<Found>): boolean => isOwnRead(at) && at.event.version < at.context.version;

/** The batch is atomic and ours is the only writer of this session: it landed exactly if all of it is there. */
export const hasLanded = (at: At<Found>): boolean =>
  isOwnRead(at) &&
  [...effectOf(at.context.batch)].every(([component, operation]) => {
    const entry = at.event.entries.get(component) ?? null;
    return operation.kind === 'publish'
      ? sameInformation(entry, operation.entry)
      : entry === null || entry.sessionId !== operation.sessionId;
  });
export const hasLandedWithMore = (at: At<Found>): boolean => hasLanded(at) && hasQueue(at);
export const isOwnReadWithMore = (at: At<Found>): boolean => isOwnRead(at) && hasQueue(at);

/** Per component the last operation decides; an earlier one in the same write is part of the past. */
function effectOf(batch: readonly ContainerOperation[]): Map<string, ContainerOperation> {
  return new Map(batch.map((operation) => [operation.component, operation]));
}

function toArray(queue: Queued | null): ContainerOperation[] {
  const operations: ContainerOperation[] = [];
  for (let at = queue; at !== null; at = at.before) operations.push(at.operation);
  return operations.reverse();
}

function toQueue(operations: readonly ContainerOperation[]): Queued | null {
  return operations.reduce<Queued | null>((before, operation) => ({ operation, before }), null);
}

function later(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}

export const openFor = container.assign(({ context, event }) =>
  event.type === 'register.open'
    ? {
        session: event.session,
        version: later(event.version, context.version),
        queue: null,
        batch: [],
        oneByOne: false,
        failures: 0,
      }
    : {},
);
export const shut = container.assign({ session: null, queue: null, batch: [], oneByOne: false });

export const enqueue = container.assign(({ context, event }) => {
  if (event.type === 'register.publish') {
    const { component, attempt, entry } = event;
    const operation = { kind: 'publish', component, attempt, entry, sessionId: entry.sessionId } as const;
    return { queue: { operation, before: context.queue } };
  }
  if (event.type === 'register.withdraw') {
    const { component, attempt, sessionId } = event;
    return {
      queue: { operation: { kind: 'withdraw', component, attempt, sessionId } as const, before: context.queue },
    };
  }
  return {};
});

/** Concurrent operations join one write (group commit), on top of those whose write has just been refused by a conflict. */
export const takeBatch = container.assign(({ context }) => {
  const all = [...context.batch, ...toArray(context.queue)];
  const batch = context.oneByOne ? all.slice(0, 1) : all;
  return { batch, queue: context.oneByOne ? toQueue(all.slice(1)) : null, calls: context.calls + 1 };
});
export const dropBatch = container.assign({ batch: [] });
export const dropAll = container.assign({ batch: [], queue: null });
export const goOneByOne = container.assign({ oneByOne: true });
export const goTogether = container.assign(({ context }) => (context.queue === null ? { oneByOne: false } : {}));
export const countCall = container.assign(({ context }) => ({ calls: context.calls + 1 }));
export const countFailure = container.assign(({ context }) => ({ failures: context.failures + 1 }));
export const clearFailures = container.assign({ failures: 0 });

export const takeVersion = container.assign(({ event }) => ('version' in event ? { version: event.version } : {}));

export const write = container.emit(({ context }) => {
  const effect = [...effectOf(context.batch).values()];
  return {
    type: 'container.write',
    to: 'store',
    writeId: context.calls,
    expectedVersion: context.version,
    fence: fenceOf(context),
    puts: new Map(effect.flatMap((o) => (o.kind === 'publish' ? [[o.component, o.entry] as const] : []))),
    withdrawals: new Map(effect.flatMap((o) => (o.kind === 'withdraw' ? [[o.component, o.sessionId] as const] : []))),
  };
});

/** A write that changes nothing but the version: it raises the fence, or makes a write in doubt impossible. */
export const touch = container.emit(({ context }) => ({
  type: 'container.write',
  to: 'store',
  writeId: context.calls,
  expectedVersion: context.version,
  fence: fenceOf(context),
  puts: new Map(),
  withdrawals: new Map(),
}));

export const readKeys = container.emit(({ context }) => ({
  type: 'container.read',
  to: 'store',
  readId: context.calls,
  keys: [...effectOf(context.batch).keys()],
}));

type Verdict = 'committed' | 'failed' | 'unknown' | 'dead' | 'fenced' | 'rejected';

function* answers(
  operations: readonly ContainerOperation[],
  verdict: Verdict,
  version: bigint,
): Generator<ContainerCommand> {
  for (const { kind, component, sessionId, attempt } of operations) {
    const answer = { to: `leadership:${component}`, sessionId, attempt } as const;
    if (kind === 'publish') {
      if (verdict === 'committed') yield { ...answer, type: 'publish.committed', version };
      else yield { ...answer, type: `publish.${verdict}` };
    } else if (verdict === 'committed' || verdict === 'fenced') {
      yield { ...answer, type: `withdraw.${verdict}` };
    } else if (verdict !== 'unknown') {
      // To withdraw again is harmless, so a withdrawal in doubt that turns out dead has simply failed.
      yield { ...answer, type: 'withdraw.failed' };
    }
  }
}

const answerBatch = (verdict: Verdict) =>
  container.enqueueActions(({ context, enqueue: { emit } }) => {
    for (const answer of answers(context.batch, verdict, context.version)) emit(answer);
  });
export const answerCommitted = answerBatch('committed');
export const answerUnknown = answerBatch('unknown');
export const answerDead = answerBatch('dead');
export const answerRejected = answerBatch('rejected');

const answerAll = (verdict: Verdict) =>
  container.enqueueActions(({ context, enqueue: { emit } }) => {
    const operations = [...context.batch, ...toArray(context.queue)];
    for (const answer of answers(operations, verdict, context.version)) emit(answer);
  });
export const failAll = answerAll('failed');
export const fenceAll = answerAll('fenced');

/** Asked by a session that may not write (any more). */
export const fenceOperation = container.emit(({ event }) => {
  if (event.type === 'register.publish') {
    const { component, attempt, entry } = event;
    return { type: 'publish.fenced', to: `leadership:${component}` as const, sessionId: entry.sessionId, attempt };
  }
  const { component, sessionId, attempt } =
    event.type === 'register.withdraw' ? event : { component: '', sessionId: '', attempt: 0 };
  return { type: 'withdraw.fenced', to: `leadership:${component}` as const, sessionId, attempt };
});

export const tellFenceRefused = container.emit(({ context, event }) => ({
  type: 'register.fence-refused',
  to: 'election',
  sessionId: context.session?.id ?? '',
  fence: ('fence' in event ? event.fence : null) ?? { fencingToken: 0n, sessionId: '' },
}));

export const setWaitTimer = [
  countCall,
  container.emit(({ context }) => ({
    type: 'timer.set',
    to: 'clock',
    id: `retry:${context.calls}`,
    afterMs: backOffMs(Math.max(0, context.failures - 1), context.retryBaseMs, context.retryCapMs),
    jitter: 0.5,
  })),
] as const;
export const cancelWaitTimer = container.emit(({ context }) => ({
  type: 'timer.cancel',
  to: 'clock',
  id: `retry:${context.calls}`,
}));
