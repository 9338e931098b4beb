import type { Call, Local, Message, Scope, Shared } from './model.ts';
import { componentName } from './model.ts';
import type { Emit, TurnFrom } from './move.ts';
import { shiftVersions } from './normalise.ts';
import type { Applied, Moved } from './store.ts';
import { apply, entryOf, fenceOf, recordOf } from './store.ts';

/** What one call of a participant can come to, given what the store holds. */
export class CallMoves {
  readonly #scope: Scope;
  readonly #turn: TurnFrom;
  readonly #local: Local;
  readonly #shared: Shared;
  readonly #isHolder: boolean;
  readonly #emit: Emit;

  constructor(scope: Scope, turn: TurnFrom, local: Local, shared: Shared, isHolder: boolean, emit: Emit) {
    this.#scope = scope;
    this.#turn = turn;
    this.#local = local;
    this.#shared = shared;
    this.#isHolder = isHolder;
    this.#emit = emit;
  }

  of(at: number): void {
    const call = this.#local.calls[at];
    if (call === undefined || call.state === 'answered') return;
    const applied = apply(this.#scope, this.#shared, call, this.#isHolder);
    const gone: Local = { ...this.#local, calls: this.#local.calls.filter((_, index) => index !== at) };
    if (call.state === 'stray') this.#stray(call, gone, applied);
    else this.#asked(call, gone, applied);
  }

  #stray(call: Call, gone: Local, applied: Applied | null): void {
    this.#emit({ label: `stray ${nameOf(call)} is lost`, local: gone });
    if (applied === null) return;
    const local = this.#watched(older(gone, applied), applied, true);
    this.#emit({ label: `stray ${nameOf(call)} arrives`, local, ...effectOf(applied) });
  }

  #asked(call: Call, gone: Local, applied: Applied | null): void {
    if (applied !== null) this.#applied(call, gone, applied);
    if (this.#local.status !== 'up') return;
    const name = nameOf(call);
    this.#emit({ label: `${name} is refused`, local: this.#hear(gone, call, failure(call, 'refused')), isFault: true });
    if (call.request.kind === 'read') return;
    const astray: Local = { ...gone, calls: [...gone.calls, { ...call, state: 'stray' }] };
    const local = this.#hear(astray, call, failure(call, 'unknown'));
    this.#emit({ label: `${name}: no answer, still on its way`, local, isFault: true });
  }

  /** Done at once and heard of at once; or, each for a fault, heard of late or not at all. */
  #applied(call: Call, gone: Local, applied: Applied): void {
    const { answer, moved } = applied;
    const effect = effectOf(applied);
    const label = `${nameOf(call)} → ${answer.type}`;
    const answered = this.#hear(older(gone, applied), call, answer);
    this.#emit({ label, local: this.#watched(answered, applied, true), ...effect });
    if (this.#local.status !== 'up') return;
    // The answer itself shows the version that the write has made: it is not made older with the rest.
    const before = older(gone, applied);
    const waiting: Local = { ...before, calls: [...before.calls, { ...call, state: 'answered', answer }] };
    const late = this.#watched(waiting, applied, true);
    this.#emit({ label: `${label}, the answer is late`, local: late, ...effect, isFault: true });
    if (moved === null) return;
    const unwatched = this.#watched(answered, applied, false);
    this.#emit({ label: `${label}, the own watch is late`, local: unwatched, ...effect, isFault: true });
    const others = { local: this.#watched(answered, applied, true), othersLate: true, isFault: true };
    this.#emit({ label: `${label}, the others' watch is late`, ...effect, ...others });
    const lost = this.#watched(this.#hear(before, call, failure(call, 'unknown')), applied, true);
    this.#emit({ label: `${nameOf(call)} applied, its answer lost`, local: lost, ...effect, isFault: true });
  }

  #hear(to: Local, call: Call, answer: Message): Local {
    if (to.status !== 'up') return { ...to, calls: [...to.calls, { ...call, state: 'answered', answer }] };
    const times = { sentAtMs: call.sentAtMs, answeredAtMs: 0, nowMs: 0 };
    return this.#turn(to, {}, 'store', call.to, { ...answer, ...times } as Message);
  }

  #watched(to: Local, applied: Applied, heard: boolean): Local {
    if (applied.moved === null) return to;
    const told = withNews(to, applied.moved);
    return heard ? hearNews(this.#turn, told, applied.shared, this.#isHolder || applied.takesLease) : told;
  }
}

const nameOf = ({ request }: Call): string => `${request.port}.${request.kind}`;

const older = (local: Local, { moved }: Applied): Local => (moved === null ? local : shiftVersions(local, moved));

const effectOf = ({ shared, takesLease, moved, broken }: Applied) => ({ shared, takesLease, moved, broken });

function failure({ request }: Call, outcome: 'refused' | 'unknown'): Message {
  if (request.port === 'lease') {
    if (request.kind === 'read') return { type: 'read.failed' };
    return { type: `${request.kind}.${outcome}`, sessionId: request.sessionId } as Message;
  }
  if (request.kind === 'read') return { type: 'read.failed', readId: request.id } as Message;
  return { type: `write.${outcome}`, writeId: request.id, reason: 'unavailable' } as Message;
}

/** The watch reports what the store holds now. */
export function hearNews(turn: TurnFrom, local: Local, shared: Shared, isHolder: boolean): Local {
  if (local.status !== 'up') return local;
  let now = local;
  if (now.leaseNews) {
    const message = { type: 'record.seen', record: recordOf(shared, isHolder), nowMs: 0 } as Message;
    now = turn(now, { leaseNews: false }, 'store', 'driver', message);
  }
  if (!now.fenceNews && !now.entryNews.includes(true)) return now;
  const changed = new Map(
    now.entryNews.flatMap((isNew, at) =>
      isNew ? [[componentName(at), entryOf(shared.entries[at] ?? 0)] as const] : [],
    ),
  );
  const message = { type: 'register.observed', version: 0n, fence: fenceOf(shared), changed } as Message;
  return turn(now, { fenceNews: false, entryNews: now.entryNews.map(() => false) }, 'store', 'election', message);
}

export function withNews(local: Local, moved: Moved): Local {
  if (local.status === 'down') return local;
  return {
    ...local,
    leaseNews: local.leaseNews || moved.lease,
    fenceNews: local.fenceNews || moved.fence,
    entryNews: local.entryNews.map((isNew, at) => isNew || (moved.entries[at] ?? false)),
  };
}
