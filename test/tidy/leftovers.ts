import ts from 'typescript';
import type { Offence, Rule } from './rule.ts';
import { commentsOf, lineOf, parse, visit } from './syntax.ts';
import { type Tree, typescriptFiles } from './tree.ts';

// Written in two halves, so that this file does not find itself.
const REMARK = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`);
const SILENCER = /@ts-(ignore|nocheck|expect-error)(.*)/;

function checkRemarks(tree: Tree): readonly Offence[] {
  return [...tree].flatMap(([file, text]) => {
    const isCode = file.endsWith('.ts');
    const lines = isCode ? commentsOf(file, text) : text.split('\n').map((line, at) => ({ text: line, line: at + 1 }));
    const fix = 'do it now, or write what is known to be missing as a plain sentence where a reader looks for it';
    return lines.filter((one) => REMARK.test(one.text)).map((one) => ({ file, line: one.line, fix }));
  });
}

function checkTypes(tree: Tree): readonly Offence[] {
  return typescriptFiles(tree).flatMap(([file, text]) => {
    const offences: Offence[] = [];
    visit(parse(file, text), (node) => {
      if (node.kind !== ts.SyntaxKind.AnyKeyword) return;
      offences.push({ file, line: lineOf(node), fix: 'say what it is, or `unknown` and narrow it' });
    });
    for (const comment of commentsOf(file, text)) {
      const match = SILENCER.exec(comment.text);
      if (match === null || (match[1] === 'expect-error' && /\w{3}/.test(match[2] ?? ''))) continue;
      const fix = 'mend the type; where that is impossible, `@ts-expect-error` followed by the reason';
      offences.push({ file, line: comment.line, fix });
    }
    return offences;
  });
}

const RUNNERS = new Set(['it', 'test', 'describe', 'bench']);
const NEEDS_REASON = new Set(['skip', 'skipIf', 'runIf', 'todo', 'fails']);

function checkSwitchedOff(tree: Tree): readonly Offence[] {
  return typescriptFiles(tree).flatMap(([file, text]) => {
    const offences: Offence[] = [];
    const commented = new Set(commentsOf(file, text).map((comment) => comment.line));
    visit(parse(file, text), (node) => {
      if (!ts.isPropertyAccessExpression(node) || !startsAtRunner(node.expression)) return;
      const line = lineOf(node);
      if (node.name.text === 'only')
        offences.push({ file, line, fix: 'take away `.only`: the other tests do not run' });
      if (!NEEDS_REASON.has(node.name.text) || commented.has(line) || commented.has(line - 1)) return;
      offences.push({
        file,
        line,
        fix: `say in a comment beside it why \`.${node.name.text}\` is right, or take it away`,
      });
    });
    return offences;
  });
}

function startsAtRunner(node: ts.Node): boolean {
  if (ts.isIdentifier(node)) return RUNNERS.has(node.text);
  if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) return startsAtRunner(node.expression);
  return false;
}

export const leftoverRules: readonly Rule[] = [
  { name: 'no remark is left for later', check: checkRemarks },
  { name: 'no type is switched off', check: checkTypes },
  { name: 'no test is switched off without its reason', check: checkSwitchedOff },
];
