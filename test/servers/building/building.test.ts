import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { binaryPath, howToInstallGo, ServerMissing, type Surroundings } from './build.ts';
import { withLock } from './lock.ts';
import { cacheFolder, hashOf, moduleFolder } from './recipe.ts';

const folder = mkdtempSync(join(tmpdir(), 'tenure-building-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let places = 0;
function fresh(): string {
  const place = join(folder, String(++places));
  mkdirSync(place);
  return place;
}

/** With a `go` that does what the script says, and nothing built yet. */
function machine(script: string | null, more: NodeJS.ProcessEnv = {}) {
  const said: string[] = [];
  const path = fresh();
  if (script !== null) {
    writeFileSync(join(path, 'go'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(path, 'go'), 0o755);
  }
  const tools = script === null ? path : [path, '/usr/bin', '/bin'].join(delimiter);
  const here: Surroundings = {
    environment: { PATH: tools, XDG_CACHE_HOME: fresh(), ...more },
    say: (line) => said.push(line),
  };
  return { here, said };
}

/** Writes the file after `-o`, as `go build` does. */
const BUILDS = 'while [ "$1" != -o ]; do shift; done; echo binary >"$2"; echo built >>"$XDG_CACHE_HOME/builds"';

describe('a server binary', () => {
  it('is built once, says so, and is found in the cache from then on', async () => {
    const { here, said } = machine(BUILDS);
    const path = await binaryPath('etcd', here);
    expect(dirname(path)).toBe(cacheFolder(here.environment));
    expect(existsSync(path)).toBe(true);
    expect(said[0]).toMatch(/building etcd from its Go module, once for this machine \(about a minute/);
    expect(said[1]).toMatch(/^built etcd in \d+ s$/);
    expect(await binaryPath('etcd', here)).toBe(path);
    expect(said).toHaveLength(2);
  });

  it('is built once when several ask at the same time', async () => {
    const { here, said } = machine(`sleep 0.2; ${BUILDS}`);
    const paths = await Promise.all([1, 2, 3].map(() => binaryPath('etcd', here)));
    expect(new Set(paths).size).toBe(1);
    expect(said.filter((line) => line.startsWith('built'))).toHaveLength(1);
  });

  it('is taken from KUBEBUILDER_ASSETS where that is set, and missing if it is not there', async () => {
    const assets = fresh();
    const { here } = machine(null, { KUBEBUILDER_ASSETS: assets });
    writeFileSync(join(assets, 'etcd'), '');
    expect(await binaryPath('etcd', here)).toBe(join(assets, 'etcd'));
    await expect(binaryPath('kube-apiserver', here)).rejects.toThrow(/KUBEBUILDER_ASSETS is set, but there is no/);
  });

  it('is missing without Go, and the message says how to get it', async () => {
    const { here } = machine(null);
    const error = await binaryPath('etcd', here).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServerMissing);
    expect(String(error)).toContain(howToInstallGo());
  });

  it('is missing when its build fails, and the message says what Go said; the next try builds again', async () => {
    const { here } = machine('echo "no such module" >&2; exit 1');
    await expect(binaryPath('etcd', here)).rejects.toThrow(/go build .\/etcd ended with 1:\nno such module/);
    await expect(binaryPath('etcd', here)).rejects.toThrow(ServerMissing);
  });
});

describe('the name of the cache', () => {
  it('changes with every file that decides what is built, and with no other', () => {
    const copy = fresh();
    writeFileSync(join(copy, 'go.sum'), 'one');
    mkdirSync(join(copy, 'etcd'));
    writeFileSync(join(copy, 'etcd', 'main.go'), 'package main');
    const first = hashOf(copy);
    writeFileSync(join(copy, 'README.md'), 'words');
    expect(hashOf(copy)).toBe(first);
    writeFileSync(join(copy, 'etcd', 'main.go'), 'package main // other');
    const second = hashOf(copy);
    expect(second).not.toBe(first);
    writeFileSync(join(copy, 'go.sum'), 'two');
    expect(hashOf(copy)).not.toBe(second);
    expect(hashOf(moduleFolder())).toMatch(/^[0-9a-f]{16}$/);
  });
});

describe('the lock', () => {
  it('lets one work at a time and tells who waits', async () => {
    const lock = join(fresh(), 'lock');
    const order: string[] = [];
    const entered = signal();
    const waits = signal();
    const mayLeave = signal();
    const first = withLock(lock, async () => {
      entered.give();
      await mayLeave.given;
      order.push('first');
    });
    await entered.given;
    const second = withLock(lock, async () => void order.push('second'), waits.give, FAST);
    await waits.given;
    expect(order).toEqual([]);
    mayLeave.give();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('is given back when the work fails', async () => {
    const lock = join(fresh(), 'lock');
    await expect(withLock(lock, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(lock)).toBe(false);
  });

  it('is taken from a holder that shows no life', async () => {
    const lock = join(fresh(), 'lock');
    writeFileSync(lock, '');
    utimesSync(lock, 1, 1);
    expect(await withLock(lock, async () => 'done', undefined, FAST)).toBe('done');
  });

  it('stays with a holder that shows life', async () => {
    const lock = join(fresh(), 'lock');
    const order: string[] = [];
    const times = { beatMs: 20, staleMs: 2_000, lookMs: 5 };
    let isFirst = true;
    const work = async (): Promise<void> => {
      const mine = isFirst;
      isFirst = false;
      order.push(mine ? 'in' : 'in again');
      if (mine) await new Promise((settle) => setTimeout(settle, 100));
      order.push(mine ? 'out' : 'out again');
    };
    await Promise.all([withLock(lock, work, undefined, times), withLock(lock, work, undefined, times)]);
    expect(order).toEqual(['in', 'out', 'in again', 'out again']);
  });
});

function signal() {
  let give = (): void => {};
  const given = new Promise<void>((settle) => {
    give = settle;
  });
  return { given, give };
}

const FAST = { beatMs: 50, staleMs: 10_000, lookMs: 5 };
