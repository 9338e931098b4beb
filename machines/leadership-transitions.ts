import * as a from './leadership-actions.ts';
import * as c from './leadership-context.ts';

/** Transitions that several states of the leadership machine share. */

// A session may end for the same reasons in every state in which its contender runs.
export const sessionEnds = {
  granted: [
    { guard: c.isSameGrant, actions: [a.tellGrantDrained] },
    { target: 'revoked', actions: [a.supersede] },
  ],
  revoked: { guard: c.isCurrent, target: 'revoked', actions: [a.noteRevoked] },
  close: { target: 'withdrawing', actions: [a.noteClosing] },
} as const;

/** The contender has settled by itself. Nothing was written under its session: nothing is to be deleted. */
export const settlesUnwritten = [
  {
    guard: c.settledThenRest,
    target: 'resting',
    actions: [a.noteLeaving, a.refuseConfirms, a.forgetConfirms, a.tellDrained],
  },
  {
    guard: c.isCurrent,
    target: 'closed',
    actions: [a.noteLeaving, a.refuseConfirms, a.forgetConfirms, a.tellDrained, a.leaveElection],
  },
] as const;

const deletes = { target: 'withdrawing.deleting', actions: [a.noteLeaving, a.setWithdrawTimer] } as const;
export const settlesWritten = { guard: c.isCurrent, ...deletes } as const;
export const settlesEither = [{ guard: c.settledHavingWritten, ...deletes }, ...settlesUnwritten] as const;

export const suspends = { guard: c.isCurrent, actions: [a.noteSuspended, a.tellSuspended] } as const;
export const resumes = { guard: c.isCurrent, actions: [a.noteResumed, a.tellResumed] } as const;
export const remembers = { actions: [a.rememberSeen] } as const;
export const deposed = { target: '#leadership.revoked', actions: [a.noteFenced, a.tellFenced] } as const;
export const deposedByAnswer = { guard: c.isCurrentAttempt, ...deposed } as const;
export const wants = { guard: c.isCurrent, actions: [a.wantReachable] } as const;

// Answers that can only be late: the write they belong to is not the one under way (or none is).
export const lateAnswers = {
  'publish.committed': {},
  'publish.failed': {},
  'publish.unknown': {},
  'publish.dead': {},
  'publish.fenced': {},
  'publish.rejected': {},
} as const;
export const lateWithdrawals = { 'withdraw.committed': {}, 'withdraw.failed': {}, 'withdraw.fenced': {} } as const;
export const noContender = { 'contender.started': {}, 'contender.settled': {} } as const;
export const noSession = { revoked: {}, suspended: {}, resumed: {}, 'register.changed': {} } as const;

/**
 * The acknowledged write confirms the component; the contender may want another address by now, or a later change may
 * have undone the entry already.
 */
const confirmsWrite = [
  {
    guard: c.isOutdated,
    target: '#leadership.confirmed.rewriting',
    actions: [a.takeCommitted, a.clearFailures, a.settleCovered, a.forgetCovered],
  },
  {
    guard: c.isUndoneAlready,
    target: '#leadership.confirmed.rewriting',
    actions: [a.takeCommitted, a.settleConfirms, a.forgetConfirms],
  },
  {
    guard: c.isCurrentAttempt,
    target: '#leadership.confirmed.settled',
    actions: [a.takeCommitted, a.clearFailures, a.settleConfirms, a.forgetConfirms],
  },
] as const;

const settlesRewrite = [
  {
    guard: c.isOutdated,
    target: 'rewriting',
    reenter: true,
    actions: [a.takeCommitted, a.settleCovered, a.forgetCovered],
  },
  {
    guard: c.isUndoneAlready,
    target: 'backing-off',
    actions: [a.takeCommitted, a.countFailure, a.settleConfirms, a.forgetConfirms],
  },
  { guard: c.isCurrentAttempt, target: 'settled', actions: [a.takeCommitted, a.settleConfirms, a.forgetConfirms] },
] as const;

// The final answers to a write, with or without an `unknown` before them: not one of them may be left without effect.
export const answersFirst = {
  'publish.committed': confirmsWrite,
  'publish.failed': { guard: c.isCurrentAttempt, target: 'backing-off', actions: [a.countFailure] },
  'publish.dead': { guard: c.isCurrentAttempt, target: 'publishing', reenter: true },
  'publish.fenced': deposedByAnswer,
  'publish.rejected': [
    {
      guard: c.isOutdated,
      target: 'publishing',
      reenter: true,
      actions: [a.reportRejected, a.rejectCovered, a.forgetCovered],
    },
    {
      guard: c.isCurrentAttempt,
      target: 'awaiting',
      actions: [a.reportRejected, a.rejectConfirms, a.revertWanted],
    },
  ],
} as const;

export const answersRewrite = {
  'publish.committed': settlesRewrite,
  'publish.failed': { guard: c.isCurrentAttempt, target: 'backing-off', actions: [a.countFailure] },
  'publish.dead': { guard: c.isCurrentAttempt, target: 'rewriting', reenter: true },
  'publish.fenced': deposedByAnswer,
  'publish.rejected': [
    {
      guard: c.isOutdated,
      target: 'rewriting',
      reenter: true,
      actions: [a.reportRejected, a.rejectCovered, a.forgetCovered],
    },
    { guard: c.isRejectedRepair, target: 'backing-off', actions: [a.reportRejected, a.countFailure] },
    {
      guard: c.isRejectedWhileUndone,
      target: 'backing-off',
      actions: [a.reportRejected, a.rejectConfirms, a.revertWanted, a.countFailure],
    },
    {
      guard: c.isCurrentAttempt,
      target: 'settled',
      actions: [a.reportRejected, a.rejectConfirms, a.revertWanted],
    },
  ],
} as const;

const ends = {
  rest: { target: '#leadership.resting', actions: [a.tellDrained] },
  leave: { target: '#leadership.closed', actions: [a.tellDrained, a.leaveElection] },
} as const;

/** The session was taken away while the entry was being deleted: from now on it is not ours to delete. */
export const takenAway = [
  { guard: c.isCurrentThenRest, ...ends.rest },
  { guard: c.isCurrent, ...ends.leave },
] as const;

export const withdrawn = [
  { guard: c.isCurrentAttemptThenRest, ...ends.rest },
  { guard: c.isCurrentAttempt, ...ends.leave },
] as const;

export const withdrawBound = [
  {
    guard: c.isWithdrawTimerThenRest,
    target: '#leadership.resting',
    actions: [a.reportWithdrawIncomplete, a.tellDrained],
  },
  {
    guard: c.isWithdrawTimer,
    target: '#leadership.closed',
    actions: [a.reportWithdrawIncomplete, a.tellDrained, a.leaveElection],
  },
] as const;
