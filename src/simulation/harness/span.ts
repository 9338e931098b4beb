import { InvalidOptionsError } from '../../errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * A span of time: milliseconds, or a text with a unit.
 * @throws InvalidOptionsError when it is neither, or below 0.
 */
export function spanMs(span: number | string): number {
  const match = typeof span === 'string' ? /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(span.trim()) : null;
  const ms =
    typeof span === 'number' ? span : Number(match?.[1] ?? Number.NaN) * (UNIT_MS[match?.[2] ?? ''] ?? Number.NaN);
  if (Number.isFinite(ms) && ms >= 0) return ms;
  const rule = 'must be milliseconds, 0 or more, or a text with a unit, such as 10s or 500ms';
  throw new InvalidOptionsError([{ field: 'advance', received: span, rule }]);
}
