import ts from 'typescript';
import type { Offence, Rule } from './rule.ts';
import { lineOf, parse } from './syntax.ts';
import type { Tree } from './tree.ts';

export const MAX_EXPORTS = 25;
const FACE = 'src/index.ts';

/** What exists at run time; types cost a reader nothing until they look for them. */
export function runtimeExports(text: string): readonly string[] {
  return parse(FACE, text).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement)) return declaredNames(statement);
    if (statement.isTypeOnly || statement.exportClause === undefined) return [];
    if (ts.isNamespaceExport(statement.exportClause)) return [statement.exportClause.name.text];
    return statement.exportClause.elements.filter((one) => !one.isTypeOnly).map((one) => one.name.text);
  });
}

function declaredNames(statement: ts.Statement): readonly string[] {
  const exported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword);
  if (exported !== true) return [];
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.map((one) => one.name.getText());
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return [statement.name?.text ?? 'default'];
  return [];
}

function check(tree: Tree): readonly Offence[] {
  const text = tree.get(FACE) ?? '';
  const stars = parse(FACE, text).statements.filter(
    (one) => ts.isExportDeclaration(one) && one.exportClause === undefined && !one.isTypeOnly,
  );
  const offences = stars.map((one) => ({ file: FACE, line: lineOf(one), fix: 'name what is exported: no `export *`' }));
  const names = runtimeExports(text);
  if (names.length <= MAX_EXPORTS) return offences;
  const fix = `${names.length} runtime exports, at most ${MAX_EXPORTS}: move the rarer ones to a subpath`;
  return [...offences, { file: FACE, line: 0, fix }];
}

export const facadeRules: readonly Rule[] = [{ name: `at most ${MAX_EXPORTS} runtime exports from tenure`, check }];
