import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, ROOT } from '../transpiled.ts';

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
