import ts from 'typescript';
import type { Offence, Rule } from './rule.ts';
import { lineOf, parse, visit } from './syntax.ts';
import { type Tree, typescriptFiles } from './tree.ts';

/** What a protocol may not do: start or stop actors, send, raise. Commands leave by `emit`, answers come as events. */
const IMPURE = new Set(['raise', 'sendTo', 'sendParent', 'forwardTo', 'spawn', 'spawnChild', 'stopChild', 'invoke']);

/** `enqueueActions` hides its actions in a closure, so the lint of machines cannot see them; the source shows them. */
function check(tree: Tree): readonly Offence[] {
  return typescriptFiles(tree)
    .filter(([file]) => file.startsWith('machines/'))
    .flatMap(([file, text]) => {
      const offences: Offence[] = [];
      visit(parse(file, text), (node) => {
        const name = ts.isIdentifier(node) ? node.text : '';
        if (IMPURE.has(name)) {
          offences.push({
            file,
            line: lineOf(node),
            fix: `instead of ${name}, emit a command and wait for its answer`,
          });
        }
        if (ts.isCallExpression(node) && node.expression.getText() === 'enqueue') {
          offences.push({
            file,
            line: lineOf(node),
            fix: 'only enqueue.emit and enqueue.assign: nothing else is pure',
          });
        }
      });
      return offences;
    });
}

export const purityRules: readonly Rule[] = [{ name: 'machines assign and emit, nothing else', check }];
