import type { Offence, Rule } from './rule.ts';
import { folderOf, type Tree, typescriptFiles } from './tree.ts';

const NAMELESS = new Set(['utils', 'util', 'common', 'helpers', 'helper', 'misc', 'shared', 'lib']);

function checkFolderNames(tree: Tree): readonly Offence[] {
  return [...tree.keys()].flatMap((file) => {
    const bad = folderOf(file)
      .split('/')
      .find((part) => NAMELESS.has(part));
    return bad === undefined ? [] : [{ file, line: 0, fix: `name the folder after what is in it, not "${bad}"` }];
  });
}

/** A small folder may be described in the map of the folder above it, by its name: `watch/`. */
function checkReadmes(tree: Tree): readonly Offence[] {
  const folders = new Set(typescriptFiles(tree).map(([file]) => folderOf(file)));
  folders.delete('');
  return [...folders]
    .filter((folder) => {
      const above = tree.get(`${folderOf(folder)}/README.md`) ?? '';
      const name = folder.slice(folder.lastIndexOf('/') + 1);
      return !tree.has(`${folder}/README.md`) && !above.includes(`\`${name}/\``);
    })
    .map((folder) => {
      const fix = `write the map of this folder, or name it as \`${folder.slice(folder.lastIndexOf('/') + 1)}/\` in the map above it`;
      return { file: `${folder}/README.md`, line: 0, fix };
    });
}

/** Home folders and workspaces of one machine. A user's own path in prose is written with a placeholder. */
const MACHINE_PATH = /(?:^|[\s"'`(=:])(?:\/(?:root|home|Users|work|workspace)\/[\w.-]|[A-Z]:\\Users\\)/;
const REGISTRY = /(?:registry\.(?:npmjs|yarnpkg)|(?:registry|artifactory|nexus|verdaccio)\.[\w-]+\.\w)|_auth[T]oken/;

function checkMachine(tree: Tree): readonly Offence[] {
  return [...tree].flatMap(([file, text]) =>
    text.split('\n').flatMap((content, at) => {
      const line = at + 1;
      if (MACHINE_PATH.test(content))
        return [{ file, line, fix: 'use a relative path or the operating system’s folder' }];
      if (REGISTRY.test(content)) return [{ file, line, fix: 'leave the registry to the configuration of npm' }];
      return [];
    }),
  );
}

function checkLock(tree: Tree): readonly Offence[] {
  const lock = tree.get('package-lock.json') ?? '';
  return lock.split('\n').flatMap((content, at) => {
    if (!/^\s*"resolved":/.test(content)) return [];
    const fix = 'set omit-lockfile-registry-resolved=true for npm and write the lock again';
    return [{ file: 'package-lock.json', line: at + 1, fix }];
  });
}

export const placeRules: readonly Rule[] = [
  { name: 'folders have names that say something', check: checkFolderNames },
  { name: 'each folder with source has its map', check: checkReadmes },
  { name: 'nothing names one machine or one registry', check: checkMachine },
  { name: 'the lock pins versions, not hosts', check: checkLock },
];
