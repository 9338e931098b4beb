import { layerOf, resolveImport } from './layers.ts';
import type { Offence, Rule } from './rule.ts';
import { importsOf } from './syntax.ts';
import { type Tree, typescriptFiles } from './tree.ts';

/**
 * In shipped code types count too: a cycle of types is two files that can only be read together. `import()` defers, so
 * it may close a ring, and so may a type among tests.
 */
function graphOf(tree: Tree): ReadonlyMap<string, readonly string[]> {
  return new Map(
    typescriptFiles(tree).map(([file, text]) => {
      const targets = importsOf(file, text)
        .filter((one) => one.kind === 'value' || (one.kind === 'type' && layerOf(file) !== null))
        .map((one) => resolveImport(file, one));
      return [file, targets.filter((target) => target !== null && tree.has(target)) as string[]];
    }),
  );
}

function checkCycles(tree: Tree): readonly Offence[] {
  const graph = graphOf(tree);
  const done = new Set<string>();
  const offences: Offence[] = [];
  const follow = (file: string, path: readonly string[]): void => {
    const start = path.indexOf(file);
    if (start >= 0) {
      const cycle = [...path.slice(start), file].join(' → ');
      offences.push({ file, line: 0, fix: `break the cycle ${cycle}: move what both need into a third file` });
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) follow(next, [...path, file]);
    done.add(file);
  };
  for (const file of graph.keys()) follow(file, []);
  return offences;
}

export const cycleRules: readonly Rule[] = [{ name: 'imports form no cycle', check: checkCycles }];
