import ts from 'typescript';

const parsed = new Map<string, ts.SourceFile>();

/** Parsed once per text: several rules read the same files. */
export function parse(path: string, text: string): ts.SourceFile {
  const key = `${path}\0${text}`;
  let source = parsed.get(key);
  if (source === undefined) {
    source = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
    parsed.set(key, source);
  }
  return source;
}

export function lineOf(node: ts.Node): number {
  const source = node.getSourceFile();
  return source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
}

/** Depth first, in the order of the text. */
export function visit(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node);
  ts.forEachChild(node, (child) => visit(child, look));
}

export interface Import {
  /** As written: `./api.ts`, `node:fs`, `xstate`. */
  readonly specifier: string;
  readonly line: number;
  /** `type`: erased by the compiler. `lazy`: an `import()` call. */
  readonly kind: 'value' | 'type' | 'lazy';
}

/** Imports, re-exports, `import()` calls, `import('…')` types and `require`s. */
export function importsOf(path: string, text: string): readonly Import[] {
  const found: Import[] = [];
  visit(parse(path, text), (node) => {
    const one = importOf(node);
    if (one !== null && ts.isStringLiteralLike(one.from)) {
      found.push({ specifier: one.from.text, line: lineOf(node), kind: one.kind });
    }
  });
  return found;
}

function importOf(node: ts.Node): { readonly from: ts.Node; readonly kind: Import['kind'] } | null {
  if (ts.isImportDeclaration(node)) {
    return { from: node.moduleSpecifier, kind: node.importClause?.isTypeOnly === true ? 'type' : 'value' };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return { from: node.moduleSpecifier, kind: node.isTypeOnly ? 'type' : 'value' };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { from: node.argument.literal, kind: 'type' };
  }
  if (!ts.isCallExpression(node) || node.arguments[0] === undefined) return null;
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword) return { from: node.arguments[0], kind: 'lazy' };
  // `createRequire(import.meta.url)` is how a driver loads a synchronous library; it is as lazy as `import()`.
  if (ts.isIdentifier(node.expression) && node.expression.text === 'require') {
    return { from: node.arguments[0], kind: 'lazy' };
  }
  return null;
}

export interface Comment {
  readonly text: string;
  readonly line: number;
}

/** Comments only: the same letters inside a string are not a remark of the author. */
export function commentsOf(path: string, text: string): readonly Comment[] {
  const source = parse(path, text);
  const seen = new Map<number, Comment>();
  const collect = (ranges: readonly ts.CommentRange[] | undefined): void => {
    for (const range of ranges ?? []) {
      const line = source.getLineAndCharacterOfPosition(range.pos).line + 1;
      seen.set(range.pos, { text: text.slice(range.pos, range.end), line });
    }
  };
  visitTokens(source, (node) => {
    collect(ts.getLeadingCommentRanges(text, node.getFullStart()));
    collect(ts.getTrailingCommentRanges(text, node.getEnd()));
  });
  return [...seen.values()].sort((a, b) => a.line - b.line);
}

/** Tokens too (braces, commas): a comment can hang on any of them. Text inside templates is no trivia. */
function visitTokens(node: ts.Node, look: (node: ts.Node) => void): void {
  const children = node.getChildren(node.getSourceFile());
  if (children.length === 0 && !ts.isTemplateLiteralToken(node)) look(node);
  for (const child of children) visitTokens(child, look);
}
