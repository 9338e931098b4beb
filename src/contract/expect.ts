import { AssertionError } from 'node:assert';
import { inspect, isDeepStrictEqual } from 'node:util';

/** Fails unless both are deeply equal, prototypes included. `what` names the thing that was compared. */
export function same(received: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(received, expected)) return;
  throw broken(what, expected, received);
}

/** Fails with `expected` put into words. */
export function fails(what: string, expected: string, received: unknown): never {
  throw broken(what, new Words(expected), received);
}

/** Compares only the fields that `expected` names. */
export function sameFields(received: object, expected: Readonly<Record<string, unknown>>, what: string): void {
  const fields = received as Readonly<Record<string, unknown>>;
  same(Object.fromEntries(Object.keys(expected).map((name) => [name, fields[name]])), expected, what);
}

/** For what has no single right value; `rule` completes "expected …". */
export function holds(condition: boolean, what: string, rule: string, received: unknown): asserts condition {
  if (!condition) throw broken(what, new Words(rule), received);
}

/** Each value above the one before it. */
export function grows(values: readonly bigint[], what: string): void {
  const isGrowing = values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0n));
  holds(isGrowing, what, 'each one above the one before it', values);
}

/** No value below one before it. */
export function neverGoesBack(values: readonly bigint[], what: string): void {
  const isOrdered = values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0n));
  holds(isOrdered, what, 'no one below the one before it', values);
}

/** Shown as it is, without quotes. */
class Words {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  [inspect.custom](): string {
    return this.#text;
  }
}

function broken(what: string, expected: unknown, received: unknown): AssertionError {
  return new AssertionError({ message: what, expected, actual: received, operator: 'law' });
}

/** The whole story of a broken law: which one, the port's rule, what was looked at, expected and received. */
export function lawBroken(law: { readonly name: string; readonly rule: string }, thrown: unknown): AssertionError {
  const lines = [`broken law: ${law.name}`, `  rule: ${law.rule}`];
  if (thrown instanceof AssertionError) {
    lines.push(`  looked at: ${thrown.message}`);
    lines.push(`  expected: ${shown(thrown.expected)}`, `  received: ${shown(thrown.actual)}`);
    const { expected, actual, operator } = thrown;
    return new AssertionError({ message: lines.join('\n'), expected, actual, operator });
  }
  lines.push(`  failed: ${thrown instanceof Error ? thrown.message : shown(thrown)}`);
  const error = new AssertionError({ message: lines.join('\n') });
  error.cause = thrown;
  return error;
}

function shown(value: unknown): string {
  return inspect(value, { depth: 4, breakLength: 110, maxArrayLength: 20, maxStringLength: 200 }).replace(
    /\n/g,
    '\n    ',
  );
}
