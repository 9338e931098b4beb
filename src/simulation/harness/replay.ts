import type { AnyMachineSnapshot, AnyTransitionDefinition } from 'xstate';
import { leadershipMachine } from '../../../machines/leadership.ts';
import type { LeadershipPolicy } from '../../../machines/leadership-context.ts';
import type { LeadershipEvent } from '../../../machines/leadership-messages.ts';
import type { Reachable } from '../../../machines/vocabulary.ts';
import type { TraceStep } from '../../ports/trace.ts';
import { stateText } from '../../runtime/actor-host.ts';
import { Stepper } from '../explorer/stepper.ts';
import { isContenderStep, messageOf, type WalkStep } from './walk-steps.ts';

/** One message of a recording, and what it made of the leadership. */
export interface RecordedStep extends WalkStep {
  /** Line of the recording. */
  readonly line: number;
  /** What the contender confirmed, where it did. */
  readonly confirms?: string;
  readonly verdict: TraceStep['verdict'];
  /** What the leadership said, in order; `null` where the recording does not tell. */
  readonly says: readonly string[] | null;
  /** The recording ends within what this message set off: it may tell less than was said. */
  readonly isLast?: true;
}

/** The leadership of one component of one participant, from its start. */
export interface RecordedPart {
  readonly name: string;
  readonly onFailure: LeadershipPolicy['onFailure'];
  readonly steps: readonly RecordedStep[];
}

type Done = Pick<RecordedStep, 'state' | 'verdict'> & { readonly says: readonly string[] };

/** The shipped leadership machine, fed with recorded messages one by one. */
export class Replay {
  readonly #stepper = new Stepper(leadershipMachine);
  #snapshot: AnyMachineSnapshot;
  #confirms = 0;

  constructor(onFailure: LeadershipPolicy['onFailure']) {
    this.#snapshot = this.#stepper.start({ component: 'web', policy: { onFailure } }).snapshot;
  }

  /** State now. */
  get state(): string {
    return stateText(this.#snapshot.value);
  }

  /** The session that the leadership has, or still has to end. */
  get sessionId(): string | null {
    return this.#snapshot.context.session?.id ?? null;
  }

  /** @throws Error when no state declares such a message. */
  step(step: RecordedStep): Done {
    const message = this.#messageOf(step);
    const verdict = this.#verdictOf(message);
    const { snapshot, emitted } = this.#stepper.step(this.#snapshot, message);
    this.#snapshot = snapshot;
    return { state: this.state, verdict, says: emitted.map(({ type }) => type) };
  }

  /** The same place once more, for trying what another reading of the line would do. */
  fork(): Replay {
    const fork = new Replay('stand-again');
    fork.#snapshot = this.#snapshot;
    fork.#confirms = this.#confirms;
    return fork;
  }

  #messageOf(step: RecordedStep): LeadershipEvent {
    const { session: sessionId = '' } = step;
    if (!isContenderStep(step)) {
      const { session, sent } = this.#snapshot.context;
      const { address, metadata }: Reachable = sent ?? { address: '', metadata: {} };
      const own = { sessionId: session?.id ?? '', fencingToken: session?.fencingToken ?? 0n, address, metadata };
      return messageOf(step, own);
    }
    if (step.event === 'contender.started') return { type: step.event, sessionId };
    if (step.event === 'contender.settled') return { type: step.event, sessionId, outcome: step.outcome ?? 'returned' };
    const confirmId = `${sessionId}/${++this.#confirms}`;
    const reachable = { address: step.confirms ?? '', metadata: {} };
    return { type: 'contender.confirm', sessionId, confirmId, reachable };
  }

  #verdictOf(message: LeadershipEvent): TraceStep['verdict'] {
    if (this.#snapshot.status !== 'active') return 'ignored';
    const selected: readonly AnyTransitionDefinition[] = this.#snapshot.machine.getTransitionData(
      this.#snapshot as never,
      message as never,
    );
    if (selected.length === 0) return 'stale';
    if (selected.some(({ target }) => target !== undefined)) return 'moved';
    return selected.some(({ actions }) => actions.length > 0) ? 'noted' : 'ignored';
  }
}

/** What the machine did otherwise than the recording, in words; `null` when it did the same. */
export function difference(step: RecordedStep, done: Done): string | null {
  if (done.state !== step.state) return `went to ${done.state}, the recording says ${step.state}`;
  if (done.verdict !== step.verdict) return `took it as ${done.verdict}, the recording says ${step.verdict}`;
  if (step.says === null) return null;
  const said = step.isLast === true ? done.says.slice(0, step.says.length) : done.says;
  if (said.join() === step.says.join()) return null;
  return `said ${listText(said)}, the recording says ${listText(step.says)}`;
}

function listText(words: readonly string[]): string {
  return words.length === 0 ? 'nothing' : words.join(', ');
}

/**
 * Feeds a recording to the shipped leadership machine.
 * @throws Error at the first message that it answers otherwise than it did when it was recorded.
 */
export function replayRecording({ name, onFailure, steps }: RecordedPart): void {
  const replay = new Replay(onFailure);
  for (const step of steps) {
    const before = replay.state;
    const found = difference(step, replay.step(step));
    if (found !== null) throw new Error(`${name}, line ${step.line}: in ${before}, at ${step.event}, it ${found}`);
  }
}
