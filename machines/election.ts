import * as a from './election-actions.ts';
import { election } from './election-actions.ts';

/**
 * One election in one participant. It owns the session: whoever leads here leads by its grant.
 *
 * - `granted`, `revoked`, `suspended`, `resumed` fan out to the components that stand; each carries its session.
 * - The lock is released only when every grant that was ever sent has been drained (release before work has settled
 *   would let another participant start while ours still works). With an overstayer it is abandoned instead: it runs
 *   out by itself, after the margin.
 * - Losing needs no release: the order "work is told to stop" happens in the step that learns of the loss (I7).
 */

const counts = {
  'component.drained': { actions: [a.countDrained] },
  'component.overstayed': { actions: [a.countOverstayed] },
} as const;
const noSession = {
  'session.fenced': {},
  'lease.lost': {},
  'lease.released': {},
  'step-down.requested': {},
  suspended: {},
  resumed: {},
  lapsed: {},
  'register.observed': { actions: [a.noteVersion] },
  'register.fence-refused': {},
  'step-down': { actions: [a.refuseStepDown] },
} as const;

const sessionOver = [a.revokeAll, a.shutRegister, a.endSession] as const;

const lost = [a.noteReason('lost'), ...sessionOver] as const;
const lapsed = [a.noteReason('deadline'), ...sessionOver] as const;
const fenced = [a.noteReason('fenced'), a.abandon, ...sessionOver] as const;
const refused = [a.reportFenceAboveToken, a.noteReason('fenced'), a.noteYielding, a.abandon, ...sessionOver] as const;

/** How a ceded session ends: the lock has been given back, and the lease rests. */
const ended = [
  {
    guard: a.isCurrentAndClosing,
    target: '#election.closed',
    actions: [a.shutRegister, a.settleRequests, a.forgetRequests],
  },
  {
    guard: a.isCurrentAndWanted,
    target: '#election.contending',
    actions: [a.shutRegister, a.settleRequests, a.forgetRequests, a.endSession],
  },
  {
    guard: a.isCurrent,
    target: '#election.idle',
    actions: [a.shutRegister, a.settleRequests, a.forgetRequests, a.endSession],
  },
] as const;

/** The session ended by itself before it was given back. The lease contends again unless it is stopped. */
const endedByItself = [
  {
    guard: a.isCurrentAndStaying,
    target: '#election.contending',
    actions: [a.shutRegister, a.settleRequests, a.forgetRequests, a.endSession],
  },
  {
    guard: a.isCurrent,
    target: '#election.halting',
    actions: [a.shutRegister, a.settleRequests, a.forgetRequests, a.endSession],
  },
] as const;

const stepDown = [a.noteReason('stepped-down'), a.noteYielding] as const;
const resigned = [a.countLeft, a.noteReason('resigned'), a.forgetYielding] as const;

export const electionMachine = election.createMachine({
  id: 'election',
  context: {
    standing: 0,
    undrained: 0,
    overstaying: 0,
    session: null,
    closing: false,
    registerVersion: 0n,
    yielding: false,
    requests: [],
    reason: 'lost',
  },
  options: { maxIterations: 100 },
  initial: 'idle',
  states: {
    idle: {
      on: {
        ...counts,
        ...noSession,
        'component.joined': { target: 'contending', actions: [a.countJoined] },
        'component.left': {},
        'lease.acquired': {},
        'lease.stopped': {},
        close: { target: 'closed' },
        'timer.elapsed': {},
      },
    },

    contending: {
      entry: [a.contend],
      on: {
        ...counts,
        ...noSession,
        'component.joined': { actions: [a.countJoined] },
        'component.left': [
          { guard: a.isLastToLeave, target: 'halting', actions: [a.countLeft] },
          { actions: [a.countLeft] },
        ],
        'lease.acquired': { target: 'leading', actions: [a.takeSession, a.openRegister, a.grantAll] },
        'lease.stopped': {},
        close: { target: 'halting', actions: [a.noteClosing] },
        'timer.elapsed': {},
      },
    },

    // Nobody here wants to lead any more; a write of the lease may still be under way.
    halting: {
      entry: [a.stopContending],
      on: {
        ...counts,
        ...noSession,
        'component.joined': { actions: [a.countJoined] },
        'component.left': { actions: [a.countLeft] },
        // Acquired before the lease heard that nobody wants it any more: given back, granted to nobody.
        'lease.acquired': [
          { guard: a.isDrained, target: 'ceding.releasing', actions: [a.takeUnwanted] },
          { guard: a.isOnlyOverstayed, target: 'ceding.abandoning', actions: [a.takeUnwanted] },
          { target: 'ceding.draining', actions: [a.takeUnwanted] },
        ],
        'lease.stopped': [
          { guard: a.isClosing, target: 'closed' },
          { guard: a.isWanted, target: 'contending' },
          { target: 'idle' },
        ],
        close: { actions: [a.noteClosing] },
        'timer.elapsed': {},
      },
    },

    leading: {
      initial: 'steady',
      on: {
        ...counts,
        'component.joined': { actions: [a.countJoined, a.countGrant, a.grantJoined] },
        'component.left': [
          { guard: a.isLastToLeaveAndDrained, target: 'ceding.releasing', actions: resigned },
          { guard: a.isLastToLeaveButOverstayers, target: 'ceding.abandoning', actions: resigned },
          { guard: a.isLastToLeave, target: 'ceding.draining', actions: resigned },
          { actions: [a.countLeft] },
        ],
        'session.fenced': [
          { guard: a.isCurrentAndClosing, target: 'halting', actions: fenced },
          { guard: a.isCurrent, target: 'contending', actions: fenced },
        ],
        'register.fence-refused': [
          { guard: a.isCurrentAndClosing, target: 'halting', actions: refused },
          { guard: a.isCurrent, target: 'contending', actions: refused },
        ],
        'lease.acquired': [
          { guard: a.isSameSession },
          // A new session without a revoke of the old one: for every component it ends the older session.
          { target: 'leading', reenter: true, actions: [a.takeSession, a.openRegister, a.grantAll] },
        ],
        'lease.lost': [
          { guard: a.isCurrentAndClosing, target: 'halting', actions: lost },
          { guard: a.isCurrent, target: 'contending', actions: lost },
        ],
        lapsed: [
          { guard: a.isCurrentAndClosing, target: 'halting', actions: lapsed },
          { guard: a.isCurrent, target: 'contending', actions: lapsed },
        ],
        'lease.released': {},
        'lease.stopped': {},
        suspended: {},
        resumed: {},
        'register.observed': [
          { guard: a.isNewerFenceAndClosing, target: 'halting', actions: fenced },
          { guard: a.isNewerFence, target: 'contending', actions: fenced },
          { actions: [a.noteVersion, a.handOutChanges] },
        ],
        'step-down': [
          { guard: a.isDrained, target: 'ceding.releasing', actions: [a.noteRequest, ...stepDown] },
          { guard: a.isOnlyOverstayed, target: 'ceding.abandoning', actions: [a.noteRequest, ...stepDown] },
          { target: 'ceding.draining', actions: [a.noteRequest, ...stepDown] },
        ],
        'step-down.requested': [
          { guard: a.isCurrentAndDrained, target: 'ceding.releasing', actions: stepDown },
          { guard: a.isCurrentButOverstayers, target: 'ceding.abandoning', actions: stepDown },
          { guard: a.isCurrent, target: 'ceding.draining', actions: stepDown },
        ],
        // The components are closed one by one and withdraw their entries under this session; the last one to leave
        // gives the lock back. A revoke now would take away their right to delete.
        close: { actions: [a.noteClosing] },
        'timer.elapsed': {},
      },
      states: {
        steady: {
          on: { suspended: { guard: a.isCurrent, target: 'suspended', actions: [a.suspendAll] } },
        },
        suspended: {
          on: {
            'component.joined': { actions: [a.countJoined, a.countGrant, a.grantJoined, a.suspendJoined] },
            resumed: { guard: a.isCurrent, target: 'steady', actions: [a.resumeAll] },
          },
        },
      },
    },

    ceding: {
      initial: 'draining',
      on: {
        ...counts,
        'component.joined': { actions: [a.countJoined] },
        'component.left': { actions: [a.countLeft] },
        'session.fenced': {},
        'lease.acquired': {},
        'lease.stopped': {},
        suspended: {},
        resumed: {},
        'register.observed': { actions: [a.noteVersion] },
        'register.fence-refused': {},
        'step-down.requested': {},
        'step-down': { actions: [a.noteRequest] },
        close: { actions: [a.noteClosing] },
        'lease.lost': endedByItself,
        lapsed: endedByItself,
        'lease.released': ended,
        'timer.elapsed': {},
      },
      states: {
        draining: {
          entry: [a.revokeAll],
          on: {
            'component.drained': [
              { guard: a.drainsLast, target: 'releasing', actions: [a.countDrained] },
              { guard: a.drainsAllButOverstayers, target: 'abandoning', actions: [a.countDrained] },
              { actions: [a.countDrained] },
            ],
            'component.overstayed': [
              { guard: a.overstaysLast, target: 'abandoning', actions: [a.countOverstayed] },
              { actions: [a.countOverstayed] },
            ],
          },
        },
        releasing: { entry: [a.release] },
        abandoning: { entry: [a.abandon] },
      },
    },

    closed: {
      type: 'final',
      entry: [a.tellClosed],
    },
  },
});
