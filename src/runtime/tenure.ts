import type { LeadershipPolicy } from '../../machines/leadership-context.ts';
import type { FindingCommand } from '../../machines/vocabulary.ts';
import type { Violation } from '../errors.ts';
import { InvalidOptionsError, TenureError, toTenureError } from '../errors.ts';
import { stateText } from './actor-host.ts';
import type {
  ContenderFunction,
  ElectionPhase,
  ElectionState,
  Finding,
  Following,
  Leading,
  LeadOptions,
  Tenure,
} from './api.ts';
import { ContenderDesk } from './contender-desk.ts';
import type { Engine } from './engine.ts';
import { Retrieval } from './following.ts';
import { LeadingHandle } from './leading.ts';
import type { Channel, Stream } from './stream.ts';
import { createStream } from './stream.ts';
import { componentRule } from './validate-options.ts';

type TenureMessage =
  | { readonly type: 'leadership.closed'; readonly component: string }
  | { readonly type: 'election.closed' }
  | {
      readonly type: 'step-down.settled';
      readonly requestIds: readonly string[];
      readonly outcome: 'done' | 'not-leading' | 'unreleased';
    };

/** One participant in one election: the shell that turns the machines' messages into what the user sees. */
export class TenureHandle implements Tenure {
  readonly #engine: Engine;
  readonly #leadings = new Map<string, LeadingHandle>();
  /** Components that are closed while their function still runs. */
  readonly #outlived = new Set<string>();
  /** By component: what its former contender counted to. */
  readonly #attempts = new Map<string, number>();
  readonly #retrievals = new Map<string, Retrieval>();
  readonly #requests = new Map<string, (outcome: 'done' | 'not-leading' | 'unreleased') => void>();
  readonly #states: Channel<ElectionState>;
  #shown: ElectionState;
  #requestCount = 0;
  #closing: Promise<void> | null = null;
  #electionClosed: () => void = () => {};
  #failed = false;

  constructor(engine: Engine) {
    this.#engine = engine;
    const { office, feed } = engine;
    office.register('tenure', this);
    office.register('observer', { deliver: (finding: FindingCommand) => this.#report(finding) });
    feed.followed = (component) => this.#retrievals.has(component);
    feed.allFollowed = () => this.#retrievals.keys();
    engine.onStep = () => this.#pushState();
    engine.onFailure = (error, actor) => void this.#fail(error, actor);
    this.#shown = this.state;
    this.#states = createStream<ElectionState>(this.#shown, false);
  }

  get election(): string {
    return this.#engine.options.election;
  }
  get identity(): string {
    return this.#engine.identity;
  }
  get place(): string {
    return this.#engine.backend.place;
  }
  get protection(): 'lease' | 'none' {
    return this.#engine.backend.protection;
  }
  get states(): Stream<ElectionState> {
    return this.#states.stream;
  }

  get state(): ElectionState {
    // What a dead actor last said is not what is.
    if (this.#failed) return { phase: 'closed', sessionId: null, fencingToken: null, deadlineMs: null };
    const { value, context } = this.#engine.election.snapshot;
    const text = stateText(value);
    const name = text.split('.')[0];
    const phase: ElectionPhase = text === 'leading.suspended' ? 'suspended' : phaseOf(name ?? '');
    const { session } = context;
    const deadlineMs = session === null ? null : this.#engine.validity.deadlineOf(session.id);
    return { phase, sessionId: session?.id ?? null, fencingToken: session?.fencingToken ?? null, deadlineMs };
  }

  lead(component: string, contender: ContenderFunction, options: LeadOptions = {}): Leading {
    this.#assertOpen(component);
    const violations = nameViolations(component);
    if (typeof contender !== 'function') {
      violations.push({ field: 'contender', received: contender, rule: 'must be a function' });
    }
    if (violations.length > 0) throw new InvalidOptionsError(violations);
    this.#assertFree(component);
    const leading = this.#createLeading(component, contender, options);
    this.#leadings.set(component, leading);
    this.#engine.startWatching();
    leading.start();
    onAbort(options.signal, () => void leading.close());
    return leading;
  }

  follow(component: string, options: { readonly signal?: AbortSignal } = {}): Following {
    this.#assertOpen(component);
    const violations = nameViolations(component);
    if (violations.length > 0) throw new InvalidOptionsError(violations);
    const { feed } = this.#engine;
    const known = this.#retrievals.get(component);
    const retrieval = known ?? this.#createRetrieval(component);
    const following = retrieval.follow();
    if (known === undefined) feed.introduce(component, true);
    feed.start();
    onAbort(options.signal, () => void following.close());
    return following;
  }

  stepDown(): Promise<void> {
    if (this.#closing !== null) return Promise.reject(this.#closedError());
    const requestId = `step-down/${++this.#requestCount}`;
    return new Promise((resolve, reject) => {
      this.#requests.set(requestId, (outcome) => {
        if (outcome === 'done') resolve();
        else reject(stepDownError(outcome));
      });
      this.#engine.office.post('tenure', 'election', { type: 'step-down', requestId } as { type: string });
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The shell is a recipient too: answers to its own promises arrive here. */
  deliver(message: TenureMessage): void {
    switch (message.type) {
      case 'leadership.closed':
        this.#leadings.get(message.component)?.end();
        return;
      case 'election.closed':
        this.#electionClosed();
        return;
      case 'step-down.settled':
        for (const id of message.requestIds) {
          this.#requests.get(id)?.(message.outcome);
          this.#requests.delete(id);
        }
    }
  }

  async #close(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#electionClosed = resolve;
    });
    const leadings = [...this.#leadings.values()];
    if (!this.#failed) {
      // The components first: each withdraws its entry under the session that is still ours.
      for (const leading of leadings) void leading.close();
      this.#engine.office.post('tenure', 'election', { type: 'close' });
      await Promise.all([ended, ...leadings.map((leading) => leading.closed)]);
    }
    for (const retrieval of [...this.#retrievals.values()]) retrieval.end();
    for (const settle of this.#requests.values()) settle('done');
    this.#requests.clear();
    this.#pushState();
    this.#states.end();
    await this.#engine.close();
  }

  #createLeading(component: string, contender: ContenderFunction, options: LeadOptions): LeadingHandle {
    const { office, clock, validity, clockDesk, timing } = this.#engine;
    const policy = {
      stopBoundMs: timing.stopBoundMs,
      restBaseMs: timing.restMs,
      onFailure: options.onFailure ?? 'stand-again',
    } satisfies Partial<LeadershipPolicy>;
    const desk = new ContenderDesk({
      office,
      component,
      contender,
      wiring: {
        clock,
        validity,
        onListenerFailed: (thrown, sessionId) => {
          const error = toTenureError(thrown, 'listener-failed', { component });
          const detail = `a callback of onSuspension threw: ${error.message}`;
          this.#engine.tell({ code: 'listener-failed', component, sessionId, detail, error });
        },
      },
      onFailed: (error, sessionId) => {
        const detail = `the contender failed: ${error.message}`;
        this.#engine.tell({ code: 'contender-failed', component, sessionId, detail, error });
      },
    });
    return new LeadingHandle({
      office,
      component,
      lastAttempt: this.#attempts.get(component) ?? 0,
      policy,
      clock,
      desk,
      onUndeclared: this.#engine.onUndeclared,
      onActorFailed: (error) => this.#engine.tellActorFailed(`leadership:${component}`, error),
      onOverstayed: (sessionId) => {
        const detail = `the contender has not settled ${timing.stopBoundMs} ms after it was told to stop`;
        this.#engine.tell({ code: 'contender-overstayed', component, sessionId, detail, error: null });
      },
      onClosed: (leading, outlivedBy) => {
        if (this.#leadings.get(component) === leading) this.#leadings.delete(component);
        this.#attempts.set(component, leading.lastAttempt);
        if (outlivedBy === null) return;
        this.#outlived.add(component);
        void outlivedBy.then(() => this.#outlived.delete(component));
      },
      cancelTimers: (address) => clockDesk.cancelAll(address),
    });
  }

  #createRetrieval(component: string): Retrieval {
    const retrieval: Retrieval = new Retrieval({
      office: this.#engine.office,
      component,
      onUndeclared: this.#engine.onUndeclared,
      onActorFailed: (error) => {
        this.#engine.tellActorFailed(`retrieval:${component}`, error);
        retrieval.end();
      },
      onUnused: () => {
        if (this.#retrievals.get(component) === retrieval) this.#retrievals.delete(component);
      },
    });
    this.#retrievals.set(component, retrieval);
    return retrieval;
  }

  /**
   * The election, lease, validity or register actor has failed: nothing that it owned can be trusted any more. All work
   * is told to stop at once and the lease is left to run out; no entry is deleted and no lock is given back.
   */
  async #fail(error: unknown, actor: string): Promise<void> {
    if (this.#failed) return;
    this.#failed = true;
    this.#engine.tellActorFailed(actor, error);
    for (const leading of [...this.#leadings.values()]) void leading.giveUp();
    this.#electionClosed();
    await this.close();
  }

  /** Most steps change nothing that is shown. */
  #pushState(): void {
    const state = this.state;
    const isSame = (Object.keys(state) as (keyof ElectionState)[]).every((key) => state[key] === this.#shown[key]);
    if (isSame) return;
    this.#shown = state;
    this.#states.push(state);
  }

  #report(command: FindingCommand): void {
    const { code, component = null, sessionId = null, detail } = command;
    this.#engine.tell({ code, component, sessionId, detail, error: null } satisfies Finding);
  }

  #assertFree(component: string): void {
    // Two contenders of one component must not overlap, whether the former is registered or has overstayed its close.
    const isOutlived = this.#outlived.has(component);
    if (!this.#leadings.has(component) && !isOutlived) return;
    const why = isOutlived
      ? `The former contender for ${component} has been closed, but its function has not settled yet.`
      : `A contender is already registered for ${component} in this process.`;
    throw new TenureError('component-taken', why, { component, next: 'The former contender was left untouched.' });
  }

  #assertOpen(component: string): void {
    if (this.#closing !== null) throw this.#closedError(component);
  }

  #closedError(component?: string): TenureError {
    return new TenureError('closed', `The tenure for ${this.election} has been closed.`, {
      component,
      next: 'Open a new one.',
    });
  }
}

function nameViolations(component: unknown): Violation[] {
  const rule = componentRule(component);
  return rule === null ? [] : [{ field: 'component', received: component, rule }];
}

function phaseOf(name: string): ElectionPhase {
  return name === 'halting' ? 'contending' : (name as ElectionPhase);
}

function stepDownError(outcome: 'not-leading' | 'unreleased'): TenureError {
  if (outcome === 'not-leading') {
    return new TenureError('not-leading', 'This participant does not lead, so there is nothing to step down from.');
  }
  return new TenureError('contender-overstayed', 'The work was told to stop, but the lock could not be given back.', {
    outcome: 'unknown',
    next: 'The lock runs out by itself; nobody leads until then.',
  });
}

function onAbort(signal: AbortSignal | undefined, run: () => void): void {
  if (signal === undefined) return;
  if (signal.aborted) run();
  else signal.addEventListener('abort', run, { once: true });
}
