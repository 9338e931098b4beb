import { constants } from 'node:os';
import { TenureError } from '../../errors.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LeaderSession } from '../../runtime/api.ts';
import { GuardedChild } from './guarded-child.ts';
import type { Interrupts } from './interrupts.ts';
import { type ChildEnd, exitCodeOfChild } from './messages.ts';
import type { RunPlan } from './plan.ts';
import type { RunTalk } from './talk.ts';

export interface RunParts {
  readonly plan: RunPlan;
  readonly talk: RunTalk;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: string;
  readonly interrupts: Interrupts;
}

/** `code` ends `tenure run`; `stand-again` goes on. */
export type SessionEnd = { readonly code: number } | 'stand-again';

const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 30_000;
/** A child that lived so long did not fail at its start. */
const HEALTHY_MS = 10_000;

/** Runs the command for one session, again and again where `--restart` says so. Settles once no child is left. */
export async function runSession(session: LeaderSession, parts: RunParts): Promise<SessionEnd> {
  const { plan, talk, clock, interrupts } = parts;
  talk.leading(session);
  const stopSuspension = session.onSuspension((suspended) => talk.suspended(suspended, session.remainingMs));
  try {
    for (let restMs = FIRST_REST_MS; ; restMs = Math.min(restMs * 2, LONGEST_REST_MS)) {
      const startedMs = clock.nowMs();
      const end = await runChild(session, parts);
      const afterMs = clock.nowMs() - startedMs;
      if (afterMs >= HEALTHY_MS) restMs = FIRST_REST_MS;
      const code = exitCodeOfChild(end, constants.signals);
      const verdict = after(end, code, interrupts.ending, plan);
      if (verdict !== 'restart') {
        talk.ended(end, afterMs, verdict === 'stand-again' ? 'standing again' : 'ending');
        return verdict === 'stand-again' ? verdict : { code };
      }
      talk.ended(end, afterMs, { startsAgainInMs: restMs });
      await rest(restMs, clock, session.signal, interrupts.signal);
      if (interrupts.ending) return { code };
      if (session.signal.aborted) return plan.once ? { code } : 'stand-again';
    }
  } finally {
    stopSuspension();
  }
}

/** What an end of the child means. A child that was stopped did not choose its end, so `--restart` does not apply. */
export function after(end: ChildEnd, code: number, interrupted: boolean, plan: Pick<RunPlan, 'once' | 'restart'>) {
  if (interrupted) return 'end' as const;
  if (end.why === 'told' || end.why === 'deadline') return plan.once ? ('end' as const) : ('stand-again' as const);
  const again = plan.restart === 'always' || (plan.restart === 'on-failure' && code !== 0);
  return again ? ('restart' as const) : ('end' as const);
}

async function runChild(session: LeaderSession, parts: RunParts): Promise<ChildEnd> {
  const { plan, talk, clock, interrupts } = parts;
  const child = new GuardedChild(
    {
      command: plan.command,
      args: plan.args,
      env: childEnvironment(session, parts),
      graceMs: plan.graceMs,
      remainingMs: session.remainingMs,
    },
    clock,
  );
  child.onStopping = (leftMs) => talk.overdue(leftMs);
  const stopFeeding = feed(child, session, plan.timing.renewMs, clock);
  const stopWatching = stopWithSession(child, session, parts);
  const release = interrupts.to({
    stop: (signal, again) => {
      const graceMs = again ? 0 : plan.graceMs;
      talk.interrupted(signal, graceMs);
      child.stop(signal, graceMs);
    },
    pass: (signal) => child.signal(signal),
  });
  try {
    const pid = await child.started;
    confirm(session, plan.address ?? `pid:${pid}@${parts.host}`, talk);
    return await child.ended;
  } finally {
    release();
    stopWatching();
    stopFeeding();
  }
}

function childEnvironment(session: LeaderSession, { plan, env }: RunParts) {
  return {
    ...env,
    TENURE_SESSION_ID: session.id,
    TENURE_FENCING_TOKEN: String(session.fencingToken),
    TENURE_ELECTION: plan.election,
    TENURE_COMPONENT: plan.component,
  };
}

/** Hands each moved deadline to the guard, well before the guard would act on the older one. */
function feed(child: GuardedChild, session: LeaderSession, renewMs: number, clock: Clock): () => void {
  let fedMs = session.deadlineMs;
  const again = () => {
    if (session.deadlineMs !== fedMs && session.isCurrent) {
      fedMs = session.deadlineMs;
      child.feed(session.remainingMs);
    }
    cancel = clock.setTimer(renewMs / 4, again);
  };
  let cancel = clock.setTimer(renewMs / 4, again);
  return () => cancel();
}

/** While the session is still ours (stepping down) the child gets its grace; once it is not, none. */
function stopWithSession(child: GuardedChild, session: LeaderSession, { plan, talk }: RunParts): () => void {
  const stop = () => {
    const graceMs = session.remainingMs > 0 ? plan.graceMs : 0;
    const { reason } = session.signal;
    talk.revoked(reason instanceof Error ? reason.message : 'The session is over.', graceMs);
    child.stop('SIGTERM', graceMs);
  };
  if (session.signal.aborted) stop();
  else session.signal.addEventListener('abort', stop, { once: true });
  return () => session.signal.removeEventListener('abort', stop);
}

/** A session that ends meanwhile is told by its signal; anything else is worth a word and no reason to stop. */
function confirm(session: LeaderSession, address: string, talk: RunTalk): void {
  session.confirm({ address }).catch((error: unknown) => {
    if (session.signal.aborted || (error instanceof TenureError && ['session-over', 'closed'].includes(error.code)))
      return;
    const code = error instanceof TenureError ? error.code : 'publish-rejected';
    talk.finding(`not confirmed: ${error instanceof Error ? error.message : String(error)}`, code);
  });
}

async function rest(ms: number, clock: Clock, ...signals: AbortSignal[]): Promise<void> {
  await new Promise<void>((settle) => {
    const any = AbortSignal.any(signals);
    const cancel = clock.setTimer(ms, settle);
    const end = () => {
      cancel();
      settle();
    };
    if (any.aborted) end();
    else any.addEventListener('abort', end, { once: true });
  });
}
