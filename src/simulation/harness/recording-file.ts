import { describe, TenureError } from '../../errors.ts';
import type { RecordedPart, RecordedStep } from './replay.ts';
import { parseStep, stepText, type Walk } from './walk-steps.ts';

const FORMAT = 'tenure recording 1';

/** A recording as it stands beside its test: a line for each message. */
export function recordingFileText(parts: readonly RecordedPart[]): string {
  const text = parts.map(({ steps, ...rest }) => ({
    ...rest,
    steps: steps.map(({ line, verdict, says, isLast, confirms, ...step }) => ({
      line,
      step: stepText(step),
      verdict,
      says,
      ...(confirms === undefined ? {} : { confirms }),
      ...(isLast === undefined ? {} : { isLast }),
    })),
  }));
  return `${JSON.stringify({ format: FORMAT, parts: text }, null, 1)}\n`;
}

type StepText = Omit<RecordedStep, keyof ReturnType<typeof parseStep>> & { readonly step: string };

/** @throws TenureError `invalid-options` when the text is not what `tenure generate-tests --from` writes. */
export function readRecording(text: string): readonly RecordedPart[] {
  try {
    const file = JSON.parse(text);
    if (file?.format !== FORMAT) throw new Error(`its format is ${describe(file?.format)}, not ${FORMAT}`);
    return file.parts.map((part: Omit<RecordedPart, 'steps'> & { readonly steps: readonly StepText[] }) => ({
      ...part,
      steps: part.steps.map(({ step, ...rest }) => ({ ...rest, ...parseStep(step) })),
    }));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const next = 'Generate the tests again: tenure generate-tests --from … --force.';
    throw new TenureError('invalid-options', `This is no recording of tenure generate-tests: ${why}.`, { next, cause });
  }
}

/** The walk on which a contender is led through the same messages. */
export function walkOf({ name, steps }: RecordedPart): Walk {
  return { name, group: 'recorded', needs: [], steps };
}
