import { type LeadershipEvent, leadershipEvents } from '../../../machines/leadership-messages.ts';
import type { LeaderInformation, RevokeReason } from '../../../machines/vocabulary.ts';

/** An entry as a change event shows it: the contender's own, none, or somebody else's. */
export type StepEntry = 'own' | null | { readonly session: string; readonly token: string; readonly address: string };

/** One message that reaches the leadership. Which of the fields are there depends on the event. */
export interface WalkStep {
  readonly event: LeadershipEvent['type'];
  readonly session?: string;
  /** Fencing token as text. */
  readonly token?: string;
  readonly reason?: RevokeReason;
  /** Of the register. */
  readonly version?: number;
  readonly entry?: StepEntry;
  readonly attempt?: number;
  readonly timer?: string;
  /** What the contender confirms, beside what it confirmed before in this session. */
  readonly address?: 'first' | 'same' | 'other';
  readonly outcome?: 'returned' | 'failed';
  /** Where the leadership is after the step. */
  readonly state: string;
}

const ADDRESSES = ['first', 'same', 'other'] as const;
const OUTCOMES = ['returned', 'failed'] as const;

/** `granted session=s1 token=1000 → grant-pending` */
export function stepText({ event, state, entry, ...fields }: WalkStep): string {
  const words = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  if (entry !== undefined) words.push(`entry=${entryText(entry)}`);
  return `${[event, ...words].join(' ')} → ${state}`;
}

function entryText(entry: StepEntry): string {
  if (entry === null) return 'none';
  return entry === 'own' ? 'own' : `${entry.session}@${entry.token}@${encodeURIComponent(entry.address)}`;
}

/** @throws Error when the text is no step. */
export function parseStep(text: string): WalkStep {
  const [said = '', state = ''] = text.split(' → ');
  const [event = '', ...words] = said.split(' ');
  if (!(leadershipEvents as readonly string[]).includes(event) || state === '') throw new Error(`not a step: ${text}`);
  const { entry, version, attempt, address, outcome, reason, ...texts } = Object.fromEntries(
    words.map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  );
  return {
    event: event as WalkStep['event'],
    ...texts,
    ...(reason === undefined ? {} : { reason: reason as RevokeReason }),
    ...(version === undefined ? {} : { version: Number(version) }),
    ...(attempt === undefined ? {} : { attempt: Number(attempt) }),
    ...(entry === undefined ? {} : { entry: parseEntry(entry) }),
    ...(address === undefined ? {} : { address: oneOf(ADDRESSES, address) }),
    ...(outcome === undefined ? {} : { outcome: oneOf(OUTCOMES, outcome) }),
    state,
  };
}

function parseEntry(text: string): StepEntry {
  if (text === 'own' || text === 'none') return text === 'own' ? 'own' : null;
  const [session = '', token = '', address = ''] = text.split('@');
  return { session, token, address: decodeURIComponent(address) };
}

function oneOf<const T extends string>(words: readonly T[], text: string): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw new Error(`${text} is none of ${words.join(', ')}`);
  return found;
}

/** A way through the leadership, step by step. */
export interface Walk {
  readonly name: string;
  /** What the leadership is at when it becomes interesting. */
  readonly group: string;
  /** What the contender has to do by itself for this walk; empty when any contender can be led along it. */
  readonly needs: readonly string[];
  readonly steps: readonly WalkStep[];
}

/** What the contender says by itself: it is awaited, not sent. */
export function isContenderStep({ event }: WalkStep): boolean {
  return event.startsWith('contender.');
}

/** From whom such a message comes. */
export function senderOf({ event }: WalkStep): string {
  if (/^(?:publish|withdraw)\./.test(event)) return 'register';
  if (event === 'timer.elapsed') return 'clock';
  return event === 'close' ? 'tenure' : 'election';
}

/** The message of a step that is not the contender's. */
export function messageOf(step: WalkStep, own: LeaderInformation | null): LeadershipEvent {
  const { event: type, session: sessionId = '', token = '0', reason = 'lost', attempt = 0 } = step;
  const version = BigInt(step.version ?? 0);
  if (type === 'granted') return { type, session: { id: sessionId, fencingToken: BigInt(token) } };
  if (type === 'revoked') return { type, sessionId, reason };
  if (type === 'suspended' || type === 'resumed') return { type, sessionId };
  if (type === 'register.changed') return { type, version, entry: entryOf(step.entry ?? null, own) };
  if (type === 'publish.committed') return { type, sessionId, attempt, version };
  if (type === 'timer.elapsed') return { type, id: step.timer ?? '', nowMs: 0 };
  if (type === 'close') return { type };
  return { type, sessionId, attempt } as LeadershipEvent;
}

function entryOf(entry: StepEntry, own: LeaderInformation | null): LeaderInformation | null {
  if (entry === 'own' || entry === null) return entry === null ? null : own;
  return { sessionId: entry.session, fencingToken: BigInt(entry.token), address: entry.address, metadata: {} };
}
