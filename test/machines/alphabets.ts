import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { ArbiterContext } from '../../machines/arbiter.ts';
import type { ContainerContext } from '../../machines/container-messages.ts';
import {
  arbiterMachine,
  containerMachine,
  electionMachine,
  leadershipMachine,
  leaseMachine,
  retrievalMachine,
  validityMachine,
} from '../../machines/index.ts';
import type { LeadershipContext } from '../../machines/leadership-context.ts';
import type { LeaseContext } from '../../machines/lease-messages.ts';
import * as k from './container-words.ts';
import type { Exploration } from './coverage.ts';
import { textOf } from './coverage.ts';
import * as e from './election-words.ts';
import * as w from './leadership-words.ts';
import * as l from './lease-words.ts';
import { stateOf } from './stepper.ts';

type Events = readonly { readonly type: string }[];

function of<M extends AnyStateMachine>(exploration: Exploration<M>): Exploration<AnyStateMachine> {
  return exploration as unknown as Exploration<AnyStateMachine>;
}

/** State and context; of the context only what the given function leaves of it. */
const keyOf =
  <C>(context: (context: C) => unknown) =>
  (snapshot: AnyMachineSnapshot): string =>
    `${stateOf(snapshot)} ${textOf(context(snapshot.context as C))}`;

function leadershipEvents({ context }: AnyMachineSnapshot): Events {
  const { attempt, session, rests } = context as LeadershipContext;
  const now = session ?? w.s1;
  const sessions = [w.s1, w.s2];
  const published = context.published?.version ?? 1n;
  return [
    ...sessions.flatMap((one) => [w.granted(one), w.revoked(one), w.suspended(one), w.resumed(one)]),
    w.granted(w.s3),
    ...sessions.flatMap((one) => [w.started(one), w.settled(one), w.settled(one, 'failed')]),
    ...['a', 'b'].map((address) => w.confirm(now, 'c', address)),
    w.confirm({ id: 's0', fencingToken: 0n }, 'c'),
    ...[published - 1n, published + 2n].flatMap((version) => [
      w.changed(version, null),
      w.changed(version, w.newer),
      w.changed(version, w.entryOf(now)),
    ]),
    ...[attempt, attempt - 1].flatMap((one) => [
      w.committed(now, one, published + 1n),
      ...(['failed', 'unknown', 'dead', 'fenced', 'rejected'] as const).map((kind) => w.publish(kind, now, one)),
      ...(['committed', 'failed', 'fenced'] as const).map((kind) => w.withdraw(kind, now, one)),
    ]),
    ...[`retry:${attempt}`, `calm:${attempt}`, `stop:${now.id}`, `withdraw:${now.id}`, `rest:${rests}`, 'other'].map(
      w.elapsed,
    ),
    w.close,
  ];
}

const leadership = of({
  machine: leadershipMachine,
  input: { component: 'web' },
  events: leadershipEvents,
  key: keyOf<LeadershipContext>((c) => [
    ...[c.session?.id, c.next?.id, c.wanted?.address, c.sent?.address, c.published?.reachable.address],
    ...[c.confirms.length > 0, c.covered > 0, c.suspended, c.failures > 0, c.leaving, c.lost, c.overstayed],
    c.seen === null ? null : [c.seen.version > (c.published?.version ?? 1n), c.seen.entry?.sessionId],
  ]),
});

const election = of({
  machine: electionMachine,
  input: undefined,
  events: () => [
    ...[e.joins('a'), e.leaves('a'), e.stopped, e.stepDown('r'), e.close, { type: 'timer.elapsed', id: 'x', nowMs: 0 }],
    ...[e.e1, e.e2].flatMap((one) => [
      ...[e.drains('a', one), e.drains('a', one, true), e.overstays('a', one), e.isFenced('a', one)],
      ...[e.acquired(one), e.lost(one), e.released(one), e.suspended(one), e.resumed(one), e.lapsed(one)],
      ...[e.asksForStepDown(one), e.refusedBy(e.e2, one), e.observed(1n, one, [['a', null]])],
    ]),
  ],
  // More drained than granted, or more than three standing, is no sequence that the contract allows.
  key: keyOf<ReturnType<typeof e.electionIn>['context']>((c) => {
    const bound = (value: number): number => Math.max(-1, Math.min(value, 3));
    return [
      bound(c.standing),
      bound(c.undrained),
      bound(c.overstaying),
      c.session?.id,
      c.closing,
      c.requests.length > 0,
    ];
  }),
});

function leaseEvents({ context }: AnyMachineSnapshot): Events {
  const { waits, record } = context as LeaseContext;
  const version = record?.version ?? 1n;
  const records = [
    null,
    ...[version, version + 1n].flatMap((v) => [l.free(v), l.theirs(v), l.ours(v), l.askedToStepDown(v)]),
  ];
  return [
    ...[l.contend(), l.contend(true), l.stop, l.release, l.abandon, l.lapsed, l.readFailed, l.elapsed('other')],
    ...['expiry', 'retry', 'renew', 'yield'].map((name) => l.elapsed(`${name}:${waits}`)),
    ...records.flatMap((one) => [l.seen(one), l.acquireConflict(one), l.renewConflict(one), l.releaseConflict(one)]),
    ...[
      l.acquired(version + 1n),
      l.acquiredTooLate(version + 1n),
      l.acquireConflict(l.theirs(version - 1n)),
      l.renewed(version + 1n),
      l.released(version + 1n),
      l.released(version, 'l0'),
    ],
    ...(['refused', 'unknown'] as const).flatMap((one) => [l.acquire(one), l.renew(one), l.releaseAnswer(one)]),
  ];
}

const lease = of({
  machine: leaseMachine,
  input: l.input,
  events: leaseEvents,
  key: keyOf<LeaseContext>(({ record, session, tries, asked }) => {
    return [
      record === undefined ? 'unread' : [record?.holder, record?.sessionId, record?.stepDownFor],
      session?.id,
      tries,
      // Whether something newer was seen since the acquisition left.
      asked === (record?.version ?? null),
    ];
  }),
});

const validity = of({
  machine: validityMachine,
  input: { leaseDurationMs: 15_000, marginMs: 2_000 },
  events: ({ context }) => [
    ...['v1', 'v0'].flatMap((sessionId) => [
      { type: 'validity.begin', sessionId, sentAtMs: 0 },
      ...[-5, 5].map((by) => ({
        type: 'heartbeat.acknowledged',
        sessionId,
        sentAtMs: context.deadlineMs - 13_000 + by,
      })),
      { type: 'heartbeat.missed', sessionId },
      { type: 'validity.end', sessionId },
    ]),
    ...[-1, 1].flatMap((by) => [
      { type: 'validity.check', nowMs: context.deadlineMs + by },
      { type: 'timer.elapsed', id: 'deadline', nowMs: context.deadlineMs + by },
      { type: 'timer.elapsed', id: 'other', nowMs: context.deadlineMs + by },
    ]),
  ],
  key: (snapshot) => `${stateOf(snapshot)} ${snapshot.context.sessionId}`,
});

const retrieval = of({
  machine: retrievalMachine,
  input: { component: 'web' },
  events: ({ context }) => [
    ...[context.version - 1n, context.version + 1n].flatMap((version) => [
      ...[null, 10n, 20n].flatMap((fence) => [
        ...[null, w.entryOf(w.s1), w.entryOf(w.s1, 'b'), w.entryOf(w.s2)].map((entry) => {
          return { type: 'register.changed', version, entry, fence: fence === null ? null : fenceOf(fence) };
        }),
      ]),
      ...[10n, 20n].map((token) => ({ type: 'fence.changed', version, fence: fenceOf(token) })),
    ]),
    { type: 'close' },
  ],
  key: keyOf<{ leader: { sessionId: string; address: string } | null; highest: bigint }>(({ leader, highest }) => {
    return [leader?.sessionId, leader?.address, highest];
  }),
});

function fenceOf(fencingToken: bigint): { fencingToken: bigint; sessionId: string } {
  return { fencingToken, sessionId: `s${fencingToken}` };
}

function containerEvents({ context }: AnyMachineSnapshot): Events {
  const { calls, version } = context as ContainerContext;
  return [
    ...[k.k1, k.k2].flatMap((one) => [k.open(one), k.shut(one), k.publish('a', 1, one), k.withdraw('a', 1, one)]),
    ...[
      k.publish('b'),
      k.readBack,
      k.elapsed(`retry:${calls}`),
      k.elapsed('other'),
      k.readFailed(calls),
      k.readFailed(0),
    ],
    ...[calls, 0].flatMap((id) => [
      ...[k.committed(id, version + 1n), k.conflict(id, version + 1n), k.conflict(id, version + 1n, usurper)],
      ...[k.fencedBy(id), k.refused(id), k.refused(id, 'too-large'), k.unknown(id)],
      ...[version - 1n, version, version + 1n].map((one) => k.found(id, one)),
      ...[k.found(id, version + 1n, [['a', k.entry(k.k1)]]), k.found(id, version, [], usurper)],
    ]),
  ];
}
const usurper = { id: 'usurper', fencingToken: 99n };

const container = of({
  machine: containerMachine,
  input: {},
  events: containerEvents,
  key: keyOf<ContainerContext>(({ session, queue, batch, oneByOne }) => {
    const waiting: string[] = [];
    for (let at = queue; at !== null && waiting.length < 2; at = at.before) waiting.push(at.operation.kind);
    const written = batch.slice(0, 2).map((one) => `${one.kind} ${one.component}`);
    return [session?.id, waiting, written, oneByOne];
  }),
});

const arbiter = of({
  machine: arbiterMachine,
  input: undefined,
  events: ({ context }) => {
    const { record } = context as ArbiterContext;
    const common = { requestId: 1, durationMs: 1, at: '', holder: 'me', sessionId: record?.sessionId ?? '' };
    return [record?.version ?? null, 99n].flatMap((expectedVersion) => [
      ...['acquire', 'renew', 'release', 'request-step-down'].map((type) => ({ type, ...common, expectedVersion })),
    ]);
  },
  key: (snapshot) => `${stateOf(snapshot)} ${snapshot.context.record === null}`,
});

/** Each machine with what its environment could say to it. */
export const explorations = { leadership, election, lease, validity, retrieval, container, arbiter } as const;
