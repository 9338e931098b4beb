import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ContainerWrite } from '../../ports/container.ts';
import type { LeaseWrite, LeaseWriteResult } from '../../ports/lease-store.ts';
import type { Leader, LeaderSession } from '../../runtime/api.ts';
import type { Book } from './book.ts';
import type { Server } from './server.ts';

/** A participant as it is looked at from outside. */
export interface Watched {
  readonly name: string;
  readonly identity: string;
  readonly isDead: boolean;
  /** Since it last stood still; 0 while it does. */
  readonly runsForMs: number;
  readonly clock: Clock;
  /** Functions that run. */
  readonly running: ReadonlyMap<string, LeaderSession>;
}

export interface ChecksOptions {
  readonly book: Book;
  readonly server: Server;
  readonly election: string;
  readonly participants: () => Iterable<Watched>;
  readonly onAcquired: () => void;
  /** How long a process that stood still may take to notice that the time has passed. */
  readonly noticeMs: number;
  /** Findings that are a violation where a contender is on trial. */
  readonly strictFindings: readonly string[];
}

/** Findings that no fault of the world excuses. */
const BROKEN = ['undeclared-message', 'actor-failed', 'listener-failed', 'token-not-above-fence'];

/**
 * Looks at a run from outside: at the store and at the contenders. What it sees becomes observations for the numbered
 * invariants, or a violation of a check that needs the whole world:
 *
 * - `exclusive`: nobody works under a session that is valid by its own clock when another session has begun
 * - `released-settled`: the lock is given back only when no contender runs
 * - `tokens-grow`: of the sessions that one participant runs for one component
 * - `fence-grows`, `entries-grow`: in the register
 * - `retrieval-grows`, `retrieval-true`: what a follower is told never goes back, and was once stored
 * - `confirmed-stored`: a confirmation that was acknowledged is in the store
 * - `work`: a contender's own work was done after another session had begun
 * - `finding`: the runtime itself says that something is broken
 */
export class Checks {
  readonly #o: ChecksOptions;
  readonly #sessionAtLeave = new Map<ContainerWrite, string>();
  readonly #stored = new Set<string>();
  readonly #ran = new Map<string, bigint>();
  #newestToken = 0n;
  #fenceToken = 0n;
  failovers = 0;

  constructor(options: ChecksOptions) {
    this.#o = options;
    options.server.observer = {
      leaseWritten: (identity, write, result) => this.#leaseWritten(identity, write, result),
      registerWritten: (identity, write, before, result) => {
        if (result.outcome === 'committed') this.#registerWritten(identity, write, before);
      },
    };
  }

  registerWriteLeaves(write: ContainerWrite, sessionId: string): void {
    this.#sessionAtLeave.set(write, sessionId);
  }

  started(participant: Watched, session: LeaderSession): void {
    const { book } = this.#o;
    const { id: sessionId, component, fencingToken } = session;
    book.observations.push({ kind: 'contender.started', participant: participant.identity, component, sessionId });
    const key = `${participant.identity}/${component}`;
    const former = this.#ran.get(key) ?? 0n;
    if (fencingToken < former) book.violated('tokens-grow', `${key} runs token ${fencingToken} after ${former}`);
    this.#ran.set(key, fencingToken);
    if (fencingToken < this.#newestToken) this.#mustBeOver(participant, session, 'starts');
  }

  told(participant: Watched, session: LeaderSession): void {
    this.#observe('contender.told-to-stop', participant, session);
  }

  settled(participant: Watched, session: LeaderSession): void {
    this.#observe('contender.settled', participant, session);
  }

  worked(participant: Watched, { component, fencingToken }: LeaderSession): void {
    const newest = this.#newestToken;
    if (fencingToken >= newest) return;
    const detail = `${participant.name} works for ${component} with token ${fencingToken} when ${newest} has begun`;
    this.#o.book.violated('work', detail);
  }

  confirmed({ component, id }: LeaderSession, address: string): void {
    if (this.#stored.has(entryKey(component, id, address))) return;
    this.#o.book.violated('confirmed-stored', `${component} of ${id} was confirmed at ${address}, and never stored`);
  }

  /** Answers the newest token that this follower has seen. */
  followed(participant: Watched, component: string, leader: Leader | null, newest: bigint): bigint {
    const { book } = this.#o;
    book.note(participant.name, `follows ${component}: ${leader === null ? 'nobody' : leader.address}`);
    if (leader === null) return newest;
    const { fencingToken, sessionId, address } = leader;
    if (fencingToken < newest) {
      book.violated('retrieval-grows', `${participant.name} is told of token ${fencingToken} after ${newest}`);
    }
    if (!this.#stored.has(entryKey(component, sessionId, address))) {
      book.violated('retrieval-true', `${participant.name} is told of ${address} for ${component}, never stored`);
    }
    return fencingToken > newest ? fencingToken : newest;
  }

  finding(participant: Watched, code: string, detail: string): void {
    if (!BROKEN.includes(code) && !this.#o.strictFindings.includes(code)) return;
    this.#o.book.violated(code, `${participant.name}, ${detail}`);
  }

  #observe(
    kind: 'contender.told-to-stop' | 'contender.settled',
    { identity: participant, isDead }: Watched,
    { id: sessionId, component }: LeaderSession,
  ): void {
    if (!isDead) this.#o.book.observations.push({ kind, participant, component, sessionId });
  }

  #leaseWritten(identity: string, write: LeaseWrite, result: LeaseWriteResult): void {
    const { book } = this.#o;
    if (result.outcome !== 'committed') {
      book.note('server', `lease.${write.kind} of ${identity}: ${result.outcome}`);
      return;
    }
    const { version, fencingToken: token, sessionId } = result.record;
    book.note('server', `lease.${write.kind} of ${identity}: version ${version}, token ${token}`);
    if (write.kind === 'release') this.#mustHaveSettled(identity);
    if (write.kind !== 'acquire') return;
    if (this.#newestToken > 0n) this.failovers += 1;
    this.#newestToken = token;
    this.#o.onAcquired();
    book.observations.push({ kind: 'lease.acquired', participant: identity, sessionId, token });
    for (const participant of this.#o.participants()) {
      for (const session of participant.running.values()) {
        if (session.id === sessionId) continue;
        this.#mustBeOver(participant, session, `has it when ${identity} acquires`);
        this.#mustBeTold(participant, session, identity);
      }
    }
  }

  /** By the clock of its own machine, whether the process runs at the moment or not. */
  #mustBeOver(participant: Watched, session: LeaderSession, when: string): void {
    if (participant.isDead || session.signal.aborted) return;
    const leftMs = session.deadlineMs - participant.clock.deadlineNowMs();
    if (leftMs <= 0) return;
    const { component, fencingToken } = session;
    const detail = `${participant.name} ${when}: token ${fencingToken} of ${component} is valid for another ${leftMs} ms`;
    this.#o.book.violated('exclusive', detail);
  }

  /** Where the process stood still, shortly after it goes on: whoever looks at the time then knows that it is over. */
  #mustBeTold({ name, isDead, runsForMs }: Watched, { signal, component }: LeaderSession, by: string): void {
    if (isDead || signal.aborted || runsForMs < this.#o.noticeMs) return;
    this.#o.book.violated('I7', `${by} acquires while ${name} works for ${component} and has not been told to stop`);
  }

  #mustHaveSettled(identity: string): void {
    for (const participant of this.#o.participants()) {
      const [session] = participant.identity === identity && !participant.isDead ? participant.running.values() : [];
      if (session === undefined) continue;
      this.#o.book.violated(
        'released-settled',
        `${participant.name} gives the lock back, ${session.component} still runs`,
      );
    }
  }

  #registerWritten(
    participant: string,
    write: ContainerWrite,
    before: ReadonlyMap<string, LeaderInformation | null>,
  ): void {
    const { book, server, election } = this.#o;
    const { register } = server.election(election);
    const currentSessionId = this.#sessionAtLeave.get(write) ?? 'none';
    for (const [component, { sessionId, address, fencingToken }] of write.puts) {
      book.note('server', `register: ${component}=${address} by ${participant}, token ${fencingToken}`);
      this.#stored.add(entryKey(component, sessionId, address));
      book.observations.push({ kind: 'entry.written', participant, component, sessionId, currentSessionId });
    }
    for (const [component, entry] of before) {
      const now = register.entry(component);
      if (entry === null) continue;
      if (now !== null && now.fencingToken < entry.fencingToken) {
        const detail = `${component} goes from token ${entry.fencingToken} to ${now.fencingToken}, by ${participant}`;
        book.violated('entries-grow', detail);
      }
      if (now !== null) continue;
      book.note('server', `register: ${component} gone, by ${participant}`);
      const withdrawnBy = write.withdrawals.get(component) ?? null;
      book.observations.push({ kind: 'entry.deleted', component, sessionId: entry.sessionId, withdrawnBy });
    }
    const fence = register.fence?.fencingToken ?? 0n;
    if (fence < this.#fenceToken) book.violated('fence-grows', `from ${this.#fenceToken} to ${fence}`);
    this.#fenceToken = fence;
  }
}

function entryKey(component: string, sessionId: string, address: string): string {
  return `${component} ${sessionId} ${address}`;
}
