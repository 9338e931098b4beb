import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path from the repository's root, with forward slashes → text. */
export type Tree = ReadonlyMap<string, string>;

const BINARY = /\.(?:png|jpg|gif|ico|tgz|db|woff2?)$/;

/** Every text file that a commit could hold: all but what .gitignore names. Works without git, from an archive too. */
export function readTree(root: string): Tree {
  const ignored = ignoredNames(readFileSync(join(root, '.gitignore'), 'utf8'));
  const tree = new Map<string, string>();
  const visit = (directory: string): void => {
    for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (ignored(entry.name)) continue;
      if (entry.isDirectory()) visit(path);
      else if (entry.isFile() && !BINARY.test(entry.name)) tree.set(path, readFileSync(join(root, path), 'utf8'));
    }
  };
  visit('');
  return new Map([...tree].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Names and `*.ext` are all that .gitignore uses here. */
function ignoredNames(gitignore: string): (name: string) => boolean {
  const lines = gitignore.split('\n').map((line) => line.trim().replace(/\/$/, ''));
  const patterns = ['.git', ...lines.filter((line) => line !== '' && !line.startsWith('#'))];
  return (name) =>
    patterns.some((pattern) => (pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern));
}

/** For planted offenders. */
export function plant(files: Readonly<Record<string, string>>): Tree {
  return new Map(Object.entries(files));
}

/** The TypeScript files that the rules about code look at. */
export function typescriptFiles(tree: Tree): readonly [path: string, text: string][] {
  return [...tree].filter(([path]) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
