import ts from 'typescript';
import type { Offence, Rule } from './rule.ts';
import { importsOf, lineOf, parse, visit } from './syntax.ts';
import { type Tree, typescriptFiles } from './tree.ts';

/**
 * The clock of the machine and its randomness have one door, `src/drivers/system`: a seed and a virtual clock then
 * decide a whole run. `queueMicrotask` and `process.nextTick` are orders of work, not time, and stay free. Pure
 * conversions (`Date.parse`, `new Date(ms)`) read no clock and stay free outside machines/.
 *
 * Real processes and real servers have no virtual clock, so what starts them is free too.
 */
const FREE = [
  'src/drivers/system/',
  'test/servers/',
  'test/drivers/',
  'test/cli/',
  'test/package/',
  'test/processes/',
  'bench/',
  'examples/',
];

const TIMERS = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const MODULES = new Set(['node:timers', 'node:timers/promises', 'node:perf_hooks', 'timers', 'perf_hooks']);
const PURE_DATE = new Set(['parse', 'UTC']);
const CHANCE_OF_CRYPTO = /^(?:random|getRandomValues)/;

function isFree(file: string): boolean {
  return FREE.some((folder) => file.startsWith(folder)) || file.endsWith('.slow.test.ts');
}

function check(tree: Tree): readonly Offence[] {
  return typescriptFiles(tree)
    .filter(([file]) => !isFree(file))
    .flatMap(([file, text]) => {
      const offences: Offence[] = importsOf(file, text)
        .filter((one) => MODULES.has(one.specifier))
        .map((one) => ({ file, line: one.line, fix: `${one.specifier} is real time: take a Clock from src/ports` }));
      visit(parse(file, text), (node) => {
        const found = ts.isIdentifier(node) ? ambientUse(node, file.startsWith('machines/')) : null;
        if (found !== null) offences.push({ file, line: lineOf(node), fix: found });
      });
      return offences;
    });
}

function ambientUse(name: ts.Identifier, inMachines: boolean): string | null {
  if (isMerelyNamed(name)) return null;
  const member = ts.isPropertyAccessExpression(name.parent) ? name.parent.name.text : '';
  if (TIMERS.has(name.text)) return `${name.text} is real time: use Clock.setTimer`;
  if (name.text === 'performance') return 'performance is real time: use Clock.nowMs';
  if (name.text === 'process' && member === 'hrtime') return 'hrtime is real time: use Clock.nowMs';
  if (name.text === 'AbortSignal' && member === 'timeout')
    return 'AbortSignal.timeout is real time: use Clock.setTimer';
  if (name.text === 'Math' && member === 'random') return 'Math.random is chance: use Random.next';
  if (name.text === 'crypto' && CHANCE_OF_CRYPTO.test(member)) return `crypto.${member} is chance: use Random`;
  if (ts.isImportSpecifier(name.parent) && CHANCE_OF_CRYPTO.test(name.text))
    return `${name.text} is chance: use Random`;
  if (name.text !== 'Date' || isTypeName(name)) return null;
  if (!inMachines && (PURE_DATE.has(member) || isConversion(name.parent))) return null;
  return 'Date reads the clock: use Clock.nowMs, deadlineNowMs or isoNow';
}

/** `new Date(ms)` converts; `new Date()` and `Date()` read the clock. */
function isConversion(parent: ts.Node): boolean {
  return ts.isNewExpression(parent) && (parent.arguments?.length ?? 0) > 0;
}

function isTypeName(name: ts.Identifier): boolean {
  return ts.isTypeReferenceNode(name.parent);
}

/** The right side of a dot, a key, a parameter or a declared member: a word, not a use of the global. */
function isMerelyNamed(name: ts.Identifier): boolean {
  const parent = name.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === name && !isGlobalThis(parent.expression);
  if (ts.isPropertyAssignment(parent) || ts.isBindingElement(parent)) return parent.initializer !== name;
  return (
    ts.isParameter(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent)
  );
}

function isGlobalThis(node: ts.Node): boolean {
  return ts.isIdentifier(node) && (node.text === 'globalThis' || node.text === 'global');
}

export const timeAndChanceRules: readonly Rule[] = [
  { name: 'time and chance come in through src/drivers/system only', check },
];
