import { join } from 'node:path';
import Database from 'libsql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freezeOutsideOfWrites, isRunning, Stage, type TenureProcess, WORKER } from './processes.ts';

let stage: Stage;
beforeAll(() => {
  stage = new Stage();
});
afterEach(() => stage.sweep());
afterAll(() => stage.close());

interface Started {
  readonly atNs: bigint;
  readonly pid: number;
  readonly guard: number;
}

async function started(run: TenureProcess, from = 0): Promise<Started> {
  const [, atNs = '0', pid = '', guard = ''] = await run.line(/^started (\d+) (\d+) (\d+)/, from);
  return { atNs: BigInt(atNs), pid: Number(pid), guard: Number(guard) };
}

/** CLOCK_MONOTONIC of the last sign of life. */
function lastTickNs(run: TenureProcess): bigint {
  const tick = run.lines.findLast((line) => line.startsWith('tick '));
  return BigInt(tick?.slice(5) ?? 0);
}

/** Holds the write lock of the file, so that no renewal gets through. */
function blockWrites(): { release(): void } {
  const database = new Database(join(stage.folder, '.tenure/tenure.db'));
  database.exec('BEGIN IMMEDIATE');
  return {
    release: () => {
      database.exec('ROLLBACK');
      database.close();
    },
  };
}

describe('the command never works without the lease', () => {
  it('works on, lease after lease, while renewals get through', async () => {
    const healthy = stage.run('healthy', [], ['polite', '6']);
    const { atNs } = await started(healthy);
    while (lastTickNs(healthy) - atNs < 7_000_000_000n) await healthy.line(/^tick/, healthy.lines.length);
    healthy.signal('SIGTERM');
    expect((await healthy.end()).code).toBe(6);
    expect(healthy.stderr.match(/^tenure: .*/gm)).toHaveLength(4);
  });

  it('is dead before another leads when the wrapper is frozen for longer than the lease', async () => {
    const frozen = stage.run('frozen', [], ['stubborn']);
    const first = await started(frozen);
    const other = stage.run('frozen');
    await other.line(/standing for frozen/);
    freezeOutsideOfWrites(frozen.pid);
    const second = await started(other);
    expect(await isRunning(first.pid)).toBe(false);
    expect(lastTickNs(frozen)).toBeLessThan(second.atNs);
    expect(frozen.lines).toContain('received SIGTERM');
    // Another lease passes; then it wakes, says what happened and stands again.
    const lease = stage.tenure(['watch', '--election', 'frozen', '--timeout', '3s']);
    expect((await lease.end()).code).toBe(2);
    frozen.signal('SIGCONT');
    await frozen.line(/^tenure: child ended by SIGKILL after .*; standing again$/);
    other.signal('SIGTERM');
    const third = await started(frozen, frozen.lines.length);
    expect(third.pid).not.toBe(first.pid);
  });

  it('is told, and dead before another leads, when renewals do not get through', async () => {
    const cut = stage.run('cut', [], ['stubborn']);
    await started(cut);
    const other = stage.run('cut');
    await other.line(/standing for cut/);
    const block = blockWrites();
    await cut.line(
      /^tenure: lease not renewed for \d\.\d s; child gets SIGTERM, SIGKILL in 0\.\d s, another may lead in \d\.\d s$/,
    );
    await cut.line(/^tenure: child ended by SIGKILL/);
    block.release();
    const seen = await Promise.race([started(other), started(cut, cut.lines.length)]);
    const ticks = cut.lines.slice(
      0,
      cut.lines.findIndex((line) => line.startsWith('tenure: child ended')),
    );
    const last = ticks.findLast((line) => line.startsWith('tick '))?.slice(5) ?? '0';
    expect(BigInt(last)).toBeLessThan(seen.atNs);
  });

  it('is killed at once when the lease was given to somebody else', async () => {
    const robbed = stage.run('robbed', [], ['stubborn']);
    const { pid } = await started(robbed);
    const database = new Database(join(stage.folder, '.tenure/tenure.db'));
    database
      .prepare(
        "UPDATE lease SET holder = 'thief', session_id = 'other', fencing_token = fencing_token + 1, version = version + 1 WHERE election = 'robbed'",
      )
      .run();
    database.close();
    await robbed.line(/^tenure: .*lost.*; child is killed at once$/);
    await robbed.line(/^tenure: child ended by SIGKILL after .*; standing again$/);
    expect(await isRunning(pid)).toBe(false);
  });

  it('ends with --once after the first session', async () => {
    const once = stage.run('once', ['--once'], ['polite', '4']);
    await started(once);
    expect((await stage.tenure(['step-down', '--election', 'once']).end()).code).toBe(0);
    expect((await once.end()).code).toBe(4);
  });
});

describe('nobody is orphaned', () => {
  it('when the wrapper is killed with -9', async () => {
    // The default lease: its deadline is far away, so what ends the command is the death of the wrapper.
    const command = ['--', process.execPath, WORKER, 'stubborn'];
    const run = stage.tenure(['run', '--election', 'killed', '--grace', '300ms', ...command]);
    const { pid, guard } = await started(run);
    const killedNs = process.hrtime.bigint();
    run.signal('SIGKILL');
    // Output closes when the last of wrapper, guard and command is gone.
    await run.closed;
    expect(run.lines).toContain('received SIGTERM');
    expect(run.stderr).toContain(
      'the process that held the lease died; its child was ended with SIGTERM, then SIGKILL',
    );
    expect(lastTickNs(run) - killedNs).toBeLessThan(5_000_000_000n);
    expect(await isRunning(pid)).toBe(false);
    expect(await isRunning(guard)).toBe(false);
  });

  it('when the guard is killed with -9', async () => {
    const run = stage.run('guard', [], ['stubborn']);
    const { pid, guard } = await started(run);
    process.kill(guard, 'SIGKILL');
    expect((await run.end()).code).toBe(137);
    expect(run.stderr).toContain('guard died; child ended by SIGKILL');
    expect(await isRunning(pid)).toBe(false);
  });

  it('when the guard is frozen, at the deadline', async () => {
    const run = stage.run('numb', ['--once'], ['stubborn']);
    const { pid, guard } = await started(run);
    process.kill(guard, 'SIGSTOP');
    const block = blockWrites();
    // The command stops ticking; only then the guard may wake and tell.
    await run.line(/^tenure: .*(deadline|over).*$/);
    while (await isRunning(pid)) await run.line(/./, run.lines.length - 1);
    block.release();
    process.kill(guard, 'SIGCONT');
    expect((await run.end()).code).toBe(137);
  });

  it('when the command has a group of its own and ignores SIGTERM', async () => {
    const script = 'trap "" TERM; sleep 1000 & echo ready; exec sleep 1000';
    const run = stage.tenure(['run', '--election', 'group', '--grace', '300ms', '--', 'sh', '-c', script]);
    await run.line(/^ready/);
    run.signal('SIGKILL');
    await run.closed;
    expect(run.stderr).toContain('ended with SIGTERM, then SIGKILL');
  });
});
