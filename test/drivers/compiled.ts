import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = ['machines/vocabulary.ts', 'src/errors.ts', 'src/ports', 'src/drivers/system', 'src/drivers/sqlite'];

/**
 * The drivers as JavaScript, for child processes on a Node that reads no TypeScript. Below `node_modules`, so that the
 * children find the packages of this project. `remove` deletes it.
 */
export function compileDrivers(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.tenure-drivers-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  for (const source of SOURCES.flatMap(filesOf)) compile(source, folder);
  // One of the children gives its rights away before it opens a file.
  chmodSync(folder, 0o755);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function filesOf(source: string): string[] {
  if (source.endsWith('.ts')) return [source];
  return readdirSync(join(ROOT, source))
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(source, name));
}

function compile(source: string, folder: string): void {
  const { outputText } = ts.transpileModule(readFileSync(join(ROOT, source), 'utf8'), {
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  });
  const target = join(folder, source.replace(/\.ts$/, '.js'));
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, outputText);
}
