import { ERROR_CATALOGUE } from '../../src/errors.ts';
import type { Offence, Rule } from './rule.ts';
import type { Tree } from './tree.ts';

interface Section {
  /** Line of the heading, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** The text under a `## title`, to the next heading of the same or a higher level. */
export function sectionOf(markdown: string, title: string): Section | null {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.trim() === `## ${title}`);
  if (start < 0) return null;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => /^##? /.test(line));
  return { line: start + 1, lines: end < 0 ? rest : rest.slice(0, end) };
}

function missing(title: string): readonly Offence[] {
  return [{ file: 'README.md', line: 0, fix: `write the section "## ${title}"` }];
}

function checkErrors(tree: Tree): readonly Offence[] {
  const section = sectionOf(tree.get('README.md') ?? '', 'Errors');
  if (section === null) return missing('Errors');
  const listed = section.lines.flatMap((line) => /^\|\s*`([^`]+)`/.exec(line)?.[1] ?? []);
  const codes = Object.keys(ERROR_CATALOGUE);
  const offence = (fix: string): Offence => ({ file: 'README.md', line: section.line, fix });
  return [
    ...codes.filter((code) => !listed.includes(code)).map((code) => offence(`add a row for \`${code}\``)),
    ...listed.filter((code) => !codes.includes(code)).map((code) => offence(`take away \`${code}\`: no such code`)),
    ...listed.filter((code, at) => listed.indexOf(code) !== at).map((code) => offence(`list \`${code}\` once`)),
  ];
}

/** List items, table rows and paragraphs; an opening sentence that ends in a colon only introduces them. */
function statementsOf(section: Section): readonly { readonly text: string; readonly line: number }[] {
  const statements: { text: string; line: number }[] = [];
  section.lines.forEach((raw, at) => {
    const text = raw.trim();
    const line = section.line + at + 1;
    const last = statements.at(-1);
    const goesOn = at > 0 && section.lines[at - 1]?.trim() !== '' && !/^(?:[-*|]|\d+\.|###)/.test(text);
    if (text === '' || /^\|[\s:|-]+\|$/.test(text)) return;
    if (goesOn && last !== undefined) last.text += ` ${text}`;
    else statements.push({ text, line });
  });
  const rows = statements.filter((one) => one.text.startsWith('|'));
  return statements.filter((one) => one !== rows[0] && !one.text.startsWith('###') && !one.text.endsWith(':'));
}

function checkGuarantees(tree: Tree): readonly Offence[] {
  const section = sectionOf(tree.get('README.md') ?? '', 'What is guaranteed');
  if (section === null) return missing('What is guaranteed');
  return statementsOf(section).flatMap(({ text, line }) => {
    const named = [...text.matchAll(/\btest\/[\w./*-]*\w/g)].map((match) => match[0]);
    const at = { file: 'README.md', line };
    if (named.length === 0) return [{ ...at, fix: 'name the test that holds this sentence, as test/…' }];
    return named
      .filter((path) => !tree.has(path))
      .map((path) => ({ ...at, fix: `${path} does not exist: name the test that holds it` }));
  });
}

/** Flags that the README shows on `tenure` command lines; what stands behind ` -- ` belongs to the child. */
function checkFlags(tree: Tree): readonly Offence[] {
  const commands = [...tree].filter(([file]) => /^src\/cli\/.*\.ts$/.test(file)).map(([, text]) => text);
  if (commands.length === 0) return [];
  const known = commands.join('\n');
  return [...tree]
    .filter(([file]) => file === 'README.md' || file === 'src/cli/README.md')
    .flatMap(([file, text]) =>
      text.split('\n').flatMap((content, at) => {
        const command = /\btenure [a-z-]+.*/.exec(content)?.[0].split(' -- ')[0] ?? '';
        const flags = [...command.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g)].map((match) => match[1] ?? '');
        return flags
          .filter((flag) => !new RegExp(`['"\`]?(?:--)?\\b${flag}\\b`).test(known))
          .map((flag) => ({ file, line: at + 1, fix: `--${flag} is no flag of src/cli: correct the command` }));
      }),
    );
}

function checkStories(tree: Tree): readonly Offence[] {
  const stories = [...tree.keys()].filter((file) => /^test\/scenarios\/.*\.txt$/.test(file));
  const runners = [...tree]
    .filter(([file]) => /^test\/scenarios\/.*\.test\.ts$/.test(file))
    .map(([, text]) => text)
    .join('\n');
  if (/\b(?:readdir|readdirSync|globSync|glob)\b/.test(runners)) return [];
  return stories
    .filter((file) => !runners.includes(file.slice(file.lastIndexOf('/') + 1)))
    .map((file) => ({ file, line: 0, fix: 'no test in test/scenarios runs this story: list the folder there' }));
}

export const documentRules: readonly Rule[] = [
  { name: 'README lists exactly the error codes', check: checkErrors },
  { name: 'each guarantee names a test that exists', check: checkGuarantees },
  { name: 'documented flags exist', check: checkFlags },
  { name: 'each story is run', check: checkStories },
];
