import { setup } from 'xstate';
import * as c from './leadership-context.ts';
import type { LeadershipCommand, LeadershipEvent } from './leadership-messages.ts';
import type { RevokeReason } from './vocabulary.ts';

/** Typed builders for the leadership machine. Actions only assign and emit: nothing here touches the world. */
export const leadership = setup({
  types: {
    context: {} as c.LeadershipContext,
    events: {} as LeadershipEvent,
    emitted: {} as LeadershipCommand,
    input: {} as c.LeadershipInput,
  },
});

export const joinElection = leadership.emit(({ context }) => ({
  type: 'component.joined',
  to: 'election',
  component: context.component,
}));

export const leaveElection = leadership.emit(({ context }) => ({
  type: 'component.left',
  to: 'election',
  component: context.component,
}));

export const tellClosed = leadership.emit(({ context }) => ({
  type: 'leadership.closed',
  to: 'tenure',
  component: context.component,
}));

/** Each `granted` is answered by exactly one `drained` (or `overstayed`): the election releases the lock by that count. */
export const tellDrained = leadership.emit(({ context }) => ({
  type: 'component.drained',
  to: 'election',
  component: context.component,
  sessionId: context.session?.id ?? '',
  overstayed: context.overstayed,
}));

/** A grant that will not be taken up is drained at once. */
export const tellGrantDrained = leadership.emit(({ context, event }) => ({
  type: 'component.drained',
  to: 'election',
  component: context.component,
  sessionId: event.type === 'granted' ? event.session.id : '',
  overstayed: false,
}));

export const tellNextDrained = leadership.emit(({ context }) => ({
  type: 'component.drained',
  to: 'election',
  component: context.component,
  sessionId: context.next?.id ?? '',
  overstayed: false,
}));

export const takeGrant = leadership.assign(({ context, event }) =>
  event.type === 'granted' ? c.beginSession(context, event.session) : {},
);

export const takeNext = leadership.assign(({ context }) =>
  context.next === null ? {} : c.beginSession(context, context.next),
);

/** A grant without a revoke ends the older session; the newer one starts once its contender has settled. */
export const supersede = leadership.assign(({ event }) =>
  event.type === 'granted' ? { next: event.session, reason: 'superseded' as const } : {},
);

export const replaceNext = leadership.assign(({ event }) => (event.type === 'granted' ? { next: event.session } : {}));

export const dropNext = leadership.assign({ next: null });

export const endSession = leadership.assign({
  session: null,
  wanted: null,
  sent: null,
  published: null,
  seen: null,
  suspended: false,
  overstayed: false,
  lost: false,
  leaving: null,
});

export const startContender = leadership.emit(({ context }) => ({
  type: 'contender.start',
  to: `contender:${context.component}` as const,
  session: context.session ?? { id: '', fencingToken: 0n },
}));

export const stopContender = leadership.emit(({ context }) => ({
  type: 'contender.stop',
  to: `contender:${context.component}` as const,
  sessionId: context.session?.id ?? '',
  reason: context.reason,
}));

/** The confirmations of a session that is over are answered, never left hanging. */
export const refuseConfirms = leadership.emit(({ context }) => ({
  type: 'confirm.settled',
  to: `contender:${context.component}` as const,
  sessionId: context.session?.id ?? '',
  confirmIds: context.confirms,
  outcome: context.reason === 'fenced' ? ('fenced' as const) : ('session-over' as const),
}));

/** A confirmation that no state takes up belongs to a session that is over. */
export const refuseConfirm = leadership.emit(({ context, event }) => ({
  type: 'confirm.settled',
  to: `contender:${context.component}` as const,
  sessionId: event.type === 'contender.confirm' ? event.sessionId : '',
  confirmIds: event.type === 'contender.confirm' ? [event.confirmId] : [],
  outcome: 'session-over' as const,
}));

export const rejectConfirms = leadership.emit(({ context }) => ({
  type: 'confirm.settled',
  to: `contender:${context.component}` as const,
  sessionId: context.session?.id ?? '',
  confirmIds: context.confirms,
  outcome: 'publish-rejected' as const,
}));

export const forgetConfirms = leadership.assign({ confirms: [], covered: 0 });

const settleCoveredAs = (outcome: 'committed' | 'publish-rejected') =>
  leadership.emit(({ context }) => ({
    type: 'confirm.settled',
    to: `contender:${context.component}` as const,
    sessionId: context.session?.id ?? '',
    confirmIds: context.confirms.slice(0, context.covered),
    outcome,
  }));
/** A newer confirmation waits for a write of its own: only those that this write was about are answered. */
export const settleCovered = settleCoveredAs('committed');
export const rejectCovered = settleCoveredAs('publish-rejected');
export const forgetCovered = leadership.assign(({ context }) => ({
  confirms: context.confirms.slice(context.covered),
  covered: 0,
}));

/** The rejected address is forgotten; what had been accepted before stays what this session stands for. */
export const revertWanted = leadership.assign(({ context }) => ({
  confirms: [],
  covered: 0,
  wanted: context.published?.reachable ?? null,
  sent: context.published?.reachable ?? context.sent,
}));

export const wantReachable = leadership.assign(({ context, event }) =>
  event.type === 'contender.confirm'
    ? { wanted: event.reachable, confirms: [...context.confirms, event.confirmId] }
    : {},
);

/** A new attempt for every write: an answer to an older one can then match nothing. */
export const countAttempt = leadership.assign(({ context }) => ({
  attempt: context.attempt + 1,
  sent: context.wanted,
  covered: context.confirms.length,
}));

export const countWithdrawal = leadership.assign(({ context }) => ({ attempt: context.attempt + 1 }));

export const publish = leadership.emit(({ context }) => ({
  type: 'register.publish',
  to: 'register',
  component: context.component,
  attempt: context.attempt,
  entry: {
    sessionId: context.session?.id ?? '',
    fencingToken: context.session?.fencingToken ?? 0n,
    address: context.sent?.address ?? '',
    metadata: context.sent?.metadata ?? {},
  },
}));

export const readBack = leadership.emit(({ context }) => ({
  type: 'register.read-back',
  to: 'register',
  component: context.component,
  sessionId: context.session?.id ?? '',
  attempt: context.attempt,
}));

export const withdraw = leadership.emit(({ context }) => ({
  type: 'register.withdraw',
  to: 'register',
  component: context.component,
  sessionId: context.session?.id ?? '',
  attempt: context.attempt,
}));

export const takeCommitted = leadership.assign(({ context, event }) =>
  event.type === 'publish.committed' && context.sent !== null
    ? { published: { reachable: context.sent, version: event.version } }
    : {},
);

/** Only the acknowledged write settles the promise: Flink counts itself confirmed before it writes (hazard H7). */
export const settleConfirms = leadership.emit(({ context }) => ({
  type: 'confirm.settled',
  to: `contender:${context.component}` as const,
  sessionId: context.session?.id ?? '',
  confirmIds: context.confirms,
  outcome: 'committed' as const,
}));

export const clearFailures = leadership.assign({ failures: 0 });
/** A quiet span: neither repairs nor contender failures count as "in a row" any more. */
export const calmDown = leadership.assign({ failures: 0, rests: 0 });
export const countFailure = leadership.assign(({ context }) => ({ failures: context.failures + 1 }));

export const rememberSeen = leadership.assign(({ context, event }) =>
  event.type === 'register.changed' && event.version >= (context.seen?.version ?? 0n)
    ? { seen: { entry: event.entry, version: event.version } }
    : {},
);

export const rememberAndCountRepair = leadership.assign(({ context, event }) =>
  event.type === 'register.changed'
    ? { seen: { entry: event.entry, version: event.version }, failures: context.failures + 1 }
    : {},
);

export const noteRevoked = leadership.assign(({ event }) => (event.type === 'revoked' ? { reason: event.reason } : {}));
export const noteFenced = leadership.assign({ reason: 'fenced' as RevokeReason });
export const noteLost = leadership.assign({ lost: true });
export const noteClosing = leadership.assign({ leaving: 'close' as const, reason: 'closing' as const });

export const noteLeaving = leadership.assign(({ context, event }) => {
  if (event.type !== 'contender.settled') return {};
  const leaving = c.leavingAfter(context, event.outcome);
  const reason: RevokeReason = leaving === 'close' ? 'closing' : event.outcome === 'failed' ? 'failed' : 'resigned';
  return { leaving, reason, rests: event.outcome === 'failed' ? context.rests + 1 : 0 };
});

export const tellFenced = leadership.emit(({ context }) => ({
  type: 'session.fenced',
  to: 'election',
  component: context.component,
  sessionId: context.session?.id ?? '',
}));

export const noteSuspended = leadership.assign({ suspended: true });
export const noteResumed = leadership.assign({ suspended: false });

export const tellSuspended = leadership.emit(({ context }) => ({
  type: 'contender.suspended',
  to: `contender:${context.component}` as const,
  sessionId: context.session?.id ?? '',
}));

export const tellResumed = leadership.emit(({ context }) => ({
  type: 'contender.resumed',
  to: `contender:${context.component}` as const,
  sessionId: context.session?.id ?? '',
}));

const setTimer = (name: string, afterMs: (context: c.LeadershipContext) => number, jitter: number) =>
  leadership.emit(({ context }) => ({
    type: 'timer.set',
    to: 'clock',
    id: c.timerId(name, context),
    afterMs: afterMs(context),
    jitter,
  }));

const cancelTimer = (name: string) =>
  leadership.emit(({ context }) => ({ type: 'timer.cancel', to: 'clock', id: c.timerId(name, context) }));

export const setRetryTimer = setTimer('retry', c.retryAfterMs, 0.5);
export const cancelRetryTimer = cancelTimer('retry');
export const setStopTimer = setTimer('stop', (context) => context.policy.stopBoundMs, 0);
export const cancelStopTimer = cancelTimer('stop');
export const setWithdrawTimer = setTimer('withdraw', (context) => context.policy.withdrawBoundMs, 0);
export const cancelWithdrawTimer = cancelTimer('withdraw');
export const setRestTimer = setTimer('rest', c.restAfterMs, 0.2);
export const cancelRestTimer = cancelTimer('rest');
export const setCalmTimer = setTimer('calm', (context) => context.policy.calmMs, 0);
export const cancelCalmTimer = cancelTimer('calm');

export const noteOverstayed = leadership.assign({ overstayed: true });

export const tellOverstayed = leadership.emit(({ context }) => ({
  type: 'component.overstayed',
  to: 'election',
  component: context.component,
  sessionId: context.session?.id ?? '',
}));

const report = (code: string, detail: (context: c.LeadershipContext) => string) =>
  leadership.emit(({ context }) => ({
    type: 'finding',
    to: 'observer',
    code,
    component: context.component,
    sessionId: context.session?.id ?? '',
    detail: detail(context),
  }));

export const reportOverstayed = report(
  'contender-overstayed',
  (context) => `the contender has not settled ${context.policy.stopBoundMs} ms after it was told to stop`,
);
export const reportWithdrawIncomplete = report(
  'withdraw-incomplete',
  (context) =>
    `the own entry could not be deleted within ${context.policy.withdrawBoundMs} ms; it stays until replaced`,
);
export const reportRejected = report(
  'publish-rejected',
  (context) => `the backend will not accept the leader information for ${context.sent?.address ?? ''}`,
);
