import { filter, firstValueFrom, from, map, take, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Leader } from '../../src/runtime/api.ts';
import { Stage, settle, Worker } from './stage.ts';

async function followed() {
  const stage = new Stage();
  const [leader, other] = [await stage.open({ name: 'leader' }), await stage.open({ name: 'other' })];
  const following = other.follow('rest');
  return { stage, leader, other, following };
}

describe('follow', () => {
  it('V1, V2, S1, E5, E6: tells address and session of whoever confirmed, and "nobody" when the entry has gone', async () => {
    const { stage, leader, following } = await followed();
    const seen: (Leader | null)[] = [];
    following.subscribe((value) => seen.push(value));
    await settle();
    const worker = new Worker('http://a');
    const leading = leader.lead('rest', worker.run);
    await settle();
    const { id: sessionId, fencingToken } = worker.session;
    const entry = { component: 'rest', sessionId, fencingToken, address: 'http://a', metadata: {} };
    expect(following.current).toEqual(entry);
    await leading.close();
    await settle();
    expect(seen).toEqual([null, entry, null]);
    expect(following.state).toBe('vacant');
    expect(await stage.close()).toBe(0);
  });

  it('V5: the same leader again is no news, another address is', async () => {
    const { stage, leader, following } = await followed();
    const seen: (string | undefined)[] = [];
    following.subscribe((value) => seen.push(value?.address));
    const worker = new Worker('http://a');
    leader.lead('rest', worker.run);
    await settle();
    await worker.session.confirm({ address: 'http://a' });
    await worker.session.confirm({ address: 'http://b' });
    expect(seen).toEqual([undefined, 'http://a', 'http://b']);
    expect(await stage.close()).toBe(0);
  });

  it('a follower that comes late starts with what is known, in the very turn', async () => {
    const { stage, leader, other } = await followed();
    leader.lead('rest', new Worker('http://a').run);
    await settle();
    const late = other.follow('rest');
    const seen: (string | undefined)[] = [];
    late.subscribe((value) => seen.push(value?.address));
    expect([late.current?.address, seen]).toEqual(['http://a', ['http://a']]);
    const other2 = leader.follow('job');
    expect([other2.state, other2.current]).toEqual(['vacant', null]);
    expect(await stage.close()).toBe(0);
  });

  it('V4: nothing comes after close, and closing one follower leaves the others alone', async () => {
    const { stage, leader, other, following } = await followed();
    const [mine, theirs]: [(string | undefined)[], (string | undefined)[]] = [[], []];
    const second = other.follow('rest');
    following.subscribe((value) => mine.push(value?.address));
    second.subscribe((value) => theirs.push(value?.address));
    await settle();
    await following.close();
    await following.close();
    leader.lead('rest', new Worker('http://a').run);
    await settle();
    expect([mine, theirs]).toEqual([[undefined], [undefined, 'http://a']]);
    await second.close();
    const anew = other.follow('rest');
    expect(anew.current?.address).toBe('http://a');
    expect(await stage.close()).toBe(0);
  });

  it('V3: while the backend cannot be reached followers keep what they know, and learn the rest on reconnection', async () => {
    const stage = new Stage();
    const faults = stage.faults();
    const [leader, other] = [await stage.open(), await stage.open({ faults })];
    const following = other.follow('rest');
    const worker = new Worker('http://a');
    leader.lead('rest', worker.run);
    await settle();
    faults.cutOff();
    await worker.session.confirm({ address: 'http://b' });
    await settle();
    expect(following.current?.address).toBe('http://a');
    faults.reconnect();
    await settle();
    expect(following.current?.address).toBe('http://b');
    expect(await stage.close()).toBe(0);
  });

  it('a newer session that has not confirmed yet supersedes: followers are told "nobody", not left dialling', async () => {
    const { stage, leader, other, following } = await followed();
    const worker = new Worker('http://a');
    leader.lead('rest', worker.run);
    const silent = new Worker();
    other.lead('rest', silent.run);
    await settle();
    expect(following.state).toBe('known');
    await leader.stepDown();
    await settle();
    expect([following.state, following.current, following.supersededBy]).toEqual(['superseded', null, 2n]);
    expect(await stage.close()).toBe(0);
  });

  it('a signal ends it', async () => {
    const { stage, other } = await followed();
    const stop = new AbortController();
    let isComplete = false;
    other.follow('rest', { signal: stop.signal }).subscribe({
      complete: () => {
        isComplete = true;
      },
    });
    stop.abort();
    expect(isComplete).toBe(true);
    expect(await stage.close()).toBe(0);
  });
});

describe('as an AsyncIterable', () => {
  it('starts with the current value, sees only the newest of what it missed, and ends on close', async () => {
    const { stage, leader, following } = await followed();
    const worker = new Worker('http://a');
    leader.lead('rest', worker.run);
    await settle();
    const seen: (string | undefined)[] = [];
    const iterator = following[Symbol.asyncIterator]();
    seen.push((await iterator.next()).value?.address);
    for (const address of ['http://b', 'http://c', 'http://d']) await worker.session.confirm({ address });
    seen.push((await iterator.next()).value?.address);
    const end = iterator.next();
    await following.close();
    expect(await end).toEqual({ done: true, value: undefined });
    expect(seen).toEqual(['http://a', 'http://d']);
    expect(await stage.close()).toBe(0);
  });

  it('ends when its tenure closes, in a for-await loop too', async () => {
    const { stage, following } = await followed();
    const loop = (async () => {
      let count = 0;
      for await (const _ of following) count += 1;
      return count;
    })();
    await settle();
    expect(await stage.close()).toBe(0);
    expect(await loop).toBe(1);
  });

  it('the states of a component are seen one by one, however slowly they are fetched', async () => {
    const { stage, leader } = await followed();
    const leading = leader.lead('rest', new Worker('http://a').run);
    const iterator = leading.states[Symbol.asyncIterator]();
    const first = iterator.next();
    await settle();
    await leading.close();
    const phases: string[] = [(await first).value?.state ?? ''];
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      phases.push(next.value.state);
    expect(phases).toEqual([
      'standby',
      'grant-pending',
      'confirm-pending.awaiting',
      'confirm-pending.publishing',
      'confirmed.settled',
      'withdrawing.stopping',
      'withdrawing.deleting',
      'closed',
    ]);
    expect(leading.history.map(({ phase }) => phase).slice(0, 2)).toEqual(['standby', 'grant-pending']);
    expect(await stage.close()).toBe(0);
  });

  it('leaving the loop unsubscribes: an abandoned iterator holds nothing', async () => {
    const { stage, following } = await followed();
    await settle();
    for await (const leader of following) {
      expect(leader).toBeNull();
      break;
    }
    expect(await stage.close()).toBe(0);
  });
});

describe('as an Observable', () => {
  it('goes through RxJS as it is', async () => {
    const { stage, leader, following } = await followed();
    const addresses = firstValueFrom(
      following.pipe(
        filter((one) => one !== null),
        map((one) => one.address),
        take(2),
        toArray(),
      ),
    );
    const phases = firstValueFrom(
      from(leader.states).pipe(
        map((one) => one.phase),
        take(3),
        toArray(),
      ),
    );
    const worker = new Worker('http://a');
    leader.lead('rest', worker.run);
    await settle();
    await worker.session.confirm({ address: 'http://b' });
    expect(await addresses).toEqual(['http://a', 'http://b']);
    expect(await phases).toEqual(['idle', 'contending', 'leading']);
    expect(await stage.close()).toBe(0);
  });

  it('a consumer that unsubscribes while it is being called disturbs no other', async () => {
    const { stage, leader, following } = await followed();
    await settle();
    const [first, second]: [(string | undefined)[], (string | undefined)[]] = [[], []];
    const one = following.subscribe((value) => {
      first.push(value?.address);
      if (value !== null) one.unsubscribe();
    });
    following.subscribe((value) => second.push(value?.address));
    const worker = new Worker('http://a');
    leader.lead('rest', worker.run);
    await settle();
    await worker.session.confirm({ address: 'http://b' });
    expect([first, second]).toEqual([
      [undefined, 'http://a'],
      [undefined, 'http://a', 'http://b'],
    ]);
    expect(await stage.close()).toBe(0);
  });
});
