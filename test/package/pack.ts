import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const execute = promisify(execFile);

export interface Result {
  readonly stdout: string;
  readonly stderr: string;
}

/** Rejects on a non-zero exit, with both outputs in the message. */
export async function run(folder: string, command: string, ...args: readonly string[]): Promise<Result> {
  try {
    return await execute(command, args, { cwd: folder, maxBuffer: 2 ** 24, env: environment() });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as Partial<Result>;
    throw new Error(`${command} ${args.join(' ')} failed\n${stdout}${stderr}`, { cause: error });
  }
}

/** Without what npm and vitest put there for their own children: a user's shell has none of it. */
function environment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:npm_|VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name));
  return Object.fromEntries(own);
}

export interface Consumer {
  readonly folder: string;
  /** Paths inside the tarball. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/** Packs what `npm run build` left (no scripts: other tests read `dist` at this moment) and installs it. */
export async function consumer(install: (folder: string, tarball: string) => Promise<void>): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-package-'));
  const { stdout } = await run(ROOT, 'npm', 'pack', '--ignore-scripts', '--json', '--pack-destination', folder);
  const [packed] = JSON.parse(stdout) as readonly { filename: string; files: readonly { path: string }[] }[];
  if (packed === undefined) throw new Error('npm packed nothing');
  await writeFile(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }');
  await install(folder, join(folder, packed.filename));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  return { folder, files: packed.files.map((file) => file.path), remove };
}

/** A real installation. Dependencies come from the registry, or from npm's cache. */
export async function installFromRegistry(folder: string, tarball: string): Promise<void> {
  await run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
}

/** Unpacks the tarball and lends it this repository's dependencies: quick, and needs no network. */
export async function installBeside(folder: string, tarball: string): Promise<void> {
  const home = join(folder, 'node_modules', 'tenure');
  await mkdir(home, { recursive: true });
  await run(folder, 'tar', '-xzf', tarball, '-C', home, '--strip-components', '1');
  const manifest = await readManifest(home);
  const lent = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  for (const name of lent) await link(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  for (const [name, path] of Object.entries(manifest.bin)) {
    await link(join(home, path), join(folder, 'node_modules', '.bin', name));
    await run(folder, 'chmod', '+x', join(home, path));
  }
}

export interface Manifest {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, unknown>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest;
}

export async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path);
}
