/** What a transition is called in the name of a test. */
export interface Phrased {
  readonly event: string;
  readonly guard: string | null;
  /** State that declares the transition. */
  readonly source: string;
}

/** While the leadership is in that state. */
const WHILE: Readonly<Record<string, string>> = {
  standby: 'while standing by',
  'grant-pending': 'before the contender has started',
  'confirm-pending': 'while confirm is pending',
  'confirm-pending.awaiting': 'before it confirms',
  'confirm-pending.held': 'while the confirmation is held back',
  'confirm-pending.publishing': 'while the entry is being written',
  'confirm-pending.backing-off': 'before the write is tried again',
  'confirm-pending.resolving': 'while the first write is read back',
  confirmed: 'while confirmed',
  'confirmed.settled': 'while confirmed and at rest',
  'confirmed.rewriting': 'while the entry is written again',
  'confirmed.backing-off': 'before the rewrite is tried again',
  'confirmed.resolving': 'while the rewrite is read back',
  revoked: 'after the revoke',
  'revoked.stopping': 'while it stops',
  'revoked.overstaying': 'while it overstays',
  withdrawing: 'while leaving',
  'withdrawing.stopping': 'while it stops in order to leave',
  'withdrawing.deleting': 'while the entry is being deleted',
  'withdrawing.backing-off': 'before the deletion is tried again',
  resting: 'while resting',
  '': 'for a session that is over',
};

const EVENTS: Readonly<Record<string, string>> = {
  granted: 'granted',
  revoked: 'revoked',
  suspended: 'suspended',
  resumed: 'resumed',
  'register.changed': 'the entry changes',
  'contender.started': 'the contender starts',
  'contender.confirm': 'the contender confirms',
  'contender.settled': 'the contender settles',
  'publish.committed': 'WRITE acknowledged',
  'publish.failed': 'WRITE failed',
  'publish.unknown': 'the answer to WRITE lost',
  'publish.dead': 'WRITE found dead',
  'publish.fenced': 'WRITE fenced off',
  'publish.rejected': 'WRITE rejected',
  'withdraw.committed': 'the entry deleted',
  'withdraw.failed': 'the deletion failed',
  'withdraw.fenced': 'the deletion fenced off',
  'timer.elapsed': 'a timer elapses',
  close: 'closed',
};

/** Where a guard makes another story of the same event. */
const GUARDED: Readonly<Record<string, string>> = {
  'granted isSameGrant': 'the same session granted again',
  'granted isClosing': 'granted, already closing',
  'granted hasNext': 'granted once more',
  'revoked isNext': 'the waiting grant revoked',
  'register.changed isNewerEntry': 'the entry of a newer session appears',
  'register.changed mustRepair': 'the entry goes missing',
  'register.changed mustRepairLater': 'the entry goes missing soon again',
  'contender.confirm isSameAddress': 'the contender confirms the same address',
  'contender.confirm isCurrentAndSuspended': 'the contender confirms, suspended',
  'contender.settled settledThenRest': 'the contender fails, nothing written',
  'contender.settled settledHavingWritten': 'the contender settles, having written',
  'contender.settled isCurrentAndClosing': 'the contender settles, closing',
  'contender.settled isCurrentWithNext': 'the contender settles, the next grant waits',
  'publish.committed isOutdated': 'WRITE acknowledged, another address wanted',
  'publish.committed isUndoneAlready': 'WRITE acknowledged, undone already',
  'publish.rejected isOutdated': 'WRITE rejected, another address wanted',
  'publish.rejected isRejectedRepair': 'WRITE, a repair, rejected',
  'publish.rejected isRejectedWhileUndone': 'WRITE, an update, rejected with the entry missing',
  'withdraw.committed isCurrentAttemptThenRest': 'the entry of the failed contender deleted',
  'withdraw.fenced isCurrentAttemptThenRest': 'the deletion after a failure fenced off',
  'revoked isCurrentThenRest': 'revoked after a failure',
  'resumed owesWrite': 'resumed, a write is owed',
  'timer.elapsed isRetryTimer': 'the next try of WRITE due',
  'timer.elapsed isRetryTimerWhileSuspended': 'the next try of WRITE due, suspended',
  'timer.elapsed isStopTimer': 'the stop bound runs out',
  'timer.elapsed isStopTimerOfClosing': 'the stop bound runs out, closing',
  'timer.elapsed isWithdrawTimer': 'the bound of the deletion runs out',
  'timer.elapsed isWithdrawTimerThenRest': 'the bound of the deletion after a failure runs out',
  'timer.elapsed isRestTimer': 'the rest is over',
  'timer.elapsed isCalmTimer': 'calm has returned',
};

export function whileText(source: string): string {
  return WHILE[source] ?? `in ${source}`;
}

function eventText({ event, guard, source }: Phrased): string {
  const guarded = guard === null ? undefined : GUARDED[`${event} ${guard}`];
  if (guarded === undefined && event === 'granted') return grantText(source);
  return (guarded ?? EVENTS[event] ?? event).replace('WRITE', writeText(source));
}

/** A grant that meets a session is one of a newer session, without a word about the older one. */
function grantText(source: string): string {
  if (source === 'standby') return 'granted';
  return source.startsWith('revoked') ? 'granted again' : 'granted a newer session';
}

function writeText(source: string): string {
  const what = source.startsWith('withdrawing')
    ? 'the deletion'
    : source.startsWith('confirmed')
      ? 'the rewrite'
      : 'the write';
  return source.endsWith('.resolving') ? `${what}, read back,` : what;
}

/** An answer or a due timer says by itself what was going on. */
function placeText({ event, guard, source }: Phrased): string {
  const isPlain =
    /^(?:publish|withdraw)\./.test(event) || (event === 'timer.elapsed' && !/StopTimer/.test(guard ?? ''));
  return isPlain ? '' : ` ${whileText(source)}`;
}

/** `revoked while confirm is pending, then granted again after the revoke` */
export function pairText(first: Phrased, second: Phrased): string {
  const where = second.source === first.source ? '' : placeText(second);
  return `${eventText(first)}${placeText(first)}, then ${eventText(second)}${where}`;
}
