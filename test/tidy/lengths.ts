import ts from 'typescript';
import type { Offence, Rule } from './rule.ts';
import { lineOf, parse, visit } from './syntax.ts';
import { type Tree, typescriptFiles } from './tree.ts';

export const MAX_FILE_LINES = 400;
export const MEDIAN_FILE_LINES = 130;
export const MAX_FUNCTION_LINES = 70;

const MEASURED = /^(?:machines|src|test|bench|examples|visualizations)\//;

function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function checkFiles(tree: Tree): readonly Offence[] {
  return typescriptFiles(tree)
    .filter(([file, text]) => MEASURED.test(file) && linesOf(text) > MAX_FILE_LINES)
    .map(([file, text]) => {
      return {
        file,
        line: 0,
        fix: `${linesOf(text)} lines, at most ${MAX_FILE_LINES}: split it by what changes together`,
      };
    });
}

function checkMedian(tree: Tree): readonly Offence[] {
  const lengths = typescriptFiles(tree)
    .filter(([file]) => MEASURED.test(file))
    .map(([file, text]) => ({ file, lines: linesOf(text) }))
    .sort((a, b) => a.lines - b.lines);
  const middle = lengths[Math.floor(lengths.length / 2)];
  if (middle === undefined || middle.lines <= MEDIAN_FILE_LINES) return [];
  const fix = `the median file has ${middle.lines} lines, at most ${MEDIAN_FILE_LINES}: split the long ones`;
  return [{ file: lengths.at(-1)?.file ?? middle.file, line: 0, fix }];
}

/** Callbacks of these are functions of their own; the function around them only registers them. */
const REGISTERS = /^(?:describe|it|test|bench|beforeAll|beforeEach|afterAll|afterEach)\b/;

function checkFunctions(tree: Tree): readonly Offence[] {
  const offences: Offence[] = [];
  for (const [file, text] of typescriptFiles(tree)) {
    visit(parse(file, text), (node) => {
      if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
      const lines = functionLines(node);
      if (lines <= MAX_FUNCTION_LINES) return;
      const fix = `${lines} lines in one function, at most ${MAX_FUNCTION_LINES}: give its parts names of their own`;
      offences.push({ file, line: lineOf(node), fix });
    });
  }
  return offences;
}

function functionLines(node: ts.Node): number {
  let own = spanOf(node);
  const subtract = (child: ts.Node): void => {
    if (ts.isCallExpression(child) && REGISTERS.test(child.expression.getText())) {
      const callback = child.arguments.find((argument) => ts.isArrowFunction(argument));
      if (callback !== undefined) own -= spanOf(callback);
      return;
    }
    ts.forEachChild(child, subtract);
  };
  ts.forEachChild(node, subtract);
  return own;
}

function spanOf(node: ts.Node): number {
  const source = node.getSourceFile();
  const line = (position: number): number => source.getLineAndCharacterOfPosition(position).line;
  return line(node.getEnd()) - line(node.getStart(source)) + 1;
}

export const lengthRules: readonly Rule[] = [
  { name: `no file is longer than ${MAX_FILE_LINES} lines`, check: checkFiles },
  { name: `the median file has at most ${MEDIAN_FILE_LINES} lines`, check: checkMedian },
  { name: `no function is longer than ${MAX_FUNCTION_LINES} lines`, check: checkFunctions },
];
