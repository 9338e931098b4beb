import { parseDuration } from '../text/durations.ts';
import { nearest } from '../text/near-miss.ts';
import { flagOf, type SettingName, setting } from './definitions.ts';
import type { Given } from './given.ts';
import { type Problem, received, SettingsError } from './problems.ts';

type Value = string | number | boolean;

const TRUE = ['true', '1', 'yes', 'on'];
const FALSE = ['false', '0', 'no', 'off'];

/** The settings of one invocation. Problems are collected until `settle`, so that all of them are told at once. */
export class Settings {
  readonly #given = new Map<SettingName, Given[]>();
  readonly #values = new Map<SettingName, Value[]>();
  readonly #bad = new Set<SettingName>();
  readonly #problems: Problem[];

  /** `sources` in falling order of precedence; the first that knows a setting decides it. */
  constructor(sources: readonly (readonly Given[])[], problems: readonly Problem[]) {
    this.#problems = [...problems];
    for (const source of sources) {
      const decided = new Set(this.#given.keys());
      for (const given of source.filter((candidate) => !decided.has(candidate.name))) {
        const earlier = setting(given.name).repeatable === true ? (this.#given.get(given.name) ?? []) : [];
        this.#given.set(given.name, [...earlier, given]);
      }
    }
    for (const [name, given] of this.#given) this.#parse(name, given);
  }

  text(name: SettingName): string | undefined {
    const value = this.#values.get(name)?.at(-1);
    return typeof value === 'string' ? value : undefined;
  }

  all(name: SettingName): readonly string[] {
    return (this.#values.get(name) ?? []).map(String);
  }

  ms(name: SettingName): number | undefined {
    const value = this.#values.get(name)?.at(-1);
    return typeof value === 'number' ? value : undefined;
  }

  count(name: SettingName): number | undefined {
    return this.ms(name);
  }

  on(name: SettingName): boolean {
    return this.#values.get(name)?.at(-1) === true;
  }

  /** True when a value was given and cannot be used; its own problem is already noted. */
  isBad(name: SettingName): boolean {
    return this.#bad.has(name);
  }

  isGiven(name: SettingName): boolean {
    return this.#given.has(name);
  }

  /** Notes that a setting breaks a rule. `fallback` is shown as received when nobody gave the setting. */
  complain(name: SettingName, rule: string, fallback = '(not given)'): void {
    const given = this.#given.get(name)?.at(-1);
    this.#bad.add(name);
    this.#problems.push({
      where: given?.where ?? flagOf(name),
      received: given === undefined ? fallback : received(given.raw),
      rule,
      kind: 'value',
      name,
    });
  }

  note(problem: Problem): void {
    this.#problems.push(problem);
  }

  /** @throws SettingsError when anything is wrong. */
  settle(): void {
    if (this.#problems.length > 0) throw new SettingsError(this.#problems);
  }

  #parse(name: SettingName, all: readonly Given[]): void {
    for (const given of all) {
      const parsed = parseValue(name, given);
      if ('value' in parsed) this.#values.set(name, [...(this.#values.get(name) ?? []), parsed.value]);
      else this.complain(name, parsed.rule);
    }
  }
}

function parseValue(name: SettingName, given: Given): { readonly value: Value } | { readonly rule: string } {
  const { kind, choices = [] } = setting(name);
  if (kind === 'switch') {
    const word = given.raw.toLowerCase();
    if (TRUE.includes(word)) return { value: true };
    return FALSE.includes(word) ? { value: false } : { rule: 'must be true or false' };
  }
  if (kind === 'duration') {
    const parsed = parseDuration(given.raw);
    return 'ms' in parsed ? { value: parsed.ms } : parsed;
  }
  if (kind === 'count') return parseCount(given.raw, setting(name).range);
  if (given.kind !== 'text') return { rule: 'must be text in quotes' };
  if (kind === 'text' || choices.includes(given.raw)) return { value: given.raw };
  const near = nearest(given.raw, choices);
  const rule = `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  return { rule: near === null ? rule : `${rule}; did you mean ${near}?` };
}

function parseCount(
  raw: string,
  [least, most] = [0, Number.MAX_SAFE_INTEGER] as readonly [number, number],
): { readonly value: number } | { readonly rule: string } {
  const value = /^\d+$/.test(raw) ? Number(raw) : Number.NaN;
  if (value >= least && value <= most) return { value };
  return { rule: `must be a whole number from ${least} to ${most}` };
}
