import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface File {
  readonly name: string;
  readonly text: string;
}

export type Written =
  | { readonly written: true }
  | { readonly blocked: readonly string[] }
  | { readonly failed: string };

/**
 * Writes all files or none. Each is written under another name first, so that nobody ever reads half of one; a file that
 * is there already is left alone unless it says the same, or `force` is given.
 */
export function writeAll(folder: string, files: readonly File[], force: boolean): Written {
  const blocked = files.filter(({ name, text }) => !force && isOther(join(folder, name), text));
  if (blocked.length > 0) return { blocked: blocked.map(({ name }) => name) };
  const drafts = files.map(({ name }) => join(folder, `.${name}.${process.pid}`));
  const placed: string[] = [];
  try {
    mkdirSync(folder, { recursive: true });
    for (const [at, { text }] of files.entries()) writeFileSync(drafts[at] ?? '', text);
    for (const [at, { name, text }] of files.entries()) {
      const target = join(folder, name);
      if (!force && existsSync(target) && !isOther(target, text)) continue;
      place(drafts[at] ?? '', target, force);
      placed.push(target);
    }
    return { written: true };
  } catch (error) {
    if (!force) for (const target of placed) rmSync(target, { force: true });
    return { failed: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
  } finally {
    for (const draft of drafts) rmSync(draft, { force: true });
  }
}

/** A link refuses where a rename would replace what somebody else has put there meanwhile. */
function place(draft: string, target: string, force: boolean): void {
  if (force) renameSync(draft, target);
  else linkSync(draft, target);
}

function isOther(target: string, text: string): boolean {
  try {
    return readFileSync(target, 'utf8') !== text;
  } catch (error) {
    // Not there: free. Anything else that cannot be read is not ours to replace.
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}
