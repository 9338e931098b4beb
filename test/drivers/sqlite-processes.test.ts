import { type ChildProcess, fork } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadEngine } from '../../src/drivers/sqlite/engine.ts';
import { sqlite } from '../../src/drivers/sqlite/index.ts';
import { openSqlite } from '../../src/drivers/sqlite/open.ts';
import { systemClock } from '../../src/drivers/system/clock.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import { compileDrivers } from './compiled.ts';
import { temporaryFolder } from './engines.ts';
import { testContext } from './place.ts';
import { put, state } from './register.ts';

const CALL = { timeoutMs: 10_000 };
const SHARED = { fencingToken: 1n, sessionId: 'shared' };

describe('sqlite among processes', { timeout: 60_000 }, () => {
  const compiled = compileDrivers();
  const children = new Set<ChildProcess>();
  let folder: string;
  let file: string;
  let remove: () => void;
  let backend: OpenBackend;

  beforeAll(() => expect(compiled.folder).toContain('node_modules'));
  afterAll(() => compiled.remove());
  beforeEach(async () => {
    ({ folder, remove } = temporaryFolder());
    file = join(folder, 'tenure.db');
    backend = await sqlite({ file }).open(testContext());
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await backend.close();
    remove();
  });

  const start = (script: string, ...args: string[]): ChildProcess => {
    const path = fileURLToPath(new URL(`children/${script}.mjs`, import.meta.url));
    const child = fork(path, [compiled.folder, file, ...args], { execArgv: [], serialization: 'advanced' });
    children.add(child);
    return child;
  };

  it('loses no increment and repeats no token with four writers', async () => {
    const rounds = 250;
    const reports = await Promise.all(
      [1, 2, 3, 4].map(async () => {
        const child = start('contend', `${rounds}`);
        const [report] = await Promise.all([message<{ tokens: string[]; slowestMs: number }>(child), exit(child)]);
        return report;
      }),
    );
    const found = await state(backend.register);
    expect(found.changed.get('counter')?.metadata).toEqual({ count: `${4 * rounds}` });
    expect(found.version).toBe(BigInt(4 * rounds));
    const tokens = reports.flatMap((report) => report.tokens).map(Number);
    expect(new Set(tokens).size).toBe(4 * rounds);
    expect(Math.max(...tokens)).toBe(4 * rounds);
    for (const { tokens: own } of reports) expect(own).toEqual([...own].sort((a, b) => Number(a) - Number(b)));
    expect(Math.max(...reports.map((report) => report.slowestMs))).toBeLessThan(30_000);
  });

  it('keeps every answered write of a writer that is killed, and can be written at once', async () => {
    for (let round = 1; round <= 8; round += 1) {
      const writer = start('write');
      let reported = 0n;
      let messages = 0;
      writer.on('message', ({ version }: { version: string }) => {
        reported = BigInt(version);
        messages += 1;
        if (messages === 2 * round) writer.kill('SIGKILL');
      });
      await exit(writer);
      const found = await state(backend.register);
      expect(messages).toBeGreaterThanOrEqual(2 * round);
      expect(found.version).toBeGreaterThanOrEqual(reported);
      // All 50 entries of one write, or none of them.
      const written = [...found.changed].filter(([key]) => key.startsWith('job-'));
      expect(new Set(written.map(([, entry]) => entry?.metadata.version)).size).toBe(1);
      await put(backend.register, found.version, SHARED, ['after']);
    }
    expect(await integrity(file)).toBe('ok');
  });

  it('sees nothing of a transaction whose process is killed inside of it', async () => {
    const write = { kind: 'acquire', expectedVersion: null, holder: 'one', sessionId: 's-1', durationMs: 1 } as const;
    const acquired = await backend.lease.write(write, CALL);
    const locker = start('lock');
    await message(locker);
    const blocked = backend.lease.write({ kind: 'renew', expectedVersion: 1n, durationMs: 2 }, CALL);
    locker.kill('SIGKILL');
    expect(acquired).toMatchObject({ outcome: 'committed', record: { version: 1n } });
    expect(await blocked).toMatchObject({ outcome: 'committed', record: { version: 2n, holder: 'one' } });
  });

  it('answers within its bound while another process holds the lock, and never blocks the event loop', async () => {
    await put(backend.register, 0n, SHARED, ['a']);
    const locker = start('lock');
    await message(locker);
    const loop = watchLoop();
    const started = performance.now();
    const write = { kind: 'acquire', expectedVersion: null, holder: 'one', sessionId: 's-1', durationMs: 1 } as const;
    const [lease, register, reading] = await Promise.all([
      backend.lease.write(write, { timeoutMs: 1000 }),
      backend.register.write(
        { expectedVersion: 1n, fence: SHARED, puts: new Map(), withdrawals: new Map() },
        { timeoutMs: 1000 },
      ),
      backend.register.read({ timeoutMs: 1000 }),
    ]);
    const tookMs = performance.now() - started;
    const longestTurnMs = loop.stop();
    expect(lease).toMatchObject({ outcome: 'refused', detail: expect.stringMatching(/tenure\.db stayed locked/) });
    expect(register).toMatchObject({ outcome: 'refused', reason: 'unavailable' });
    expect(reading.outcome).toBe('found');
    expect(tookMs).toBeGreaterThanOrEqual(1000);
    expect(tookMs).toBeLessThan(3000);
    expect(longestTurnMs).toBeGreaterThan(0);
    expect(longestTurnMs).toBeLessThan(300);

    const patient = backend.lease.write(write, CALL);
    locker.send('commit');
    expect((await patient).outcome).toBe('committed');
  });

  it('opens while another process holds the lock for a while, and gives up with a coded error', async () => {
    const locker = start('lock');
    await message(locker);
    const engine = await loadEngine();
    await expect(openSqlite({ file, pollMs: 20, openTimeoutMs: 30 }, engine, testContext())).rejects.toMatchObject({
      code: 'backend-unavailable',
      message: expect.stringMatching(/tenure\.db stayed locked by another process/),
    });
    const opening = sqlite({ file }).open(testContext());
    locker.send('commit');
    await (await opening).close();
  });

  it('lets processes come and go, and each ends by itself once it has closed', async () => {
    const rounds = 15;
    const visitors = [1, 2, 3].map(() => start('come-and-go', `${rounds}`));
    expect(await Promise.all(visitors.map(exit))).toEqual([0, 0, 0]);
    expect((await state(backend.register)).version).toBe(BigInt(3 * rounds));
    expect(await integrity(file)).toBe('ok');
  });

  it('creates a new file once when several processes open it at the same moment', async () => {
    file = join(folder, 'new', 'tenure.db');
    const visitors = [1, 2, 3, 4].map(() => start('come-and-go', '1'));
    expect(await Promise.all(visitors.map(exit))).toEqual([0, 0, 0, 0]);
  });

  // Windows has neither these modes nor a user to change to.
  it.skipIf(process.platform === 'win32')('tells missing rights apart', async () => {
    const attempt = async (path: string): Promise<{ code: string; message: string }> => {
      file = path;
      const child = start('unprivileged');
      const [report] = await Promise.all([message<{ code: string; message: string }>(child), exit(child)]);
      return report;
    };
    await backend.close();
    chmodSync(folder, 0o755);
    chmodSync(file, 0o444);
    const readable = await attempt(file);
    chmodSync(file, 0o000);
    const hidden = await attempt(file);
    mkdirSync(join(folder, 'closed'), { mode: 0o555 });
    const folderClosed = await attempt(join(folder, 'closed', 'tenure.db'));
    const folderMissing = await attempt(join(folder, 'closed', 'deeper', 'tenure.db'));
    chmodSync(join(folder, 'closed'), 0o755);
    writeFileSync(join(folder, 'closed', 'mark'), '');
    expect([readable, hidden, folderClosed, folderMissing].map(({ code }) => code)).toEqual([
      'store-read-only',
      'store-unusable',
      'store-unusable',
      'store-unusable',
    ]);
    expect(readable.message).toMatch(/tenure\.db can be read but not written/);
    for (const { message } of [hidden, folderClosed, folderMissing]) {
      expect(message).toMatch(/may not be opened by this process.*Give this user read and write permission/);
    }
  });
});

async function integrity(file: string): Promise<unknown> {
  const connection = (await loadEngine()).open(file);
  const [row] = connection.all('PRAGMA integrity_check');
  connection.close();
  return row?.integrity_check;
}

/** Measures the longest time for which no timer could fire, from this call to `stop`. */
function watchLoop(): { stop(): number } {
  const clock = systemClock();
  let lastMs = clock.nowMs();
  let longestMs = 0;
  const look = (): void => {
    longestMs = Math.max(longestMs, clock.nowMs() - lastMs);
    lastMs = clock.nowMs();
  };
  const tick = (): void => {
    look();
    cancel = clock.setTimer(5, tick);
  };
  let cancel = clock.setTimer(5, tick);
  return {
    stop: () => {
      cancel();
      look();
      return longestMs;
    },
  };
}

function message<T = unknown>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (received) => resolve(received as T));
    child.once('exit', (code, signal) => reject(new Error(`the child ended with ${code ?? signal} and said nothing`)));
  });
}

function exit(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('exit', (code) => resolve(code)));
}
