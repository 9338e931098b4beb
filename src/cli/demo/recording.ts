import { NS_PER_MS } from '../../drivers/system/monotonic.ts';
import type { TraceLine } from '../../ports/trace.ts';

/** A line as one participant recorded it, with the moment at which its own recording began. */
export interface RecordedLine {
  readonly participant: string;
  readonly originNs: bigint;
  readonly line: TraceLine;
}

/** Something that was done to a participant from outside. */
export interface Note {
  readonly ns: bigint;
  readonly at: string;
  readonly participant: string;
  readonly event: string;
}

type Unnumbered = Omit<TraceLine, 'seq'> & { readonly own: string; readonly causedBy: string };

const NOTHING = { session: null, token: null, attempt: null, cause: null, delivery: 'delivered' } as const;

/**
 * One recording of several participants: ordered by the clock that they share, numbered anew, causes follow. The first
 * line is the start with the whole world; the starts of the participants are dropped.
 */
export function mergeRecordings(
  recorded: readonly RecordedLine[],
  notes: readonly Note[],
  start: { readonly ns: bigint; readonly at: string },
): TraceLine[] {
  const lines = recorded.filter(({ line }) => line.kind !== 'start').map((one) => unnumbered(one, start.ns));
  const ordered = [...lines, ...notes.map((note) => noteLine(note, start.ns))].sort((a, b) => a.t - b.t);
  const numbers = new Map(ordered.map(({ own }, index) => [own, index + 2]));
  // The order of the keys is that of every other recording.
  const numbered = ordered.map(({ own: _, causedBy, v, t, at, ...line }, index) => {
    return { v, seq: index + 2, t, at, ...line, cause: numbers.get(causedBy) ?? null };
  });
  return [startLine(start.at), ...numbered];
}

function unnumbered({ participant, originNs, line }: RecordedLine, startNs: bigint): Unnumbered {
  const shift = (t: number) => rounded(Number(originNs - startNs) / NS_PER_MS + t);
  const { seq, cause, world, ...rest } = line;
  const moved = {
    ...rest,
    t: shift(line.t),
    participant,
    cause,
    own: `${participant}/${seq}`,
    causedBy: `${participant}/${cause}`,
  };
  if (world === undefined) return moved;
  const sentAt = world.lease?.sentAt;
  if (typeof sentAt !== 'number') return { ...moved, world };
  return { ...moved, world: { ...world, lease: { ...world.lease, sentAt: shift(sentAt) } } };
}

function noteLine({ ns, at, participant, event }: Note, startNs: bigint): Unnumbered {
  const t = rounded(Number(ns - startNs) / NS_PER_MS);
  const detail = `${participant}: ${event}`;
  const finding = ['note', 'demo', detail] as const;
  return {
    v: 1,
    ...NOTHING,
    t,
    at,
    from: 'demo',
    to: 'tenure',
    kind: 'event',
    event,
    detail,
    finding,
    participant,
    own: `demo/${ns}`,
    causedBy: '',
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

function startLine(at: string): TraceLine {
  const world = { lease: {}, register: { version: '0', fence: null, entries: {} } };
  const detail = 'three participants, one election, two components';
  return { v: 1, seq: 1, t: 0, at, ...NOTHING, from: 'demo', to: 'demo', kind: 'start', event: 'start', detail, world };
}
