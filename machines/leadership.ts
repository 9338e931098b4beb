import * as a from './leadership-actions.ts';
import { leadership } from './leadership-actions.ts';
import * as c from './leadership-context.ts';
import {
  answersFirst,
  answersRewrite,
  deposed,
  lateAnswers,
  lateWithdrawals,
  noContender,
  noSession,
  remembers,
  resumes,
  sessionEnds,
  settlesEither,
  settlesUnwritten,
  settlesWritten,
  suspends,
  takenAway,
  wants,
  withdrawBound,
  withdrawn,
} from './leadership-transitions.ts';

/**
 * The leadership of one component in one participant: one root actor per component.
 *
 * What it guarantees, by having no transition that could do otherwise (numbers as in `invariants.ts`):
 * - I3: `register.withdraw` leaves only from `withdrawing`, and the register deletes only an entry of that session.
 *   No other state has a command that could delete, so a change event that meets a grant or a confirmation under way
 *   erases nothing (FLINK-40114: Flink's service handles such an event by publishing "empty").
 * - I4: a publish carries the session that is current when it leaves.
 * - I5, I6: the next session starts only after the former contender has settled.
 * - I9: a confirmation is answered in every state; what no state takes up belongs to a session that is over.
 */

export const leadershipMachine = leadership.createMachine({
  id: 'leadership',
  context: ({ input }) => c.initialLeadership(input),
  options: { maxIterations: 100 },
  entry: [a.joinElection],
  initial: 'standby',
  on: { 'contender.confirm': { actions: [a.refuseConfirm] } },
  states: {
    standby: {
      on: {
        ...lateAnswers,
        ...lateWithdrawals,
        ...noContender,
        ...noSession,
        granted: { target: 'grant-pending', actions: [a.takeGrant] },
        'timer.elapsed': {},
        close: { target: 'closed', actions: [a.leaveElection] },
      },
    },

    'grant-pending': {
      entry: [a.startContender],
      on: {
        ...lateAnswers,
        ...lateWithdrawals,
        ...sessionEnds,
        'contender.settled': settlesUnwritten,
        suspended: suspends,
        resumed: resumes,
        // Whatever the entry says, nobody here may judge it yet: it is remembered until a write is acknowledged.
        'register.changed': remembers,
        'contender.started': { guard: c.isCurrent, target: 'confirm-pending' },
        'contender.confirm': [
          { guard: c.isCurrentAndSuspended, target: 'confirm-pending.held', actions: [a.wantReachable] },
          { guard: c.isCurrent, target: 'confirm-pending.publishing', actions: [a.wantReachable] },
        ],
        'timer.elapsed': {},
      },
    },

    'confirm-pending': {
      initial: 'awaiting',
      on: {
        ...lateAnswers,
        ...lateWithdrawals,
        ...sessionEnds,
        'contender.settled': settlesEither,
        suspended: suspends,
        resumed: resumes,
        'register.changed': remembers,
        'contender.started': {},
        'timer.elapsed': {},
      },
      states: {
        awaiting: {
          on: {
            'contender.confirm': [
              { guard: c.isCurrentAndSuspended, target: 'held', actions: [a.wantReachable] },
              { guard: c.isCurrent, target: 'publishing', actions: [a.wantReachable] },
            ],
          },
        },
        held: {
          on: {
            'contender.confirm': wants,
            resumed: { guard: c.isCurrent, target: 'publishing', actions: [a.noteResumed, a.tellResumed] },
          },
        },
        publishing: {
          entry: [a.countAttempt, a.publish],
          on: {
            'contender.confirm': wants,
            ...answersFirst,
            'publish.unknown': { guard: c.isCurrentAttempt, target: 'resolving' },
          },
        },
        'backing-off': {
          entry: [a.setRetryTimer],
          exit: [a.cancelRetryTimer],
          on: {
            'contender.confirm': wants,
            'timer.elapsed': [
              { guard: c.isRetryTimerWhileSuspended, target: 'held' },
              { guard: c.isRetryTimer, target: 'publishing' },
            ],
          },
        },
        resolving: {
          // The write may have been applied, or may still be: only the store knows. Never assumed either way.
          entry: [a.readBack],
          on: {
            'contender.confirm': wants,
            ...answersFirst,
          },
        },
      },
    },

    confirmed: {
      initial: 'settled',
      on: {
        ...lateAnswers,
        ...lateWithdrawals,
        ...sessionEnds,
        'contender.settled': settlesWritten,
        suspended: suspends,
        resumed: resumes,
        'register.changed': [
          { guard: c.isBeforeOwnWrite },
          { guard: c.isNewerEntry, ...deposed, actions: [a.rememberSeen, a.noteFenced, a.tellFenced] },
          remembers,
        ],
        'contender.started': {},
        'timer.elapsed': {},
      },
      states: {
        settled: {
          entry: [a.setCalmTimer],
          exit: [a.cancelCalmTimer],
          on: {
            'contender.confirm': [
              // Nothing to write; an update that was held back meanwhile is answered by its newer wish.
              { guard: c.isSameAddress, actions: [a.wantReachable, a.settleConfirms, a.forgetConfirms] },
              { guard: c.isCurrentAndSuspended, actions: [a.wantReachable] },
              { guard: c.isCurrent, target: 'rewriting', actions: [a.wantReachable] },
            ],
            'register.changed': [
              { guard: c.isBeforeOwnWrite },
              { guard: c.isNewerEntry, ...deposed, actions: [a.rememberSeen, a.noteFenced, a.tellFenced] },
              { guard: c.mustRepair, target: 'rewriting', actions: [a.rememberAndCountRepair] },
              { guard: c.mustRepairLater, target: 'backing-off', actions: [a.rememberAndCountRepair] },
              remembers,
            ],
            resumed: [
              { guard: c.owesWrite, target: 'rewriting', actions: [a.noteResumed, a.tellResumed] },
              { guard: c.isCurrent, actions: [a.noteResumed, a.tellResumed] },
            ],
            'timer.elapsed': { guard: c.isCalmTimer, actions: [a.calmDown] },
          },
        },
        rewriting: {
          entry: [a.countAttempt, a.publish],
          on: {
            'contender.confirm': wants,
            ...answersRewrite,
            'publish.unknown': { guard: c.isCurrentAttempt, target: 'resolving' },
          },
        },
        'backing-off': {
          entry: [a.setRetryTimer],
          exit: [a.cancelRetryTimer],
          on: {
            'contender.confirm': wants,
            'timer.elapsed': [
              { guard: c.isRetryTimerWhileSuspended, target: 'settled' },
              { guard: c.isRetryTimer, target: 'rewriting' },
            ],
          },
        },
        resolving: {
          entry: [a.readBack],
          on: {
            'contender.confirm': wants,
            ...answersRewrite,
          },
        },
      },
    },

    revoked: {
      initial: 'stopping',
      entry: [a.stopContender, a.refuseConfirms, a.forgetConfirms],
      on: {
        ...lateAnswers,
        ...lateWithdrawals,
        suspended: {},
        resumed: {},
        'register.changed': {},
        'contender.started': {},
        granted: [
          { guard: c.isSameGrant, actions: [a.tellGrantDrained] },
          { guard: c.isClosing, actions: [a.tellGrantDrained] },
          // Rounds of grant and revoke that the slow contender never saw: only the last grant is honoured.
          { guard: c.hasNext, actions: [a.tellNextDrained, a.replaceNext] },
          { actions: [a.replaceNext] },
        ],
        revoked: { guard: c.isNext, actions: [a.tellNextDrained, a.dropNext] },
        'contender.settled': [
          { guard: c.isCurrentAndClosing, target: 'closed', actions: [a.tellDrained, a.leaveElection] },
          { guard: c.isCurrentWithNext, target: 'grant-pending', actions: [a.tellDrained, a.takeNext] },
          { guard: c.isCurrent, target: 'standby', actions: [a.tellDrained, a.endSession] },
        ],
        'timer.elapsed': {},
      },
      states: {
        stopping: {
          entry: [a.setStopTimer],
          exit: [a.cancelStopTimer],
          on: {
            'timer.elapsed': [
              {
                guard: c.isStopTimerOfClosing,
                target: '#leadership.closed',
                actions: [a.reportOverstayed, a.tellOverstayed, a.leaveElection],
              },
              {
                guard: c.isStopTimer,
                target: 'overstaying',
                actions: [a.noteOverstayed, a.reportOverstayed, a.tellOverstayed],
              },
            ],
            close: [
              { guard: c.hasNext, actions: [a.noteClosing, a.tellNextDrained, a.dropNext] },
              { actions: [a.noteClosing] },
            ],
          },
        },
        overstaying: {
          on: {
            close: [
              {
                guard: c.hasNext,
                target: '#leadership.closed',
                actions: [a.noteClosing, a.tellNextDrained, a.dropNext, a.leaveElection],
              },
              { target: '#leadership.closed', actions: [a.noteClosing, a.leaveElection] },
            ],
          },
        },
      },
    },

    withdrawing: {
      initial: 'stopping',
      entry: [a.refuseConfirms, a.forgetConfirms],
      exit: [a.cancelWithdrawTimer],
      on: {
        ...lateAnswers,
        ...lateWithdrawals,
        suspended: {},
        resumed: {},
        'register.changed': {},
        'contender.started': {},
        'contender.settled': {},
        granted: { actions: [a.tellGrantDrained] },
        close: { actions: [a.noteClosing] },
        'timer.elapsed': {},
      },
      states: {
        stopping: {
          entry: [a.stopContender, a.setStopTimer],
          exit: [a.cancelStopTimer],
          on: {
            revoked: { guard: c.isCurrent, actions: [a.noteLost] },
            'contender.settled': [
              { guard: c.settledHavingWritten, target: 'deleting', actions: [a.setWithdrawTimer] },
              { guard: c.isCurrent, target: '#leadership.closed', actions: [a.tellDrained, a.leaveElection] },
            ],
            // The contender still runs: the lock is not given back (the election abandons it), the component leaves.
            'timer.elapsed': {
              guard: c.isStopTimer,
              target: '#leadership.closed',
              actions: [a.reportOverstayed, a.tellOverstayed, a.leaveElection],
            },
          },
        },
        deleting: {
          entry: [a.countWithdrawal, a.withdraw],
          on: {
            revoked: takenAway,
            'withdraw.committed': withdrawn,
            'withdraw.fenced': withdrawn,
            'withdraw.failed': { guard: c.isCurrentAttempt, target: 'backing-off', actions: [a.countFailure] },
            'timer.elapsed': [...withdrawBound],
          },
        },
        'backing-off': {
          entry: [a.setRetryTimer],
          exit: [a.cancelRetryTimer],
          on: {
            revoked: takenAway,
            'timer.elapsed': [{ guard: c.isRetryTimer, target: 'deleting' }, ...withdrawBound],
          },
        },
      },
    },

    resting: {
      entry: [a.leaveElection, a.setRestTimer],
      exit: [a.cancelRestTimer],
      on: {
        ...lateAnswers,
        ...lateWithdrawals,
        ...noContender,
        ...noSession,
        granted: { actions: [a.tellGrantDrained] },
        'timer.elapsed': { guard: c.isRestTimer, target: 'standby', actions: [a.endSession, a.joinElection] },
        // It has left the election already.
        close: { target: 'closed' },
      },
    },

    closed: {
      type: 'final',
      entry: [a.tellClosed],
    },
  },
});
