import { posix } from 'node:path';
import type { Offence, Rule } from './rule.ts';
import { type Import, importsOf } from './syntax.ts';
import { folderOf, type Tree, typescriptFiles } from './tree.ts';

/** What a layer may import, besides itself. `types`: only what the compiler erases. */
interface Layer {
  readonly imports: readonly string[];
  readonly types: readonly string[];
  /** Packages; `node:` modules are free outside the pure layers. */
  readonly packages: readonly string[];
  readonly pure?: true;
}

const BELOW_RUNTIME = ['machines', 'errors', 'ports'];
const RUNTIME_AND_BELOW = [...BELOW_RUNTIME, 'runtime', 'drivers', 'storage'];

/** Downward only. A layer that is not in this table may not exist under machines/ or src/. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  machines: { imports: [], types: [], packages: ['xstate'], pure: true },
  errors: { imports: [], types: [], packages: [], pure: true },
  ports: { imports: [], types: ['machines', 'errors'], packages: [], pure: true },
  drivers: {
    imports: BELOW_RUNTIME,
    types: [],
    packages: ['xstate', 'libsql', 'node:sqlite', '@kubernetes/client-node'],
  },
  storage: { imports: BELOW_RUNTIME, types: [], packages: [] },
  runtime: { imports: BELOW_RUNTIME, types: [], packages: ['xstate', 'rxjs'] },
  // No test runner: the author of a backend brings one.
  contract: { imports: RUNTIME_AND_BELOW, types: [], packages: [] },
  simulation: { imports: RUNTIME_AND_BELOW, types: [], packages: ['xstate'] },
  inspector: { imports: RUNTIME_AND_BELOW, types: [], packages: ['xstate'] },
  index: { imports: [...BELOW_RUNTIME, 'runtime'], types: [], packages: [] },
  cli: {
    imports: [...RUNTIME_AND_BELOW, 'simulation', 'inspector', 'index'],
    types: ['contract'],
    packages: ['xstate', 'rxjs', 'string-width'],
  },
};

/** Client libraries of backends: only their own driver may know them, and only lazily. */
const CLIENTS: Readonly<Record<string, string>> = {
  libsql: 'src/drivers/sqlite',
  'node:sqlite': 'src/drivers/sqlite',
  '@kubernetes/client-node': 'src/drivers/kubernetes',
};

export function layerOf(path: string): string | null {
  if (path.startsWith('machines/')) return 'machines';
  const match = /^src\/(?:([^/]+)\/|([^/]+)\.ts$)/.exec(path);
  return match?.[1] ?? match?.[2] ?? null;
}

function driverOf(path: string): string | null {
  return /^src\/drivers\/([^/]+)\//.exec(path)?.[1] ?? null;
}

/** Path of the imported file, or null for a package. */
export function resolveImport(from: string, one: Import): string | null {
  return one.specifier.startsWith('.') ? posix.join(folderOf(from), one.specifier) : null;
}

function layered(tree: Tree): readonly { readonly file: string; readonly layer: string; readonly one: Import }[] {
  return typescriptFiles(tree).flatMap(([file, text]) => {
    const layer = layerOf(file);
    return layer === null ? [] : importsOf(file, text).map((one) => ({ file, layer, one }));
  });
}

function checkLayers(tree: Tree): readonly Offence[] {
  const unknown = typescriptFiles(tree)
    .filter(([file]) => !Object.hasOwn(LAYERS, layerOf(file) ?? 'machines'))
    .map(([file]) => ({ file, line: 0, fix: 'add the new layer to LAYERS in test/tidy/layers.ts, or move the file' }));
  const upward = layered(tree).flatMap(({ file, layer, one }) => {
    const rules = LAYERS[layer];
    const target = resolveImport(file, one);
    if (rules === undefined || target === null) return [];
    const into = layerOf(target);
    if (into === layer || (layer === 'runtime' && into === 'drivers')) return [];
    const allowed = one.kind === 'type' ? [...rules.imports, ...rules.types] : rules.imports;
    if (into !== null && allowed.includes(into)) return [];
    const may = allowed.length === 0 ? 'nothing but itself' : allowed.join(', ');
    return [{ file, line: one.line, fix: `do not import ${target}; ${layer} may import ${may}` }];
  });
  return [...unknown, ...upward, ...checkNobodyImportsCli(tree)];
}

/** Shipped layers are held by the table above; tests may look inside the command line, examples and benches may not. */
function checkNobodyImportsCli(tree: Tree): readonly Offence[] {
  const outside = typescriptFiles(tree).filter(([file]) => layerOf(file) === null && !file.startsWith('test/'));
  return outside.flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((one) => resolveImport(file, one)?.startsWith('src/cli/'))
      .map((one) => ({ file, line: one.line, fix: 'run the tenure command as a process instead of importing it' })),
  );
}

function checkDrivers(tree: Tree): readonly Offence[] {
  const between = layered(tree).flatMap(({ file, one }) => {
    const own = driverOf(file);
    const other = driverOf(resolveImport(file, one) ?? '');
    if (own === null || other === null || own === other || one.kind === 'type') return [];
    return [{ file, line: one.line, fix: `move what drivers/${own} and drivers/${other} share down into ports` }];
  });
  return [...between, ...checkDoorsOfRuntime(tree)];
}

/** The runtime meets drivers in two places only: one file that loads backends by name, one with the defaults. */
function checkDoorsOfRuntime(tree: Tree): readonly Offence[] {
  const doors = { backends: new Set<string>(), system: new Set<string>() };
  return layered(tree).flatMap(({ file, layer, one }) => {
    const driver = driverOf(resolveImport(file, one) ?? '');
    if (layer !== 'runtime' || driver === null) return [];
    if (driver !== 'system' && one.kind !== 'lazy') {
      return [{ file, line: one.line, fix: `load drivers/${driver} with import(), by the name of the backend` }];
    }
    const door = driver === 'system' ? doors.system : doors.backends;
    door.add(file);
    if (door.size === 1) return [];
    return [{ file, line: one.line, fix: `take it from ${[...door][0]}, the one file of runtime that does this` }];
  });
}

function checkPackages(tree: Tree): readonly Offence[] {
  return layered(tree).flatMap(({ file, layer, one }) => {
    const rules = LAYERS[layer];
    if (rules === undefined || one.specifier.startsWith('.')) return [];
    const name = packageName(one.specifier);
    const home = CLIENTS[name];
    if (home !== undefined && !file.startsWith(`${home}/`)) {
      return [{ file, line: one.line, fix: `go through ${home}: only it may know ${name}` }];
    }
    if (home !== undefined && one.kind === 'value') {
      return [{ file, line: one.line, fix: `load ${name} with import() or require(), it may be missing` }];
    }
    if (rules.packages.includes(name) || (rules.pure === undefined && name.startsWith('node:'))) return [];
    const may = rules.packages.length === 0 ? 'no package' : rules.packages.join(', ');
    return [{ file, line: one.line, fix: `do not import ${name}; ${layer} may import ${may}` }];
  });
}

function packageName(specifier: string): string {
  if (specifier.startsWith('node:')) return specifier;
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

export const layerRules: readonly Rule[] = [
  { name: 'imports go downward only', check: checkLayers },
  { name: 'no driver imports another, and the runtime only lazily', check: checkDrivers },
  { name: 'packages are imported where they belong, client libraries lazily', check: checkPackages },
];
