import { recordingFileText } from '../harness/recording-file.ts';
import type { RecordedPart } from '../harness/replay.ts';
import { type WalkFile, walkFileText } from '../harness/walk-file.ts';
import { EXAMPLE_CONTENDER } from './example.ts';

export interface TestFile {
  readonly name: string;
  readonly text: string;
}

/** What the generated files import, and by which names. */
export interface Imports {
  /** Module specifier of `tenure/testing`. */
  readonly testing: string;
  /** The user's contender; `null` for the example that is written beside the test. */
  readonly contender: { readonly specifier: string; readonly name: string } | null;
}

export const EXAMPLE_FILE = 'example-contender.mjs';

export function walkFiles(file: WalkFile, imports: Imports): readonly TestFile[] {
  return [
    { name: 'leadership.test.mjs', text: walkTest(imports) },
    { name: 'leadership.walks.json', text: walkFileText(file) },
    ...exampleOf(imports),
  ];
}

/** `name` tells several recordings in one folder apart. */
export function recordingFiles(parts: readonly RecordedPart[], name: string, imports: Imports): readonly TestFile[] {
  return [
    { name: `${name}.recorded.test.mjs`, text: recordingTest(name, imports) },
    { name: `${name}.recorded.json`, text: recordingFileText(parts) },
    ...exampleOf(imports),
  ];
}

function exampleOf({ contender }: Imports): readonly TestFile[] {
  return contender === null ? [{ name: EXAMPLE_FILE, text: EXAMPLE_CONTENDER }] : [];
}

const HEAD =
  '// Written by `tenure generate-tests`. Yours from now on: nothing writes it again unless you say --force.';

function contenderImport({ contender }: Imports): string {
  if (contender === null) return `import { contender } from './${EXAMPLE_FILE}'; // ← put your own contender here`;
  const { specifier, name } = contender;
  const what = name === 'default' ? 'contender' : name === 'contender' ? '{ contender }' : `{ ${name} as contender }`;
  return `import ${what} from ${quoted(specifier)};`;
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const OPTIONS = `/** \`allow\` names rules that this contender may break on purpose; \`CONTENDER_RULES\` of tenure/testing lists them. */
const options = { timers: vi, allow: [] };`;

function walkTest(imports: Imports): string {
  return `${HEAD}
import { readFileSync } from 'node:fs';
import { readWalks, runWalk, WalkCoverage } from ${quoted(imports.testing)};
import { afterAll, describe, it, vi } from 'vitest';
${contenderImport(imports)}

${OPTIONS}

const file = readWalks(readFileSync(new URL('leadership.walks.json', import.meta.url), 'utf8'));
const coverage = new WalkCoverage(file);

for (const group of new Set(file.walks.map((walk) => walk.group))) {
  describe(group, () => {
    for (const walk of file.walks.filter((one) => one.group === group)) {
      it(walk.name, async ({ skip }) => {
        const result = await runWalk(contender, walk, options);
        coverage.add(walk, result);
        if (result.cutShort !== null) skip(result.cutShort);
      });
    }
  });
}

afterAll(() => console.info(coverage.text()));
`;
}

function recordingTest(name: string, imports: Imports): string {
  return `${HEAD}
import { readFileSync } from 'node:fs';
import { readRecording, replayRecording, runWalk, walkOf } from ${quoted(imports.testing)};
import { describe, it, vi } from 'vitest';
${contenderImport(imports)}

${OPTIONS}

const parts = readRecording(readFileSync(new URL(${quoted(`${encodeURIComponent(name)}.recorded.json`)}, import.meta.url), 'utf8'));

for (const part of parts) {
  describe(part.name, () => {
    it('the leadership answers every message as it did when it was recorded', () => replayRecording(part));

    it('the contender keeps its rules when it is led the same way', async ({ skip }) => {
      const { cutShort } = await runWalk(contender, walkOf(part), { ...options, onFailure: part.onFailure });
      if (cutShort !== null) skip(cutShort);
    });
  });
}
`;
}
