import { InvalidOptionsError, type Violation } from '../../errors.ts';
import { timingViolations } from '../../runtime/timing.ts';
import { HAPPENINGS } from './actions.ts';
import type { Schedule } from './minimise.ts';

/** A schedule as text: everything that a run needs, so that it fails tomorrow as it does today. */
export function scheduleText({ parameters, actions }: Schedule): string {
  const lines = actions.map((action) => `    ${JSON.stringify(action)}`);
  return `{\n  "parameters": ${JSON.stringify(parameters)},\n  "actions": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** @throws InvalidOptionsError when the text is not a schedule; every violation at once. */
export function parseSchedule(text: string): Schedule {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    const rule = `must be JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw new InvalidOptionsError([{ field: 'schedule', received: text.slice(0, 40), rule }]);
  }
  const violations = violationsOf(read);
  if (violations.length > 0) throw new InvalidOptionsError(violations);
  return read as Schedule;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '');

function violationsOf(read: unknown): Violation[] {
  if (!isFields(read) || !isFields(read.parameters)) {
    return [{ field: 'parameters', received: read, rule: 'must be an object' }];
  }
  const { parameters, actions } = read;
  const violations: Violation[] = [];
  for (const field of ['participants', 'components']) {
    if (!isNames(parameters[field])) violations.push({ field, received: parameters[field], rule: 'must be names' });
  }
  for (const field of ['rates', 'following', 'happenings']) {
    if (!Array.isArray(parameters[field])) {
      violations.push({ field, received: parameters[field], rule: 'must be a list' });
    }
  }
  if (!isFields(parameters.latencyMs)) {
    violations.push({ field: 'latencyMs', received: parameters.latencyMs, rule: 'must have least and most' });
  }
  if (isFields(parameters.timing)) violations.push(...timingViolations(parameters.timing));
  else violations.push({ field: 'timing', received: parameters.timing, rule: 'must be an object' });
  if (!Array.isArray(actions)) violations.push({ field: 'actions', received: actions, rule: 'must be a list' });
  else violations.push(...actions.flatMap((action: unknown, at) => actionViolations(action, `actions[${at}]`)));
  return violations;
}

function actionViolations(action: unknown, field: string): Violation[] {
  const kinds: readonly string[] = [...HAPPENINGS, 'ask-step-down'];
  if (!isFields(action)) return [{ field, received: action, rule: 'must be an object' }];
  const violations: Violation[] = [];
  if (typeof action.do !== 'string' || !kinds.includes(action.do)) {
    violations.push({ field: `${field}.do`, received: action.do, rule: `must be one of ${kinds.join(', ')}` });
  }
  if (typeof action.atMs !== 'number' || !(action.atMs >= 0)) {
    violations.push({ field: `${field}.atMs`, received: action.atMs, rule: 'must be 0 or more' });
  }
  return violations;
}
