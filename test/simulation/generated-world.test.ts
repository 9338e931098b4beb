import { describe, expect, it, vi } from 'vitest';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import type { LeaderSession } from '../../src/runtime/api.ts';
import { LeaderSessionHandle } from '../../src/runtime/leader-session.ts';
import { ContenderRulesBroken, contenderWorld, type TestedContender } from '../../src/simulation/index.ts';
import { good } from './contenders.ts';

const plain: TestedContender = good['confirms, works, stops'] ?? (() => {});

const untilTold = (session: LeaderSession): Promise<unknown> =>
  new Promise((resolve) => session.signal.addEventListener('abort', resolve));

describe('a world for one contender', () => {
  it('gives it the session of the runtime itself', async () => {
    let seen: LeaderSession | null = null;
    const world = await contenderWorld(async (session) => {
      seen = session;
      await session.confirm({ address: 'http://a', metadata: { zone: 'b' } });
      await untilTold(session);
    });
    await world.grant();
    expect(seen).toBeInstanceOf(LeaderSessionHandle);
    expect(world.sessions).toEqual([seen]);
    expect(world.store.entry).toEqual({
      sessionId: 's1',
      fencingToken: 10n,
      address: 'http://a',
      metadata: { zone: 'b' },
    });
    await world.finish();
    expect(world.store.entry).toBe(null);
    expect(world.state).toBe('closed');
  });

  it('hides nothing that production would not forgive: confirm taken off its session fails here too', async () => {
    const world = await contenderWorld(async (session) => {
      const { confirm } = session;
      await confirm({ address: 'http://a' });
    });
    await world.grant();
    expect(world.broken.map(({ rule }) => rule)).toEqual(['does-not-throw']);
    await expect(world.finish()).rejects.toThrow(ContenderRulesBroken);
  });

  it('moves the timers of the contender and its own together', async () => {
    let done = 0;
    const world = await contenderWorld((session) => plain(session, () => void done++), { timers: vi });
    await world.grant();
    await world.advance('3500ms');
    expect(done).toBe(3);
    await world.advance(500);
    expect(done).toBe(4);
    expect(world.nowMs).toBe(4_000);
    await world.revoke();
    await world.advance('1m');
    expect(done).toBe(4);
    await world.finish();
  });

  it('revokes a suspended session at its deadline, not before', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    await world.grant();
    await world.suspend();
    await world.advance(12_999);
    expect(world.phase).toBe('confirmed');
    expect(world.sessions[0]?.remainingMs).toBe(1);
    await world.advance(1);
    expect(world.phase).toBe('standby');
    expect(world.story.at(-2)).toMatch(/tells the contender to stop: deadline/);
    await world.finish();
  });

  it('goes on when it is resumed in time', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    await world.grant();
    await world.suspend();
    await world.advance('10s');
    await world.resume();
    await world.advance('1m');
    expect(world.sessions[0]?.isCurrent).toBe(true);
    await world.finish();
  });

  it('reads back what was written when the answer got lost', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    world.loseAnswer();
    await world.grant();
    expect(world.phase).toBe('confirmed');
    expect(world.transitions).toContain('confirm-pending.publishing × publish.unknown');
    expect(world.store.entry?.sessionId).toBe('s1');
    await world.finish();
  });

  it.each(['failed', 'dead'] as const)('writes again by itself what was answered with %s', async (answer) => {
    const world = await contenderWorld(plain, { timers: vi });
    world.store.next(answer);
    await world.grant();
    await world.advance('1s');
    expect(world.phase).toBe('confirmed');
    await world.finish();
  });

  it('keeps an answer back until it is released', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    world.store.next('held');
    await world.grant();
    expect(world.state).toBe('confirm-pending.publishing');
    world.store.release();
    expect(world.state).toBe('confirmed.settled');
    await world.finish();
  });

  it('fences the session off', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    world.store.next('fenced');
    await world.grant();
    expect(world.phase).toBe('standby');
    await world.grant();
    expect(world.phase).toBe('confirmed');
    world.store.replace({ address: 'http://usurper', fencingToken: 99n });
    await world.rest();
    expect(world.phase).toBe('standby');
    await world.finish();
  });

  it('repairs an entry that somebody deletes', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    await world.grant();
    world.store.remove();
    expect(world.store.entry?.address).toBe('http://127.0.0.1:8080');
    await world.finish();
  });

  it('lets a failed contender rest before it stands again', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    world.store.next('rejected');
    await world.grant();
    expect(world.phase).toBe('resting');
    await expect(world.grant()).rejects.toThrow(/does not stand for election \(resting\): advance the time first/);
    await world.advance('2s');
    await world.grant();
    expect(world.phase).toBe('confirmed');
    await world.finish();
  });

  it('says what is missing, and which span is none', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    await expect(world.revoke()).rejects.toThrow(/has no session: grant one first/);
    await world.close();
    await expect(world.grant()).rejects.toThrow(/\(closed\): it is over; make a new world/);
    await expect(world.advance('10')).rejects.toThrow(/must be milliseconds, 0 or more, or a text with a unit/);
    await world.finish();
  });

  it('needs no timers of a runner: real I/O gets its turns, also where a test has faked the timers by itself', async () => {
    vi.useFakeTimers();
    try {
      const world = await contenderWorld(good['listens on a real port'] ?? (() => {}));
      await world.grant();
      expect(world.phase).toBe('confirmed');
      await world.revoke();
      expect(world.phase).toBe('standby');
      await world.finish();
    } finally {
      vi.useRealTimers();
    }
  });

  it('refuses what is no contender, and touches no timer then', async () => {
    await expect(contenderWorld(undefined as never, { timers: vi })).rejects.toThrow(/contender: .*must be a function/);
    expect(vi.isFakeTimers()).toBe(false);
  });

  it('throws when the leadership itself is at fault', async () => {
    const world = await contenderWorld(plain, { timers: vi });
    world.driver.post('nobody', { type: 'nonsense' });
    await expect(world.rest()).rejects.toThrow(/does not declare nonsense/);
    world.end();
  });

  it('gives the timers back at its end, also when a rule is broken', async () => {
    const world = await contenderWorld(() => {}, { timers: vi });
    expect(vi.isFakeTimers()).toBe(true);
    await world.grant();
    await expect(world.finish()).rejects.toThrow(/leads-until-told/);
    expect(vi.isFakeTimers()).toBe(false);
  });

  it('tells the same story twice', async () => {
    const tell = async (): Promise<readonly string[]> => {
      const world = await contenderWorld(plain, { timers: vi });
      await world.grant();
      world.store.next('failed', 'lost');
      world.store.remove();
      await world.advance('10s');
      await world.revoke('stepped-down');
      await world.finish();
      return world.story;
    };
    expect(await tell()).toEqual(await tell());
  });
});

describe('what the world plays by hand', () => {
  it('is what a real participant hears: the same contender confirms over a real backend', async () => {
    const { openTenure } = await import('../../src/index.ts');
    const { SeededRandom, settle, VirtualClock } = await import('../../src/simulation/index.ts');
    const clock = new VirtualClock();
    const backend = memory({ board: new MemoryBoard() });
    const tenure = await openTenure({ election: 'test', backend, clock, random: new SeededRandom(1) });
    const leading = tenure.lead('web', (session) => plain(session, () => {}));
    await clock.advance(100, settle);
    expect(leading.history.map(({ state }) => state)).toEqual([
      'standby',
      'grant-pending',
      'confirm-pending.awaiting',
      'confirm-pending.publishing',
      'confirmed.settled',
    ]);
    const world = await contenderWorld(plain);
    await world.grant();
    expect(world.leading.history.map(({ state }) => state)).toEqual(leading.history.map(({ state }) => state));
    await world.finish();
    await Promise.all([tenure.close(), clock.advance(1_000, settle)]);
  });
});
