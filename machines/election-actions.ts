import { setup } from 'xstate';
import type { ElectionCommand, ElectionContext, ElectionEvent } from './election-messages.ts';
import type { Fence, RevokeReason, Session } from './vocabulary.ts';

export const election = setup({
  types: {
    context: {} as ElectionContext,
    events: {} as ElectionEvent,
    emitted: {} as ElectionCommand,
  },
});

interface At<E = ElectionEvent> {
  readonly context: ElectionContext;
  readonly event: E;
}
type OfSession = { readonly sessionId: string };

export const isCurrent = ({ context, event }: At<OfSession>): boolean => context.session?.id === event.sessionId;
export const isSameSession = ({ context, event }: At<{ readonly session: Session }>): boolean =>
  context.session?.id === event.session.id;
export const isLastToLeave = ({ context }: At<unknown>): boolean => context.standing <= 1;
export const isLastToLeaveAndDrained = (at: At<unknown>): boolean => isLastToLeave(at) && at.context.undrained === 0;
export const isClosing = ({ context }: At<unknown>): boolean => context.closing;
export const isWanted = ({ context }: At<unknown>): boolean => context.standing > 0;
export const isDrained = ({ context }: At<unknown>): boolean => context.undrained === 0;
/** Only overstayers are left: the lock must not be given back while they may still work. */
export const isOnlyOverstayed = ({ context }: At<unknown>): boolean =>
  context.undrained > 0 && context.undrained === context.overstaying;
export const isLastToLeaveButOverstayers = (at: At<unknown>): boolean => isLastToLeave(at) && isOnlyOverstayed(at);
export const isCurrentAndDrained = (at: At<OfSession>): boolean => isCurrent(at) && isDrained(at);
export const isCurrentButOverstayers = (at: At<OfSession>): boolean => isCurrent(at) && isOnlyOverstayed(at);
export const isCurrentAndClosing = (at: At<OfSession>): boolean => isCurrent(at) && isClosing(at);
export const isCurrentAndWanted = (at: At<OfSession>): boolean => isCurrent(at) && isWanted(at);
export const isCurrentAndStaying = (at: At<OfSession>): boolean => isCurrentAndWanted(at) && !isClosing(at);

const afterDrain = (context: ElectionContext, overstayed: boolean) => ({
  undrained: context.undrained - 1,
  overstaying: context.overstaying - (overstayed ? 1 : 0),
});
export const drainsLast = ({ context, event }: At<{ readonly overstayed: boolean }>): boolean =>
  afterDrain(context, event.overstayed).undrained === 0;
export const drainsAllButOverstayers = ({ context, event }: At<{ readonly overstayed: boolean }>): boolean => {
  const after = afterDrain(context, event.overstayed);
  return after.undrained > 0 && after.undrained === after.overstaying;
};
export const overstaysLast = ({ context }: At<unknown>): boolean => context.undrained === context.overstaying + 1;

export const isNewerFence = ({ context, event }: At<{ readonly fence: Fence | null }>): boolean =>
  event.fence !== null &&
  context.session !== null &&
  event.fence.fencingToken > context.session.fencingToken &&
  event.fence.sessionId !== context.session.id;
export const isNewerFenceAndClosing = (at: At<{ readonly fence: Fence | null }>): boolean =>
  isNewerFence(at) && isClosing(at);

export const countJoined = election.assign(({ context }) => ({ standing: context.standing + 1 }));
export const countLeft = election.assign(({ context }) => ({ standing: context.standing - 1 }));
export const countDrained = election.assign(({ context, event }) =>
  event.type === 'component.drained' ? afterDrain(context, event.overstayed) : {},
);
export const countOverstayed = election.assign(({ context }) => ({ overstaying: context.overstaying + 1 }));

export const takeSession = election.assign(({ context, event }) =>
  event.type === 'lease.acquired'
    ? { session: event.session, undrained: context.undrained + context.standing, yielding: false }
    : {},
);
/** A session that is given back at once: no component is granted it. */
export const takeUnwanted = election.assign(({ event }) =>
  event.type === 'lease.acquired' ? { session: event.session } : {},
);
export const noteVersion = election.assign(({ event }) =>
  event.type === 'register.observed' ? { registerVersion: event.version } : {},
);
export const endSession = election.assign({ session: null });
export const noteClosing = election.assign({ closing: true });
export const noteReason = (reason: RevokeReason) => election.assign({ reason });
export const noteYielding = election.assign({ yielding: true });
export const forgetYielding = election.assign({ yielding: false });
export const noteRequest = election.assign(({ context, event }) =>
  event.type === 'step-down' ? { requests: [...context.requests, event.requestId] } : {},
);

/** The session travels in the message: a component that joins late is granted what was true when it was sent (H1). */
export const grantAll = election.emit(({ context }) => ({
  type: 'granted',
  to: 'leadership:*' as const,
  session: context.session ?? { id: '', fencingToken: 0n },
}));

export const grantJoined = election.emit(({ context, event }) => ({
  type: 'granted',
  to: `leadership:${event.type === 'component.joined' ? event.component : ''}` as const,
  session: context.session ?? { id: '', fencingToken: 0n },
}));
export const countGrant = election.assign(({ context }) => ({ undrained: context.undrained + 1 }));

export const revokeAll = election.emit(({ context }) => ({
  type: 'revoked',
  to: 'leadership:*' as const,
  sessionId: context.session?.id ?? '',
  reason: context.reason,
}));
export const suspendAll = election.emit(({ context }) => ({
  type: 'suspended',
  to: 'leadership:*' as const,
  sessionId: context.session?.id ?? '',
}));
export const suspendJoined = election.emit(({ context, event }) => ({
  type: 'suspended',
  to: `leadership:${event.type === 'component.joined' ? event.component : ''}` as const,
  sessionId: context.session?.id ?? '',
}));
export const resumeAll = election.emit(({ context }) => ({
  type: 'resumed',
  to: 'leadership:*' as const,
  sessionId: context.session?.id ?? '',
}));

/** Work per change event is proportional to what changed, not to the number of components. */
export const handOutChanges = election.enqueueActions(({ event, enqueue }) => {
  if (event.type !== 'register.observed') return;
  for (const [component, entry] of event.changed) {
    enqueue.emit({
      type: 'register.changed',
      to: `leadership:${component}` as const,
      version: event.version,
      entry,
    });
  }
});

export const contend = election.emit(({ context }) => ({
  type: 'contend',
  to: 'driver',
  yielding: context.yielding,
}));
export const stopContending = election.emit({ type: 'stop', to: 'driver' });
export const release = election.emit(({ context }) => ({
  type: 'release',
  to: 'driver',
  sessionId: context.session?.id ?? '',
}));
export const abandon = election.emit(({ context }) => ({
  type: 'abandon',
  to: 'driver',
  sessionId: context.session?.id ?? '',
}));
export const openRegister = election.emit(({ context }) => ({
  type: 'register.open',
  to: 'register',
  session: context.session ?? { id: '', fencingToken: 0n },
  version: context.registerVersion,
}));
export const shutRegister = election.emit(({ context }) => ({
  type: 'register.shut',
  to: 'register',
  sessionId: context.session?.id ?? '',
}));

export const refuseStepDown = election.emit(({ event }) => ({
  type: 'step-down.settled',
  to: 'tenure',
  requestIds: event.type === 'step-down' ? [event.requestId] : [],
  outcome: 'not-leading' as const,
}));
export const settleRequests = election.emit(({ context, event }) => ({
  type: 'step-down.settled',
  to: 'tenure',
  requestIds: context.requests,
  outcome:
    event.type === 'lease.released' && (event.outcome === 'abandoned' || event.outcome === 'unreleased')
      ? ('unreleased' as const)
      : ('done' as const),
}));
export const forgetRequests = election.assign({ requests: [] });
export const tellClosed = election.emit({ type: 'election.closed', to: 'tenure' });

export const reportFenceAboveToken = election.emit(({ context, event }) => ({
  type: 'finding',
  to: 'observer',
  code: 'token-not-above-fence',
  sessionId: context.session?.id ?? '',
  detail:
    event.type === 'register.fence-refused'
      ? `granted token ${context.session?.fencingToken ?? 0n}, but the register holds a fence with token ${event.fence.fencingToken}; the session was given up`
      : '',
}));
