import { readFileSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { type Command, EXIT, type Invocation, type World } from './command.ts';
import { contenderOf } from './generate-tests/contender.ts';
import { count, type Plan, planRecording, planWalks, testingFrom } from './generate-tests/plan.ts';
import { writeAll } from './generate-tests/write-all.ts';
import type { Output } from './output.ts';
import type { Settings } from './settings/settings.ts';
import { columns } from './text/columns.ts';
import { GLYPHS } from './text/glyphs.ts';
import { visible } from './text/visible.ts';

export const generateTests: Command = {
  name: 'generate-tests',
  sentence: 'Write a Vitest file that leads your own contender through everything that leadership can do to it.',
  usage: 'tenure generate-tests --out DIR [OPTIONS]',
  examples: [
    ['tests that run as they are, with an example contender', 'tenure generate-tests --out test/leadership'],
    ['tests of your own contender', 'tenure generate-tests --out test/leadership --contender src/billing.mjs#lead'],
    [
      'a recording of production as a regression test',
      'tenure generate-tests --out test/leadership --from trace.jsonl',
    ],
  ],
  settings: ['contender', 'out', 'from', 'force'],
  exitCodes: [
    ['0', 'the files are written'],
    ['1', 'bad input, a recording that cannot be replayed, or a file that is there already; nothing is written'],
  ],
  run: runGenerateTests,
};

async function runGenerateTests({ settings, output, world }: Invocation): Promise<number> {
  const out = settings.text('out') ?? '';
  if (out === '' && !settings.isBad('out')) settings.complain('out', 'is required: the folder for the files');
  const folder = resolve(world.cwd, out);
  const contender = contenderOf(settings, world.cwd, folder);
  const from = settings.text('from');
  const trace = from === undefined ? null : readTrace(settings, resolve(world.cwd, from));
  settings.settle();
  const imports = { testing: testingFrom(folder), contender };
  const plan =
    from === undefined || trace === null
      ? await planWalks(imports)
      : await planRecording(settings, from, trace, imports);
  const outcome = writeAll(folder, plan.files, settings.on('force'));
  if ('blocked' in outcome) {
    settings.complain('out', `${outcome.blocked.join(', ')}: there already, and not the same; --force writes anew`);
  } else if ('failed' in outcome) settings.complain('out', `cannot be written (${outcome.failed})`);
  settings.settle();
  report(output, world, folder, out, plan);
  return EXIT.yes;
}

function readTrace(settings: Settings, file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    settings.complain('from', `cannot be read (${why})`);
    return null;
  }
}

function report(output: Output, world: World, folder: string, out: string, plan: Plan): void {
  const towards = relative(world.cwd, folder);
  const isOutside = towards.startsWith('..') || isAbsolute(towards);
  const next = isOutside ? `npx vitest run --root ${argument(out)}` : `npx vitest run ${argument(towards)}`.trimEnd();
  const files = plan.files.map(({ name }) => join(out, name));
  output.document({ files, ...plan.numbers, findings: plan.findings, next });
  output.answer(`${plan.files.length} files written to ${visible(out)}:`);
  const rows = plan.files.map(({ name, text }) => [
    { text: visible(name) },
    { text: `${count(text.split('\n').length - 1)} lines` },
  ]);
  for (const line of columns(rows, { screen: null, indent: 2 })) output.answer(line);
  for (const line of plan.lines) output.answer(line);
  for (const finding of plan.findings) output.answer(`${output.paint('pending', GLYPHS.finding)} ${finding}`);
  if (plan.usesExample) {
    output.talk('the test runs an example contender; put your own into its import, or say --contender');
  }
  output.answer(`Next: ${visible(next)}`);
}

/** As a shell takes it for one word. */
function argument(path: string): string {
  return /^[\w./@:-]*$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
