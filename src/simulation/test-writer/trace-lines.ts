import type { RevokeReason } from '../../../machines/vocabulary.ts';
import { describe } from '../../errors.ts';
import type { TraceLine } from '../../ports/trace.ts';

/** A line that cannot be used: its number, from 1, and the rule that it breaks. */
export interface LineProblem {
  readonly line: number;
  readonly rule: string;
}

export interface NumberedLine extends TraceLine {
  readonly line: number;
}

const REASONS: Readonly<Record<RevokeReason, true>> = {
  lost: true,
  deadline: true,
  fenced: true,
  'stepped-down': true,
  superseded: true,
  closing: true,
  resigned: true,
  failed: true,
};

const VERDICTS = ['moved', 'noted', 'ignored', 'stale', 'undeclared'];

/** Trace lines with their numbers, and everything that is wrong with the others. */
export function parseTrace(text: string): {
  readonly lines: readonly NumberedLine[];
  readonly problems: readonly LineProblem[];
} {
  const lines: NumberedLine[] = [];
  const problems: LineProblem[] = [];
  text.split('\n').forEach((content, at) => {
    if (content.trim() === '') return;
    const line = at + 1;
    const parsed = parseLine(content);
    if (typeof parsed === 'string') problems.push({ line, rule: parsed });
    else lines.push({ ...parsed, line });
  });
  if (lines.length === 0 && problems.length === 0)
    problems.push({ line: 1, rule: 'must be a trace line; the file is empty' });
  return { lines, problems };
}

function parseLine(content: string): TraceLine | string {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    return 'must be one JSON object; it is cut off or no JSON';
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be one JSON object';
  const fields = value as Record<string, unknown>;
  if (fields.v !== 1) return `v must be 1, received ${describe(fields.v)}`;
  return (
    wrongKind(fields, ['from', 'to', 'event', 'detail'], (one) => typeof one === 'string', 'a text') ??
    wrongKind(fields, ['seq'], (one) => Number.isInteger(one), 'a whole number') ??
    wrongKind(fields, ['session', 'token'], (one) => one === null || typeof one === 'string', 'a text or null') ??
    wrongKind(fields, ['attempt', 'cause'], (one) => one === null || Number.isInteger(one), 'a whole number or null') ??
    wrongDetail(fields) ??
    wrongStep(fields) ??
    wrongWorld(fields) ??
    (value as TraceLine)
  );
}

function wrongKind(
  fields: Record<string, unknown>,
  names: readonly string[],
  isRight: (value: unknown) => boolean,
  kind: string,
): string | null {
  const wrong = names.find((name) => !isRight(fields[name]));
  return wrong === undefined ? null : `${wrong} must be ${kind}, received ${describe(fields[wrong])}`;
}

/** What a leadership is told by the detail of a line has to be one of its own words. */
function wrongDetail({ to, event, detail, participant }: Record<string, unknown>): string | null {
  if (participant !== undefined && typeof participant !== 'string') {
    return `participant must be a text, received ${describe(participant)}`;
  }
  if (!String(to).startsWith('leadership:')) return null;
  if (event === 'revoked' && !Object.hasOwn(REASONS, String(detail))) {
    return `detail of a revoke must be one of ${Object.keys(REASONS).join(', ')}, received ${describe(detail)}`;
  }
  if (event === 'timer.elapsed' && !/^\S+$/.test(String(detail))) {
    return `detail must be the id of the timer, received ${describe(detail)}`;
  }
  return null;
}

function wrongWorld({ world }: Record<string, unknown>): string | null {
  if (world === undefined) return null;
  if (typeof world !== 'object' || world === null) return `world must be an object, received ${describe(world)}`;
  const { register } = world as Record<string, unknown>;
  if (register === undefined) return null;
  const { version, entries } = (register ?? {}) as Record<string, unknown>;
  const isWhole = typeof version === 'string' && typeof entries === 'object' && entries !== null;
  return isWhole ? null : 'world.register must have a version as text, and entries';
}

function wrongStep({ token, step, version }: Record<string, unknown>): string | null {
  if (typeof token === 'string' && !/^\d+$/.test(token))
    return `token must be a number as text, received ${describe(token)}`;
  if (version !== undefined && !(typeof version === 'string' && /^-?\d+$/.test(version))) {
    return `version must be a number as text, received ${describe(version)}`;
  }
  if (step === undefined) return null;
  if (typeof step !== 'object' || step === null) return `step must be an object, received ${describe(step)}`;
  const { before, after, verdict, commands } = step as Record<string, unknown>;
  if (!Array.isArray(commands)) return `step.commands must be a list, received ${describe(commands)}`;
  if (typeof before !== 'string' || typeof after !== 'string') return 'step.before and step.after must be texts';
  if (!VERDICTS.includes(verdict as string))
    return `step.verdict must be one of ${VERDICTS.join(', ')}, received ${describe(verdict)}`;
  return null;
}
