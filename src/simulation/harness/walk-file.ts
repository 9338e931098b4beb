import { describe, TenureError } from '../../errors.ts';
import type { WalkResult } from './run-walk.ts';
import { parseStep, stepText, type Walk } from './walk-steps.ts';

/** What `tenure generate-tests` writes beside the test. */
export interface WalkFile {
  readonly walks: readonly Walk[];
  /** Pairs of transitions that the walks take together; `led`: those for which a contender needs to do nothing unusual. */
  readonly pairs: { readonly all: number; readonly led: number };
}

export function walkFileText({ walks, pairs }: WalkFile): string {
  const text = walks.map(({ steps, ...rest }) => ({ ...rest, steps: steps.map(stepText) }));
  return `${JSON.stringify({ format: FORMAT, pairs, walks: text }, null, 1)}\n`;
}

const FORMAT = 'tenure walks 1';

/** @throws TenureError `invalid-options` when the text is not what `tenure generate-tests` writes. */
export function readWalks(text: string): WalkFile {
  try {
    const file = JSON.parse(text);
    if (file?.format !== FORMAT) throw new Error(`its format is ${describe(file?.format)}, not ${FORMAT}`);
    const walks = file.walks.map((walk: Omit<Walk, 'steps'> & { readonly steps: readonly string[] }) => ({
      ...walk,
      steps: walk.steps.map(parseStep),
    }));
    return { walks, pairs: file.pairs };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const next = 'Generate the tests again: tenure generate-tests --force.';
    throw new TenureError('invalid-options', `These are no walks of tenure generate-tests: ${why}.`, { next, cause });
  }
}

/** Counts which pairs of transitions a contender was led through. */
export class WalkCoverage {
  readonly #file: WalkFile;
  readonly #taken = new Set<string>();
  readonly #led = new Set<string>();
  readonly #cutShort = new Map<string, number>();

  constructor(file: WalkFile) {
    this.#file = file;
  }

  add({ needs }: Walk, { pairs, cutShort }: WalkResult): void {
    for (const pair of pairs) {
      this.#taken.add(pair);
      if (needs.length === 0) this.#led.add(pair);
    }
    if (cutShort === null) return;
    const [why = ''] = cutShort.split(':');
    this.#cutShort.set(why, (this.#cutShort.get(why) ?? 0) + 1);
  }

  /** Pairs taken: by all walks, and by those that any contender can be led along. */
  get taken(): { readonly all: number; readonly led: number } {
    return { all: this.#taken.size, led: this.#led.size };
  }

  /** How many pairs were taken, and why walks were cut short; nothing is left out silently. */
  text(): string {
    const { pairs } = this.#file;
    const { all, led } = this.taken;
    const lines = [`leadership: ${number(led)} of ${number(pairs.led)} pairs of transitions taken, and`];
    lines.push(`${number(all - led)} of ${number(pairs.all - pairs.led)} that take an unusual contender`);
    if (this.#cutShort.size > 0) lines.push('Walks cut short:');
    const reasons = [...this.#cutShort].sort((a, b) => b[1] - a[1]);
    return [
      lines.slice(0, 2).join(' '),
      ...lines.slice(2),
      ...reasons.map(([why, count]) => `  ${count} × ${why}`),
    ].join('\n');
  }
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
