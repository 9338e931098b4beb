import { LONGEST_MS } from '../../runtime/timing.ts';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

export type ParsedDuration = { readonly ms: number } | { readonly rule: string };

/** `15s`, `1500ms`, `2m`, `1h`, `1.5s`. A bare number is an error that says so. */
export function parseDuration(text: string): ParsedDuration {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return { rule: 'must be a duration such as 15s, 1500ms or 2m' };
  const [, amount = '', unit = ''] = match;
  if (unit === '') return { rule: `needs a unit: ${amount}s or ${amount}ms` };
  const factor = UNITS[unit];
  if (factor === undefined) return { rule: `has an unknown unit '${unit}'; known are ms, s, m, h` };
  const ms = Math.round(Number(amount) * factor);
  if (ms <= 0) return { rule: 'must be longer than 0' };
  if (ms > LONGEST_MS) return { rule: `must be at most ${LONGEST_MS}ms (24.8 days)` };
  return { ms };
}

/** A span for people: `22 ms`, `2.1 s`, `41 s`, `12 min 5 s`, `3 h 12 min`, `5 d 3 h`. */
export function span(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${whole} ms`;
  if (whole < 9_950) return `${(whole / 1_000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1_000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return pair(seconds, 60, 'min', 1, 's');
  const minutes = Math.round(whole / 60_000);
  if (minutes < 1_440) return pair(minutes, 60, 'h', 1, 'min');
  return pair(Math.round(whole / 3_600_000), 24, 'd', 1, 'h');
}

function pair(count: number, size: number, large: string, step: number, small: string): string {
  const rest = Math.floor((count % size) / step);
  const head = `${Math.floor(count / size)} ${large}`;
  return rest === 0 ? head : `${head} ${rest} ${small}`;
}

/** A span with a fixed tenth of a second, for countdowns: `3.0 s`. */
export function tenths(ms: number): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`;
}

/** Milliseconds since a start as a column: `0.412 s`. */
export function sinceStart(ms: number): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(3)} s`;
}
