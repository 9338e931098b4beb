import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fleet, msBetween } from './fleet.ts';

const LEASE_MS = 3_000;
let fleet: Fleet;
beforeEach(() => {
  fleet = new Fleet();
});
afterEach(() => fleet.close());

/** Starts `alpha` as the leader and `beta` behind it. */
async function alphaLeadsBetaStands(): Promise<void> {
  fleet.worker('alpha');
  await fleet.until((s) => s.event === 'confirmed' && s.name === 'alpha');
  fleet.worker('beta');
  await fleet.until((s) => s.event === 'standing' && s.name === 'beta');
}

describe('real processes on one SQLite file', { timeout: 60_000 }, () => {
  it('kill -9 of the leader: the next leader is confirmed within the lease and half a second', async () => {
    await alphaLeadsBetaStands();
    const killed = fleet.kill('alpha', 'SIGKILL');
    const next = await fleet.until((s) => s.event === 'confirmed' && s.name === 'beta');
    expect(msBetween(killed, next.at)).toBeLessThan(LEASE_MS + 500);
    expect(next.token).toBe('2');
  });

  it('SIGTERM: work stops, the lock is given back, and the next leader is confirmed within 300 ms', async () => {
    await alphaLeadsBetaStands();
    const ended = fleet.kill('alpha', 'SIGTERM');
    const next = await fleet.until((s) => s.event === 'confirmed' && s.name === 'beta');
    expect(msBetween(ended, next.at)).toBeLessThan(300);
    const stopped = await fleet.until((s) => s.event === 'stopped' && s.name === 'alpha');
    const granted = await fleet.until((s) => s.event === 'granted' && s.name === 'beta');
    expect(BigInt(stopped.at)).toBeLessThan(BigInt(granted.at));
    await fleet.until((s) => s.event === 'closed' && s.name === 'alpha');
    expect(await fleet.ended('alpha'), 'after close nothing keeps the process alive').toBe(0);
  });

  it('SIGSTOP for two leases, then SIGCONT: assertCurrent refuses, and so does the store', async () => {
    await alphaLeadsBetaStands();
    fleet.kill('alpha', 'SIGUSR2');
    const frozen = BigInt((await fleet.until((s) => s.event === 'freezes')).at);
    const next = await fleet.until((s) => s.event === 'confirmed' && s.name === 'beta');
    expect(msBetween(frozen, next.at)).toBeLessThan(LEASE_MS + 500);
    // Two leases without sleeping: a third process stands, and is waited for until the second lease has passed too.
    const beforeThaw = fleet.said.length;
    await passes(2 * LEASE_MS - msBetween(frozen, next.at));
    fleet.kill('alpha', 'SIGCONT');
    const refused = await fleet.until((s) => s.event === 'refused' && s.name === 'alpha', beforeThaw);
    expect(refused).toMatchObject({ token: '1', code: 'session-over' });
    const write = await fleet.until((s) => s.event === 'write' && s.name === 'alpha', beforeThaw);
    expect(write).toMatchObject({ token: '1', outcome: 'refused', reason: 'fenced' });
    await fleet.until((s) => s.event === 'stopped' && s.name === 'alpha', beforeThaw);
    expect(fleet.said.filter((s) => s.event === 'granted').map((s) => s.token)).toEqual(['1', '2']);
  });

  it('the database locked for a second: suspended at most, never revoked, and renewed afterwards', async () => {
    await alphaLeadsBetaStands();
    const from = fleet.said.length;
    fleet.holdLock(1_000);
    await fleet.until((s) => s.event === 'suspended' && s.name === 'alpha', from);
    await fleet.until((s) => s.event === 'unlocked', from);
    await fleet.until((s) => s.event === 'resumed' && s.name === 'alpha', from);
    expect(fleet.said.slice(from).filter((s) => s.event === 'stopped' || s.event === 'granted')).toEqual([]);
  });
});

/** Lets a span pass: the only thing that can be waited for when the process under test is frozen. */
function passes(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
