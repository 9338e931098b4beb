import * as a from './container-actions.ts';
import { container } from './container-actions.ts';

/**
 * The only writer of one fenced container in one participant: one compare-and-set at a time, with all operations that
 * are waiting joined in it.
 *
 * - The first write of a session raises its fence. From then on every write of an older session fails at the store,
 *   also one that is still on its way.
 * - A write whose outcome is not known is looked up. If its content is there it is committed; if the version has moved
 *   without it, it is dead; if nothing has moved it may still arrive, so a touch moves the version and decides.
 */

const idleCalls = {
  'write.committed': {},
  'write.conflict': {},
  'write.fenced': {},
  'write.refused': {},
  'write.unknown': {},
  'read.found': {},
  'read.failed': {},
} as const;

const opens = [{ guard: a.isSameSession }, { target: '#container.opening', actions: [a.fenceAll, a.openFor] }] as const;
const shuts = { guard: a.isCurrent, target: '#container.shut', actions: [a.fenceAll, a.shut] } as const;
const queues = {
  'register.publish': [{ guard: a.isCurrentEntry, actions: [a.enqueue] }, { actions: [a.fenceOperation] }],
  'register.withdraw': [{ guard: a.isCurrent, actions: [a.enqueue] }, { actions: [a.fenceOperation] }],
} as const;
const refuses = {
  'register.publish': { actions: [a.fenceOperation] },
  'register.withdraw': { actions: [a.fenceOperation] },
} as const;

/** A foreign fence: this session is over, whatever the lease says. Those whose writes were pending are told. */
const fenced = { target: '#container.fenced', actions: [a.fenceAll, a.dropAll] } as const;
const fencedByWrite = { guard: a.isOwnWrite, ...fenced } as const;

/** Fenced before the first write: the token of this grant is not above what the register holds already. */
const notAbove = { target: '#container.fenced', actions: [a.tellFenceRefused, a.fenceAll, a.dropAll] } as const;

export const containerMachine = container.createMachine({
  id: 'container',
  context: ({ input }) => ({
    retryBaseMs: input.retryBaseMs ?? 100,
    retryCapMs: input.retryCapMs ?? 2_000,
    session: null,
    version: 0n,
    queue: null,
    batch: [],
    oneByOne: false,
    calls: 0,
    failures: 0,
  }),
  options: { maxIterations: 100 },
  initial: 'shut',
  states: {
    shut: {
      on: {
        ...idleCalls,
        ...refuses,
        'register.open': { target: 'opening', actions: [a.openFor] },
        'register.shut': {},
        'register.read-back': {},
        'timer.elapsed': {},
      },
    },

    opening: {
      initial: 'raising',
      on: {
        ...idleCalls,
        ...queues,
        'register.open': opens,
        'register.shut': shuts,
        'register.read-back': {},
        'timer.elapsed': {},
      },
      states: {
        raising: {
          entry: [a.countCall, a.touch],
          on: {
            'write.committed': [
              { guard: a.isOwnWriteWithMore, target: '#container.writing', actions: [a.takeVersion, a.clearFailures] },
              { guard: a.isOwnWrite, target: '#container.ready', actions: [a.takeVersion, a.clearFailures] },
            ],
            'write.conflict': [
              { guard: a.conflictsWithForeignFence, ...notAbove },
              { guard: a.isOwnWrite, target: 'raising', reenter: true, actions: [a.takeVersion] },
            ],
            'write.fenced': { guard: a.isOwnWrite, ...notAbove },
            'write.refused': { guard: a.isOwnWrite, target: 'backing-off', actions: [a.countFailure] },
            // To raise the fence again is harmless: a conflict then shows the version that the first one made.
            'write.unknown': { guard: a.isOwnWrite, target: 'backing-off', actions: [a.countFailure] },
          },
        },
        'backing-off': {
          entry: a.setWaitTimer,
          exit: [a.cancelWaitTimer],
          on: { 'timer.elapsed': { guard: a.isWaitTimer, target: 'raising' } },
        },
      },
    },

    ready: {
      on: {
        ...idleCalls,
        'register.open': opens,
        'register.shut': shuts,
        'register.publish': [
          { guard: a.isCurrentEntry, target: 'writing', actions: [a.enqueue] },
          { actions: [a.fenceOperation] },
        ],
        'register.withdraw': [
          { guard: a.isCurrent, target: 'writing', actions: [a.enqueue] },
          { actions: [a.fenceOperation] },
        ],
        'register.read-back': {},
        'timer.elapsed': {},
      },
    },

    writing: {
      entry: [a.takeBatch, a.write],
      on: {
        ...idleCalls,
        ...queues,
        'register.open': opens,
        'register.shut': shuts,
        'register.read-back': {},
        'timer.elapsed': {},
        'write.committed': [
          {
            guard: a.isOwnWriteWithMore,
            target: 'writing',
            reenter: true,
            actions: [a.takeVersion, a.answerCommitted, a.dropBatch, a.clearFailures],
          },
          {
            guard: a.isOwnWrite,
            target: 'ready',
            actions: [a.takeVersion, a.answerCommitted, a.dropBatch, a.clearFailures, a.goTogether],
          },
        ],
        'write.conflict': [
          { guard: a.conflictsWithForeignFence, ...fenced },
          { guard: a.isOwnWrite, target: 'writing', reenter: true, actions: [a.takeVersion] },
        ],
        'write.fenced': fencedByWrite,
        'write.refused': [
          { guard: a.isTooLargeTogether, target: 'writing', reenter: true, actions: [a.goOneByOne] },
          {
            guard: a.isTooLargeAloneWithMore,
            target: 'writing',
            reenter: true,
            actions: [a.answerRejected, a.dropBatch],
          },
          { guard: a.isTooLargeAlone, target: 'ready', actions: [a.answerRejected, a.dropBatch, a.goTogether] },
          // Those who asked back off by themselves and ask again.
          { guard: a.isOwnWrite, target: 'ready', actions: [a.failAll, a.dropAll, a.goTogether] },
        ],
        'write.unknown': { guard: a.isOwnWrite, target: 'resolving', actions: [a.answerUnknown, a.countFailure] },
      },
    },

    resolving: {
      initial: 'reading',
      on: {
        ...idleCalls,
        ...queues,
        'register.open': opens,
        'register.shut': shuts,
        'register.read-back': {},
        'timer.elapsed': {},
      },
      states: {
        reading: {
          entry: [a.countCall, a.readKeys],
          on: {
            'read.found': [
              { guard: a.showsForeignFence, ...fenced },
              { guard: a.isStaleRead, target: 'backing-off', actions: [a.countFailure] },
              { guard: a.isUnmoved, target: 'touching' },
              {
                guard: a.hasLandedWithMore,
                target: '#container.writing',
                actions: [a.takeVersion, a.answerCommitted, a.dropBatch, a.clearFailures],
              },
              {
                guard: a.hasLanded,
                target: '#container.ready',
                actions: [a.takeVersion, a.answerCommitted, a.dropBatch, a.clearFailures],
              },
              {
                guard: a.isOwnReadWithMore,
                target: '#container.writing',
                actions: [a.takeVersion, a.answerDead, a.dropBatch],
              },
              {
                guard: a.isOwnRead,
                target: '#container.ready',
                actions: [a.takeVersion, a.answerDead, a.dropBatch],
              },
            ],
            'read.failed': { guard: a.isOwnRead, target: 'backing-off', actions: [a.countFailure] },
          },
        },
        touching: {
          entry: [a.countCall, a.touch],
          on: {
            'write.committed': [
              {
                guard: a.isOwnWriteWithMore,
                target: '#container.writing',
                actions: [a.takeVersion, a.answerDead, a.dropBatch],
              },
              { guard: a.isOwnWrite, target: '#container.ready', actions: [a.takeVersion, a.answerDead, a.dropBatch] },
            ],
            // Something has moved, perhaps the very write in doubt: look again. The version stays the one it named.
            'write.conflict': [
              { guard: a.conflictsWithForeignFence, ...fenced },
              { guard: a.isOwnWrite, target: 'reading' },
            ],
            'write.fenced': fencedByWrite,
            'write.refused': { guard: a.isOwnWrite, target: 'backing-off', actions: [a.countFailure] },
            'write.unknown': { guard: a.isOwnWrite, target: 'backing-off', actions: [a.countFailure] },
          },
        },
        'backing-off': {
          entry: a.setWaitTimer,
          exit: [a.cancelWaitTimer],
          on: { 'timer.elapsed': { guard: a.isWaitTimer, target: 'reading' } },
        },
      },
    },

    fenced: {
      on: {
        ...idleCalls,
        ...refuses,
        'register.open': opens,
        'register.shut': shuts,
        'register.read-back': {},
        'timer.elapsed': {},
      },
    },
  },
});
