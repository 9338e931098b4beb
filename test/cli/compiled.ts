import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, ROOT } from '../transpiled.ts';

export interface Compiled {
  /** The `tenure` command as JavaScript. */
  readonly main: string;
  remove(): void;
}

/**
 * The command line as JavaScript, for child processes on a Node that reads no TypeScript: always of the sources as they
 * are now. Below `node_modules`, so that it finds the packages of this project.
 */
export function compileCommand(): Compiled {
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.tenure-cli-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "version": "0.0.0-test" }');
  for (const top of ['machines', 'src']) {
    for (const name of readdirSync(join(ROOT, top), { recursive: true, encoding: 'utf8' })) {
      if (name.endsWith('.ts')) compile(join(top, name), folder);
    }
  }
  return { main: join(folder, 'src/cli/main.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
