import { type ErrorCode, TenureError } from '../../errors.ts';
import { columns } from '../text/columns.ts';
import { shorten } from '../text/shorten.ts';
import { visible } from '../text/visible.ts';
import { SETTING_NAMES, type SettingName } from './definitions.ts';

/** One thing that is wrong with what the user wrote: where it stands, what was received, which rule it breaks. */
export interface Problem {
  readonly where: string;
  readonly received: string;
  readonly rule: string;
  /** `form`: it cannot be understood. `value`: it can, and breaks a rule. */
  readonly kind: 'form' | 'value';
  /** The setting concerned; problems are told in the order of the settings. */
  readonly name?: SettingName;
}

const LONGEST_VALUE = 40;
const COUNTS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** Everything that is wrong, at once; nothing was started. */
export class SettingsError extends TenureError {
  override readonly name = 'SettingsError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const code: ErrorCode = problems.some((problem) => problem.kind === 'form')
      ? 'invalid-command-line'
      : 'invalid-options';
    super(code, headline(problems), { next: 'Nothing was started.' });
    this.problems = problems.toSorted((a, b) => place(a) - place(b));
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof TenureError && 'problems' in (value as object);
  }
}

function place({ name }: Problem): number {
  return name === undefined ? -1 : SETTING_NAMES.indexOf(name);
}

function headline(problems: readonly Problem[]): string {
  const count = COUNTS[problems.length] ?? String(problems.length);
  const many = problems.length > 1;
  const forms = problems.filter((problem) => problem.kind === 'form').length;
  if (forms === 0) return many ? `${count} settings cannot work together or alone:` : 'one setting cannot work:';
  const rest = forms === problems.length ? '' : ' or cannot work';
  return `${count} ${many ? 'things' : 'thing'} cannot be understood${rest}:`;
}

export function problemLines(problems: readonly Problem[]): string[] {
  const rows = problems.map(({ where, received, rule }) => [{ text: where }, { text: received }, { text: rule }]);
  return columns(rows, { screen: null, indent: 2 });
}

/** A value as the user wrote it: quoted only where its edges could not be seen otherwise. */
export function received(value: string): string {
  const shown = shorten(visible(value), LONGEST_VALUE);
  return value === '' || /\s/.test(value) ? `"${shown}"` : shown;
}
