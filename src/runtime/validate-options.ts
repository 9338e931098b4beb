import { InvalidOptionsError, type Violation } from '../errors.ts';
import type { TenureOptions } from './api.ts';
import { resolveTiming, type Timing, timingViolations } from './timing.ts';

const ELECTION_RULE = "must be 1 to 200 of a-z, 0-9, '-', '.', starting with a letter or digit";
const ELECTION = /^[a-z0-9][a-z0-9.-]{0,199}$/;

/** `*` addresses all components and `.`, `..` are not usable as a node of a path, so none of them can name one. */
const COMPONENT_RULE =
  "must be 1 to 200 printable characters, without '/', without white space at either end, and not '*', '.' or '..'";
const PARTICIPANT_RULE = 'must be 1 to 200 printable characters without white space at either end';

/** Control, format (zero width, bidi) and surrogate characters, and line separators: names must look like what they are. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** The rule that the name of an election breaks; null when it is valid. The same shape holds for the other rules. */
export function electionRule(value: unknown): string | null {
  return typeof value === 'string' && ELECTION.test(value) ? null : ELECTION_RULE;
}

export function componentRule(value: unknown): string | null {
  const named = isPrintableName(value) && !value.includes('/') && !['*', '.', '..'].includes(value);
  return named ? null : COMPONENT_RULE;
}

export function participantRule(value: unknown): string | null {
  return isPrintableName(value) ? null : PARTICIPANT_RULE;
}

function isPrintableName(value: unknown): value is string {
  if (typeof value !== 'string' || value !== value.trim() || UNPRINTABLE.test(value)) return false;
  const length = [...value].length;
  return length >= 1 && length <= 200;
}

/** @throws InvalidOptionsError for a name that `lead` and `follow` cannot take. */
export function assertComponentName(value: unknown): asserts value is string {
  const rule = componentRule(value);
  if (rule !== null) throw new InvalidOptionsError([{ field: 'component', received: value, rule }]);
}

/** Answers the resolved timing. @throws InvalidOptionsError with every violation at once. */
export function validateOptions(options: TenureOptions): Timing {
  const violations = optionViolations(options);
  if (violations.length > 0) throw new InvalidOptionsError(violations);
  return resolveTiming(options.timing);
}

type Rule = (value: unknown) => string | null;

const optional =
  (rule: Rule): Rule =>
  (value) =>
    value === undefined ? null : rule(value);

const objectWith = (methods: readonly string[], what: string): Rule => {
  const rule = `must be ${what}, an object with ${methods.map((method) => `${method}()`).join(', ')}`;
  return (value) => (isObject(value) && methods.every((method) => typeof value[method] === 'function') ? null : rule);
};

const RULES: Readonly<Record<keyof TenureOptions, Rule>> = {
  election: electionRule,
  backend: (value) => {
    if (value === 'sqlite' || value === 'memory') return null;
    const named = isObject(value) && typeof value.name === 'string' && typeof value.open === 'function';
    return named ? null : "must be a backend such as sqlite({ file }), or one of the names 'sqlite', 'memory'";
  },
  name: optional(participantRule),
  timing: optional((value) => (isObject(value) ? null : 'must be an object of durations in milliseconds')),
  trace: optional(objectWith(['record'], 'a trace sink')),
  onFinding: optional((value) => (typeof value === 'function' ? null : 'must be a function')),
  signal: optional((value) => (value instanceof AbortSignal ? null : 'must be an AbortSignal')),
  clock: optional(objectWith(['nowMs', 'deadlineNowMs', 'isoNow', 'setTimer'], 'a clock')),
  random: optional(objectWith(['uuid', 'next'], 'a source of randomness')),
};

/** Every violation of the whole set, in the order of the options; empty when all rules hold. */
export function optionViolations(options: unknown): Violation[] {
  if (!isObject(options)) return [{ field: 'options', received: options, rule: 'must be an object' }];
  const violations: Violation[] = [];
  for (const [field, rule] of Object.entries(RULES)) {
    const broken = rule(options[field]);
    if (broken !== null) violations.push({ field, received: options[field], rule: broken });
  }
  for (const field of Object.keys(options)) {
    if (Object.hasOwn(RULES, field)) continue;
    const rule = `is not an option; known are ${Object.keys(RULES).join(', ')}`;
    violations.push({ field, received: options[field], rule });
  }
  const timing = isObject(options.timing) ? timingViolations(options.timing) : [];
  return [...violations, ...timing.map((violation) => ({ ...violation, field: `timing.${violation.field}` }))];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
