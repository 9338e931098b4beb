import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { withLock } from './lock.ts';
import { type Binary, broughtAlong, COSTS, cacheFolder, FLAGS, moduleFolder } from './recipe.ts';

/** The binary cannot be had on this machine; the message says what to install. */
export class ServerMissing extends Error {
  override readonly name = 'ServerMissing';
}

export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
}

const HERE: Surroundings = {
  environment: process.env,
  say: (line) => void process.stderr.write(`tenure servers: ${line}\n`),
};

/**
 * The path of a server binary: from KUBEBUILDER_ASSETS where that is set, else from the cache, else built now.
 *
 * @throws ServerMissing without Go, or where the build fails
 */
export async function binaryPath(binary: Binary, here: Surroundings = HERE): Promise<string> {
  const brought = broughtAlong(binary, here.environment);
  if (brought !== null) {
    if (existsSync(brought)) return brought;
    throw new ServerMissing(
      `KUBEBUILDER_ASSETS is set, but there is no ${brought}. Unset it to build one from source.`,
    );
  }
  const folder = cacheFolder(here.environment);
  const path = join(folder, process.platform === 'win32' ? `${binary}.exe` : binary);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  await withLock(
    join(folder, 'build.lock'),
    // Another process may have built it while this one waited for the lock.
    async () => (existsSync(path) ? undefined : build(binary, path, here)),
    () => here.say(`waiting for another process that builds in ${folder}`),
  );
  return path;
}

async function build(binary: Binary, path: string, { environment, say }: Surroundings): Promise<void> {
  say(`building ${binary} from its Go module, once for this machine (${COSTS[binary]}) into ${path}`);
  const began = Date.now();
  const seconds = (): number => Math.round((Date.now() - began) / 1000);
  const progress = setInterval(() => say(`still building ${binary}, ${seconds()} s so far`), 30_000);
  // Only a whole binary gets the name that others look for.
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await goBuild(binary, unfinished, environment);
    renameSync(unfinished, path);
  } finally {
    clearInterval(progress);
    rmSync(unfinished, { force: true });
  }
  say(`built ${binary} in ${seconds()} s`);
}

async function goBuild(binary: Binary, path: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const go = spawn('go', ['build', ...FLAGS, '-o', path, `./${binary}`], {
    cwd: moduleFolder(),
    // Pure Go, so that no C compiler is needed; GOFLAGS of the user (`-p=1`) still count.
    env: { ...environment, CGO_ENABLED: '0', GOWORK: 'off' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // Whatever else the machine does goes first. The compilers inherit it.
  if (go.pid !== undefined) setPriority(go.pid, constants.priority.PRIORITY_LOW);
  let output = '';
  for (const stream of [go.stdout, go.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-4_000);
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    go.once('error', reject);
    go.once('close', resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT')
      throw new ServerMissing(`${binary} is built with Go, and there is no go command. ${howToInstallGo()}`);
    throw error;
  });
  if (code !== 0) throw new ServerMissing(`go build ./${binary} ended with ${code}:\n${output}`);
}

export function howToInstallGo(platform: NodeJS.Platform = process.platform): string {
  if (platform === 'darwin') return 'Install it with: brew install go';
  if (platform === 'win32') return 'Install it with: winget install GoLang.Go';
  return 'Install it (1.21 or newer fetches the version it needs by itself) with: sudo apt-get install golang-go, or from go.dev/dl';
}
