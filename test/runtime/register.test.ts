import { describe, expect, it } from 'vitest';
import type { LeaderInformation } from '../../machines/vocabulary.ts';
import { MemoryContainer } from '../../src/drivers/memory/container.ts';
import type { ContainerState } from '../../src/ports/container.ts';
import { PostOffice } from '../../src/runtime/post-office.ts';
import { RegisterFeed } from '../../src/runtime/register-feed.ts';
import { settle } from './stage.ts';

/**
 * Flink keeps leader information in an immutable register class (rows R1 to R16 of its tests). Here the container is the
 * register: the same facts, at the only place where they can be true.
 */
const FENCE = { fencingToken: 1n, sessionId: 's1' };
const CALL = { timeoutMs: 1_000 };

function entry(address: string, sessionId = 's1'): LeaderInformation {
  return { sessionId, fencingToken: 1n, address, metadata: {} };
}

class Register {
  readonly container = new MemoryContainer();
  #version = 0n;

  async write(puts: Record<string, LeaderInformation>, withdrawals: Record<string, string> = {}) {
    const write = { puts: new Map(Object.entries(puts)), withdrawals: new Map(Object.entries(withdrawals)) };
    const result = await this.container.write({ expectedVersion: this.#version, fence: FENCE, ...write }, CALL);
    if (result.outcome === 'committed') this.#version = result.version;
    return result;
  }

  async read(keys?: readonly string[]) {
    const reading = await this.container.read(keys === undefined ? CALL : { ...CALL, keys });
    if (reading.outcome !== 'found') throw new Error('memory always answers');
    return reading.state;
  }

  async addresses() {
    return Object.fromEntries([...(await this.read()).changed].map(([key, one]) => [key, one?.address]));
  }
}

describe('the register', () => {
  it('R9, R16: holds nothing at first', async () => {
    const { changed, version, fence } = await new Register().read();
    expect([changed.size, version, fence]).toEqual([0, 0n, null]);
  });

  it('R1, R3, R8: a write adds its entry and leaves the others and what was read before as they are', async () => {
    const register = new Register();
    await register.write({ rest: entry('http://a') });
    const before = await register.read();
    await register.write({ job: entry('http://j') });
    expect(await register.addresses()).toEqual({ rest: 'http://a', job: 'http://j' });
    expect([...before.changed.keys()]).toEqual(['rest']);
  });

  it('R5, R6: a withdrawal removes the entry of its own session', async () => {
    const register = new Register();
    await register.write({ rest: entry('http://a'), job: entry('http://j') });
    await register.write({}, { rest: 's1' });
    expect(await register.addresses()).toEqual({ job: 'http://j' });
  });

  it('R7: a withdrawal of an unknown component, or of another session, leaves everything, and moves the version', async () => {
    const register = new Register();
    await register.write({ rest: entry('http://a') });
    const { version } = await register.read();
    await register.write({}, { rest: 'another', job: 's1' });
    expect([await register.addresses(), (await register.read()).version]).toEqual([{ rest: 'http://a' }, version + 1n]);
  });

  it('R10 to R15: a component that is known is found, one that is not is known to be absent', async () => {
    const register = new Register();
    await register.write({ rest: entry('http://a') });
    const { changed } = await register.read(['rest', 'job']);
    expect([changed.get('rest'), changed.get('job') ?? null]).toEqual([entry('http://a'), null]);
  });
});

describe('the feed of the register', () => {
  it('posts what changed, once, and tells a full state from a difference', async () => {
    const register = new Register();
    const seen: Record<string, unknown>[] = [];
    const office = new PostOffice(() => {});
    office.register('election', {
      deliver: ({ changed, version }: { changed: Map<string, LeaderInformation | null>; version: bigint }) =>
        seen.push({ version, ...Object.fromEntries([...changed].map(([key, one]) => [key, one?.address ?? null])) }),
    });
    await register.write({ rest: entry('http://a') });
    const feed = new RegisterFeed(office, register.container);
    feed.start();
    await settle();
    await register.write({ job: entry('http://j') });
    await register.write({ job: entry('http://j') });
    await register.write({}, { rest: 's1' });
    await settle();
    feed.stop();
    await register.write({ rest: entry('http://late') });
    await settle();
    expect(seen).toEqual([
      { version: 1n, rest: 'http://a' },
      { version: 2n, job: 'http://j' },
      { version: 3n },
      { version: 4n, rest: null },
    ]);
  });

  it('misses an own entry between two whole states that look the same: only its writer knows that there was one', () => {
    const seen: [bigint, string, string | null][] = [];
    const office = new PostOffice(() => {});
    office.register('election', {
      deliver: ({ changed, version }: { changed: Map<string, LeaderInformation | null>; version: bigint }) => {
        for (const [component, one] of changed) seen.push([version, component, one?.address ?? null]);
      },
    });
    let tell: (state: ContainerState) => void = () => {};
    const container = new MemoryContainer();
    container.watch = (listener) => {
      tell = listener;
      return () => {};
    };
    const feed = new RegisterFeed(office, container);
    feed.start();
    const whole = (version: bigint, entries: Record<string, LeaderInformation>): void =>
      tell({ version, fence: FENCE, full: true, changed: new Map(Object.entries(entries)) });
    const [ours, older] = [entry('http://a'), entry('http://old', 's0')];
    whole(1n, { job: older });
    feed.wrote(new Map([['rest', ours]]), new Map());
    feed.wrote(new Map([['job', ours]]), new Map());
    // Written as version 2 and 3, then lost and put back by hand as version 4 and 5; the watch was down meanwhile.
    whole(5n, { job: older });
    whole(6n, { job: ours, rest: ours });
    whole(7n, { job: ours, rest: ours });
    feed.wrote(new Map(), new Map([['rest', 's1']]));
    whole(8n, { job: ours });
    whole(9n, { job: ours });
    expect(seen).toEqual([
      [1n, 'job', 'http://old'],
      [5n, 'job', 'http://old'],
      [5n, 'rest', null],
      [6n, 'job', 'http://a'],
      [6n, 'rest', 'http://a'],
      [8n, 'rest', null],
    ]);
  });
});
