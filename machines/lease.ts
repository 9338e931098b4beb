import * as a from './lease-actions.ts';
import { lease } from './lease-actions.ts';

/**
 * A lease that the client renews (SQLite, memory, Kubernetes), as one participant sees it.
 *
 * - A standby never compares another machine's clock: it waits, on its own, for the duration that the record promises.
 * - Every write names the version it replaces. A lease that was deleted is lost, never created again by a renewal.
 * - Losing is immediate: a record of another session ends the session in the same step (I1, I7).
 * - The outcome of an acquisition that is not known is looked up; a record of this process without a session in hand
 *   is acquired anew, under a new and higher token.
 */

const takes = { actions: [a.takeRecord] } as const;

/**
 * Every answer belongs to a request of a state; elsewhere it can only be late, and what a conflict found is news like the
 * watch's:
 *
 *   the release of a former session hangs … the same process stands by, its timer runs for the record that it has seen …
 *   the late answer shows a newer record → the timer starts anew, or a live lease would be taken over too early
 */
const late = <News>(news: News) =>
  ({
    'read.failed': {},
    'acquire.refused': {},
    'acquire.unknown': {},
    'acquire.committed': takes,
    'acquire.conflict': news,
    'renew.committed': takes,
    'renew.conflict': news,
    'renew.refused': {},
    'renew.unknown': {},
    'release.committed': takes,
    'release.conflict': news,
    'release.refused': {},
    'release.unknown': {},
  }) as const;
const notHolding = { release: {}, abandon: {}, lapsed: {} } as const;
const stops = { target: 'idle', actions: [a.tellStopped] } as const;

const decides = [
  { guard: a.isOldNews },
  { guard: a.showsFree, target: 'contending', actions: [a.takeRecord] },
  { target: 'standby', actions: [a.takeRecord] },
] as const;

/** An explicit read decides even when it shows nothing new. */
const decidesOnRead = [
  { guard: a.newestIsFree, target: 'contending', actions: [a.takeRecord] },
  { target: 'standby', actions: [a.takeRecord] },
] as const;

const lost = [a.takeRecord, a.endValidity, a.tellLost, a.endSession] as const;
const lostByConflict = [a.takeFound, a.endValidity, a.tellLost, a.endSession] as const;

/** Whatever the answer, the lock has been given back or runs out by itself. */
const returned = { guard: a.isCurrent, target: 'idle', actions: [a.takeRecord, a.endSession, a.tellStopped] } as const;

const newsOfHolder = [
  { guard: a.showsLossAndFree, target: '#lease.contending', actions: lost },
  { guard: a.showsLossAndHeld, target: '#lease.standby', actions: lost },
  { guard: a.showsStepDownRequest, actions: [a.takeRecord, a.tellStepDown] },
  { guard: a.showsOursAnew, actions: [a.takeRecord] },
  {},
] as const;

const newsOfStandby = [
  { guard: a.showsNewFree, target: 'contending', actions: [a.takeRecord] },
  { guard: a.showsNewHeld, target: 'standby', reenter: true, actions: [a.takeRecord] },
  {},
] as const;

/**
 * A record of somebody else must not lend its version to our writes: neither a renewal nor a release may name it. That the
 * session is lost is told by the watch, by the next renewal, and by the deadline.
 */
const ownNews = { guard: a.showsOursAnew, actions: [a.takeRecord] } as const;

export const leaseMachine = lease.createMachine({
  id: 'lease',
  context: ({ input }) => ({
    ...input,
    record: undefined,
    seenAtMs: 0,
    session: null,
    asked: null,
    tries: 0,
    waits: 0,
  }),
  options: { maxIterations: 100 },
  initial: 'idle',
  states: {
    idle: {
      on: {
        ...late(takes),
        ...notHolding,
        contend: [
          { guard: a.mustYield, target: 'yielding' },
          { guard: a.knowsFree, target: 'contending' },
          { guard: a.knowsHeld, target: 'standby' },
          { target: 'looking' },
        ],
        stop: { actions: [a.tellStopped] },
        'record.seen': { actions: [a.takeRecord] },
        'timer.elapsed': {},
      },
    },

    looking: {
      entry: [a.read],
      on: {
        ...late(takes),
        ...notHolding,
        contend: {},
        stop: stops,
        'record.seen': decidesOnRead,
        'read.failed': { target: 'backing-off' },
        'timer.elapsed': {},
      },
    },

    'backing-off': {
      entry: a.setRetryTimer,
      exit: [a.cancelRetryTimer],
      on: {
        ...late(takes),
        ...notHolding,
        contend: {},
        stop: stops,
        'record.seen': decides,
        'timer.elapsed': { guard: a.isRetryTimer, target: 'looking' },
      },
    },

    standby: {
      entry: a.setExpiryTimer,
      exit: [a.cancelExpiryTimer],
      on: {
        ...late(newsOfStandby),
        ...notHolding,
        contend: {},
        stop: stops,
        'record.seen': newsOfStandby,
        'timer.elapsed': { guard: a.isExpiryTimer, target: 'contending' },
      },
    },

    yielding: {
      entry: a.setYieldTimer,
      exit: [a.cancelYieldTimer],
      on: {
        ...late(takes),
        ...notHolding,
        contend: {},
        stop: stops,
        'record.seen': [
          { guard: a.showsNewHeld, target: 'standby', actions: [a.takeRecord] },
          { actions: [a.takeRecord] },
        ],
        'timer.elapsed': [
          { guard: a.isYieldTimerAndHeld, target: 'standby' },
          { guard: a.isYieldTimer, target: 'looking' },
        ],
      },
    },

    contending: {
      entry: [a.noteAsked, a.acquire],
      on: {
        ...late(takes),
        ...notHolding,
        contend: {},
        stop: { target: 'stopping' },
        // The answer under way decides, for what is seen meanwhile may well be our own write; but a conflict may show
        // less than has been seen since, and nobody shows that again.
        'record.seen': { actions: [a.takeRecord] },
        'acquire.committed': [
          { guard: a.comesTooLate, target: 'looking', actions: [a.takeRecord] },
          { target: 'holding', actions: [a.takeSession, a.beginValidity, a.tellAcquired] },
        ],
        'acquire.conflict': [
          { guard: a.hasSeenNewerAndFree, target: 'contending', reenter: true },
          { guard: a.hasSeenNewer, target: 'standby' },
          { guard: a.showsFree, target: 'contending', reenter: true, actions: [a.takeFound] },
          { target: 'standby', actions: [a.takeFound] },
        ],
        'acquire.refused': { target: 'backing-off' },
        'acquire.unknown': { target: 'looking' },
        'timer.elapsed': {},
      },
    },

    stopping: {
      on: {
        ...late(takes),
        ...notHolding,
        contend: {},
        stop: {},
        'record.seen': {},
        'acquire.committed': { target: 'returning', actions: [a.takeSession] },
        'acquire.conflict': { ...stops, actions: [a.takeRecord, a.tellStopped] },
        'acquire.refused': stops,
        'acquire.unknown': stops,
        'timer.elapsed': {},
      },
    },

    // Acquired although nobody wants it any more: given back without ever having been granted.
    returning: {
      entry: [a.release],
      on: {
        ...late(takes),
        ...notHolding,
        contend: {},
        stop: {},
        'record.seen': {},
        'release.committed': returned,
        'release.conflict': returned,
        'release.refused': returned,
        'release.unknown': returned,
        'timer.elapsed': {},
      },
    },

    holding: {
      initial: 'fresh',
      on: {
        ...late(ownNews),
        'record.seen': newsOfHolder,
        contend: {},
        stop: {},
        abandon: { guard: a.isCurrent, target: 'idle', actions: [a.endValidity, a.tellAbandoned, a.endSession] },
        lapsed: { guard: a.isCurrent, target: 'lapsed', actions: [a.endSession] },
        release: { guard: a.isCurrent, target: 'releasing.writing' },
        'timer.elapsed': {},
      },
      states: {
        fresh: {
          entry: a.setRenewTimer,
          exit: [a.cancelRenewTimer],
          on: { 'timer.elapsed': { guard: a.isRenewTimer, target: 'renewing' } },
        },
        renewing: {
          entry: [a.renew],
          on: {
            release: { guard: a.isCurrent, target: '#lease.releasing.settling' },
            'renew.committed': {
              guard: a.isCurrent,
              target: 'fresh',
              actions: [a.takeRecord, a.acknowledgeHeartbeat],
            },
            'renew.conflict': [
              {
                guard: a.conflictShowsStepDown,
                target: 'renewing',
                reenter: true,
                actions: [a.takeFound, a.tellStepDown],
              },
              // An earlier renewal whose answer was lost has been applied: go on from its version.
              { guard: a.conflictShowsOurs, target: 'renewing', reenter: true, actions: [a.takeFound] },
              { guard: a.conflictShowsFree, target: '#lease.contending', actions: lostByConflict },
              { guard: a.isCurrent, target: '#lease.standby', actions: lostByConflict },
            ],
            'renew.refused': { guard: a.isCurrent, target: 'overdue', actions: [a.missHeartbeat] },
            'renew.unknown': { guard: a.isCurrent, target: 'overdue', actions: [a.missHeartbeat] },
          },
        },
        overdue: {
          entry: a.setRenewRetryTimer,
          exit: [a.cancelRenewTimer],
          on: { 'timer.elapsed': { guard: a.isRenewTimer, target: 'renewing' } },
        },
      },
    },

    releasing: {
      initial: 'writing',
      on: {
        ...late(ownNews),
        contend: {},
        stop: {},
        release: {},
        'record.seen': ownNews,
        abandon: { guard: a.isCurrent, target: 'idle', actions: [a.endValidity, a.tellAbandoned, a.endSession] },
        lapsed: { guard: a.isCurrent, target: 'idle', actions: [a.tellUnreleased, a.endSession] },
        'timer.elapsed': {},
      },
      states: {
        // A renewal is still under way: its answer brings the version that the release has to name.
        settling: {
          on: {
            'renew.committed': { guard: a.isCurrent, target: 'writing', actions: [a.takeRecord] },
            'renew.conflict': [
              { guard: a.conflictShowsOurs, target: 'writing', actions: [a.takeFound] },
              {
                guard: a.isCurrent,
                target: '#lease.idle',
                actions: [a.takeFound, a.endValidity, a.tellReleaseLost, a.endSession],
              },
            ],
            'renew.refused': { guard: a.isCurrent, target: 'writing' },
            'renew.unknown': { guard: a.isCurrent, target: 'writing' },
          },
        },
        writing: {
          entry: [a.release],
          on: {
            'release.committed': {
              guard: a.isCurrent,
              target: '#lease.idle',
              actions: [a.takeRecord, a.endValidity, a.tellReleased, a.endSession],
            },
            'release.conflict': [
              { guard: a.conflictShowsOurs, target: 'writing', reenter: true, actions: [a.takeFound] },
              {
                guard: a.isCurrent,
                target: '#lease.idle',
                actions: [a.takeFound, a.endValidity, a.tellReleaseLost, a.endSession],
              },
            ],
            'release.refused': [
              { guard: a.mayTryAgain, target: 'retrying', actions: [a.countTry] },
              {
                guard: a.isCurrent,
                target: '#lease.idle',
                actions: [a.endValidity, a.tellUnreleased, a.endSession],
              },
            ],
            'release.unknown': [
              { guard: a.mayTryAgain, target: 'retrying', actions: [a.countTry] },
              {
                guard: a.isCurrent,
                target: '#lease.idle',
                actions: [a.endValidity, a.tellUnreleased, a.endSession],
              },
            ],
          },
        },
        retrying: {
          entry: a.setRetryTimer,
          exit: [a.cancelRetryTimer],
          on: { 'timer.elapsed': { guard: a.isRetryTimer, target: 'writing' } },
        },
      },
    },

    // The deadline has passed. The record may still name us: look before contending again.
    lapsed: {
      entry: [a.read],
      on: {
        ...late(takes),
        ...notHolding,
        // A session that lapsed while it was being given up: others still go first.
        contend: [{ guard: a.mustYield, target: 'yielding' }, {}],
        stop: stops,
        'record.seen': decidesOnRead,
        'read.failed': { target: 'backing-off' },
        'timer.elapsed': {},
      },
    },
  },
});
