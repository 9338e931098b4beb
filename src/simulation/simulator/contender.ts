import type { Clock } from '../../ports/clock.ts';
import type { Random } from '../../ports/random.ts';
import type { LeaderSession } from '../../runtime/api.ts';
import type { Manner } from './actions.ts';

/** What a contender gets beside its session. Time and randomness come from here, or a seed does not decide the run. */
export interface SimulatedPlace {
  readonly participant: string;
  readonly component: string;
  /** The clock of this participant's machine: it drifts, jumps, sleeps. */
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when all faults are over. */
  readonly calm: AbortSignal;
  /**
   * Call it where your leader does what nobody else may do at the same time. The run is a failure when another session
   * had begun by then: `session.assertCurrent()` right before it, or a look at the fencing token, would have told.
   */
  work(): void;
}

/** A contender function, as for `tenure.lead`, that may run in a simulated world. */
export type SimulatedContender = (session: LeaderSession, place: SimulatedPlace) => unknown;

/** The simulator's own contender: as good or as bad as it is told to be. */
export function mannered(manner: () => Manner): SimulatedContender {
  return async (session, place) => {
    const now = manner();
    const { signal } = session;
    const confirmed = confirming(session, place, now);
    if (now.awaitsConfirm) await confirmed;
    if (now.ends === 'stays') await until(signal);
    else await wait(place.clock, now.endsAfterMs, signal);
    if (!signal.aborted && !place.calm.aborted) {
      if (now.ends === 'throws') throw new Error('a contender of the simulation fails');
      return;
    }
    await until(signal);
    if (now.overstaysMs > 0) await wait(place.clock, now.overstaysMs, place.calm);
  };
}

/** Never rejects: each refusal means that the session is over, but for one that the store may take later. */
async function confirming(session: LeaderSession, place: SimulatedPlace, manner: Manner): Promise<void> {
  const { signal } = session;
  const address = `tcp://${place.participant}:1/${place.component}`;
  if (manner.confirmAfterMs === null) await until(anyOf(signal, place.calm));
  else if (manner.confirmAfterMs > 0) await wait(place.clock, manner.confirmAfterMs, signal);
  if (signal.aborted) return;
  if (manner.confirmsTwice) void settled(session.confirm({ address }));
  await confirm(session, place, address);
  if (session.isCurrent) place.work();
  if (manner.movesAfterMs === null) return;
  await wait(place.clock, manner.movesAfterMs, signal);
  if (!signal.aborted) await confirm(session, place, `${address}/moved`);
}

async function confirm(session: LeaderSession, place: SimulatedPlace, address: string): Promise<void> {
  for (;;) {
    const refusal = await settled(session.confirm({ address }));
    if (refusal !== 'publish-rejected') return;
    await wait(place.clock, 500, session.signal);
    if (session.signal.aborted) return;
  }
}

/** The code of the refusal, `null` when it was done. */
function settled(promise: Promise<void>): Promise<string | null> {
  return promise.then(
    () => null,
    (error: { readonly code?: string }) => error.code ?? 'broken',
  );
}

function anyOf(...signals: AbortSignal[]): AbortSignal {
  return AbortSignal.any(signals);
}

export function until(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** So long, or until the signal aborts. */
export function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      signal.removeEventListener('abort', end);
      cancel();
      resolve();
    };
    const cancel = clock.setTimer(ms, end);
    signal.addEventListener('abort', end, { once: true });
  });
}
