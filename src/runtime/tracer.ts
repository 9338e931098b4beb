import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { undeclared } from '../../machines/strict.ts';
import type { LeaderInformation } from '../../machines/vocabulary.ts';
import type { Clock } from '../ports/clock.ts';
import type { TraceLine, TraceSink, TraceStep, TraceWorld } from '../ports/trace.ts';
import { HostedActor, stateText } from './actor-host.ts';
import type { Letter, Message, Recipient, Tap } from './post-office.ts';

interface Fields extends Message {
  readonly session?: { readonly id: string; readonly fencingToken: bigint };
  readonly sessionId?: string;
  readonly entry?: LeaderInformation | null;
  readonly attempt?: number;
  readonly reason?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly id?: string;
  readonly outcome?: string;
  readonly record?: { readonly holder: string; readonly version: bigint; readonly sessionId: string } | null;
  readonly sentAtMs?: number;
  readonly version?: bigint;
  readonly fence?: { readonly fencingToken: bigint; readonly sessionId: string } | null;
  readonly changed?: ReadonlyMap<string, LeaderInformation | null>;
  readonly reachable?: { readonly address: string };
  readonly puts?: ReadonlyMap<string, LeaderInformation>;
  readonly withdrawals?: ReadonlyMap<string, string>;
}

interface Open {
  readonly seq: number;
  readonly letter: Letter;
  readonly t: number;
  readonly at: string;
  readonly host: HostedActor<AnyStateMachine> | null;
  readonly before: string;
  readonly verdict: TraceStep['verdict'] | null;
  readonly commands: string[];
}

/** Turns deliveries into trace lines. Attached only while somebody records. */
export class Tracer implements Tap {
  readonly #sink: TraceSink;
  readonly #clock: Clock;
  readonly #participant: string;
  readonly #beganAtMs: number;
  readonly #deadlineScaleMs: number;
  #seq = 0;
  #open: Open | null = null;

  constructor(sink: TraceSink, clock: Clock, participant: string) {
    this.#sink = sink;
    this.#clock = clock;
    this.#participant = participant;
    this.#beganAtMs = clock.nowMs();
    this.#deadlineScaleMs = clock.deadlineNowMs();
    const world = { lease: {}, register: { version: '0', fence: null, entries: {} } };
    this.#record({ kind: 'start', from: 'tenure', to: 'tenure', event: 'start', detail: 'recording began', world });
  }

  before(letter: Letter, recipient: Recipient | null): number {
    const host = recipient instanceof HostedActor ? (recipient as HostedActor<AnyStateMachine>) : null;
    const snapshot = host === null ? null : (host.snapshot as AnyMachineSnapshot);
    this.#seq += 1;
    this.#open = {
      seq: this.#seq,
      letter,
      t: this.#sinceStart(),
      at: this.#clock.isoNow(),
      host,
      before: snapshot === null ? '' : stateText(snapshot.value),
      verdict: snapshot === null ? null : verdictOf(snapshot, letter.message),
      commands: [],
    };
    if (recipient === null) this.#open.commands.push('undeliverable');
    return this.#seq;
  }

  after(): void {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    const { seq, t, at, letter, host, verdict, before, commands } = open;
    const after = host === null ? '' : stateText(host.snapshot.value);
    const step = host === null || verdict === null ? null : stepOf({ before, after, verdict, letter, commands });
    const isDropped = commands.includes('undeliverable');
    const participant = this.#participant;
    this.#write(traceLine({ seq, t, at, letter, step, isDropped, participant }, this.#deadlineScaleMs));
  }

  #record(line: Pick<TraceLine, 'kind' | 'from' | 'to' | 'event' | 'detail'> & { readonly world: TraceWorld }): void {
    this.#seq += 1;
    const at = this.#clock.isoNow();
    const none = { session: null, token: null, attempt: null, cause: null, delivery: 'delivered' as const };
    this.#write({
      v: 1,
      seq: this.#seq,
      t: this.#sinceStart(),
      at,
      ...none,
      ...line,
      participant: this.#participant,
    });
  }

  /** A recorder that throws loses the line; it must not stop the office in the middle of a delivery. */
  #write(line: TraceLine): void {
    try {
      this.#sink.record(line);
    } catch {
      // There is nobody else to tell.
    }
  }

  #sinceStart(): number {
    return Math.round((this.#clock.nowMs() - this.#beganAtMs) * 1_000) / 1_000;
  }
}

export function verdictOf(snapshot: AnyMachineSnapshot, message: Message): TraceStep['verdict'] {
  if (snapshot.status !== 'active') return 'ignored';
  if (undeclared(snapshot, message)) return 'undeclared';
  const selected = transitionsOf(snapshot, message);
  if (selected === null) return 'undeclared';
  if (selected.length === 0) return 'stale';
  if (selected.some((transition) => transition.target !== undefined)) return 'moved';
  return selected.some((transition) => transition.actions.length > 0) ? 'noted' : 'ignored';
}

/** `null` when a guard throws: the actor is about to fail at this message, and the recorder must not fail before it. */
function transitionsOf(snapshot: AnyMachineSnapshot, message: Message) {
  try {
    return snapshot.machine.getTransitionData(snapshot as never, message as never);
  } catch {
    return null;
  }
}

/** What an actor did with a message. */
export interface Step {
  readonly before: string;
  readonly after: string;
  readonly verdict: TraceStep['verdict'];
  readonly letter: Letter;
  readonly commands: readonly string[];
}

export function stepOf({ before, after, verdict, letter, commands }: Step): TraceStep {
  const hasEffect = verdict === 'moved' || verdict === 'noted';
  const edges = hasEffect ? [`${before}|${letter.message.type}`] : [];
  return { before, after, edges, verdict, reason: REASONS[verdict], commands };
}

/** A message that was handled. */
export interface Handled {
  readonly seq: number;
  readonly t: number;
  readonly at: string;
  readonly letter: Letter;
  readonly step: TraceStep | null;
  /** There was nobody to deliver it to. */
  readonly isDropped: boolean;
  readonly participant: string;
}

/** The line that a recording has of it; `zeroMs` is what the deadline scale showed when the recording began. */
export function traceLine(handled: Handled, zeroMs: number): TraceLine {
  const { seq, t, at, letter, step, participant } = handled;
  const message = letter.message as Fields;
  const world = worldOf(letter, at, zeroMs);
  return {
    v: 1,
    seq,
    t,
    at,
    from: letter.from,
    to: letter.to,
    kind: kindOf(letter),
    event: message.type,
    session: message.session?.id ?? message.sessionId ?? message.entry?.sessionId ?? null,
    token: (message.session?.fencingToken ?? message.entry?.fencingToken)?.toString() ?? null,
    attempt: message.attempt ?? null,
    ...(message.version === undefined ? {} : { version: message.version.toString() }),
    cause: letter.cause,
    delivery: deliveryOf(message.type, handled),
    detail: detailOf(message),
    ...(step === null ? {} : { step }),
    ...(world === null ? {} : { world }),
    ...(message.type === 'finding' ? { finding: ['warning', message.code ?? '', message.detail ?? ''] as const } : {}),
    participant,
  };
}

const REASONS: Record<TraceStep['verdict'], string> = {
  moved: 'the state has changed',
  noted: 'remembered or answered; the state stays',
  ignored: 'declared as meaningless in this state',
  stale: 'belongs to an older session, attempt or timer',
  undeclared: 'no state declares it: a fault',
};

function kindOf({ from, to, message }: Letter): TraceLine['kind'] {
  if (message.type === 'timer.elapsed') return 'timer';
  if (from === 'store') return message.type === 'register.observed' ? 'event' : 'answer';
  if (to === 'store' || to === 'clock' || to === 'register' || to === 'driver') return 'command';
  if (/^(publish|withdraw|confirm|step-down)\./.test(message.type)) return 'answer';
  return to.startsWith('contender:') ? 'command' : 'event';
}

function deliveryOf(type: string, { step, isDropped }: Handled): TraceLine['delivery'] {
  if (isDropped) return 'dropped';
  if (type.endsWith('.unknown')) return 'unknown';
  return step?.verdict === 'stale' ? 'late' : 'delivered';
}

function detailOf(message: Fields): string {
  if (message.type === 'register.changed' || message.type === 'register.publish') {
    return message.entry === null || message.entry === undefined ? 'no entry' : message.entry.address;
  }
  if (message.reachable !== undefined) return message.reachable.address;
  if (message.puts !== undefined) return writeText(message.puts, message.withdrawals ?? new Map());
  return message.detail ?? message.reason ?? message.outcome ?? message.id ?? '';
}

function writeText(puts: ReadonlyMap<string, LeaderInformation>, withdrawals: ReadonlyMap<string, string>): string {
  const parts = [
    ...[...puts].map(([component, entry]) => `${component}=${entry.address}`),
    ...[...withdrawals.keys()].map((component) => `withdraws ${component}`),
  ];
  // Thousands of components may join one write; a line is for people.
  return parts.length > 8 ? `${parts.slice(0, 8).join(' ')} and ${parts.length - 8} more` : parts.join(' ');
}

/** `sentAt` is on the scale of `t`: what the deadline scale showed when the recording began is its zero. */
function worldOf({ message, from }: Letter, at: string, zeroMs: number): TraceWorld | null {
  const fields = message as Fields;
  if (from !== 'store') return null;
  if (fields.record !== undefined) {
    const { record } = fields;
    if (record === null) return { lease: { holder: null, status: 'absent' } };
    return {
      lease: {
        holder: record.holder,
        session: record.sessionId,
        version: record.version.toString(),
        status: record.holder === '' ? 'released' : 'held',
        ...(fields.sentAtMs === undefined ? {} : { sentAt: fields.sentAtMs - zeroMs }),
        ...(fields.session === undefined ? {} : { token: fields.session.fencingToken.toString() }),
      },
    };
  }
  if (fields.changed === undefined) return null;
  const entries = [...fields.changed].map(([component, entry]) => [
    component,
    entry === null
      ? null
      : {
          sessionId: entry.sessionId,
          fencingToken: entry.fencingToken.toString(),
          address: entry.address,
          writtenAt: at,
        },
  ]);
  const fence = fields.fence ?? null;
  return {
    register: {
      version: (fields.version ?? 0n).toString(),
      fence: fence === null ? null : { fencingToken: fence.fencingToken.toString(), sessionId: fence.sessionId },
      entries: Object.fromEntries(entries),
    },
  };
}
