import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryLease } from '../../src/drivers/memory/lease.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import type { LeaseRecord, LeaseWrite } from '../../src/ports/lease-store.ts';
import { MachineClock } from '../../src/simulation/machine-clock.ts';
import { SeededRandom } from '../../src/simulation/seeded-random.ts';
import { settle } from '../../src/simulation/settle.ts';
import { SimulatedBackend } from '../../src/simulation/simulator/backend.ts';
import { Link } from '../../src/simulation/simulator/link.ts';
import { Revisions } from '../../src/simulation/simulator/revisions.ts';
import { Server } from '../../src/simulation/simulator/server.ts';
import { ServerLease } from '../../src/simulation/simulator/server-lease.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

const LATENCY = 10;
const CALL = { timeoutMs: 1_000 };
const acquire: LeaseWrite = {
  kind: 'acquire',
  expectedVersion: null,
  holder: 'alpha',
  sessionId: 's1',
  durationMs: 15_000,
};

async function place() {
  const world = new VirtualClock();
  const clock = new MachineClock(world);
  const server = new Server();
  const link = new Link({ world, clock, server, latencyMs: () => LATENCY });
  const backend = new SimulatedBackend({ link });
  const random = new SeededRandom(1);
  const open: OpenBackend = await backend.open({ election: 'e', identity: 'alpha', clock, random });
  const { lease, register } = server.election('e');
  const advance = (ms: number) => world.advance(ms, settle);
  return { world, clock, server, link, backend, open, lease, register, advance };
}

/** The outcome of a call, `open` for as long as there is none. */
function outcomeOf(call: Promise<{ readonly outcome: string }>): { outcome: string } {
  const state = { outcome: 'open' };
  void call.then(({ outcome }) => {
    state.outcome = outcome;
  });
  return state;
}

describe('a call', () => {
  it('takes one way to the server and one back', async () => {
    const { open, lease, advance } = await place();
    const call = outcomeOf(open.lease.write(acquire, CALL));
    await advance(LATENCY - 1);
    expect([lease.record, call.outcome]).toEqual([null, 'open']);
    await advance(1);
    expect([lease.record?.holder, call.outcome]).toEqual(['alpha', 'open']);
    await advance(LATENCY);
    expect(call.outcome).toBe('committed');
  });

  it.each([
    ['drop', 'unknown', false],
    ['lose-answer', 'unknown', true],
    ['refuse', 'refused', false],
    ['too-large', 'refused', false],
    ['delay', 'unknown', true],
    ['slow-answer', 'unknown', true],
  ] as const)('struck by %s is %s', async (fault, outcome, isApplied) => {
    const { open, lease, link, advance } = await place();
    link.strike({ fault, calls: 'lease', times: 1, delayMs: 5_000 });
    const call = outcomeOf(open.lease.write(acquire, CALL));
    await advance(1_000);
    expect(call.outcome).toBe(outcome);
    await advance(10_000);
    expect(lease.record !== null).toBe(isApplied);
    const next = outcomeOf(open.lease.read(CALL));
    await advance(2 * LATENCY);
    expect(next.outcome).toBe(isApplied ? 'found' : 'absent');
  });

  it.each([
    ['both', false, false, 'unknown'],
    ['both', true, true, 'unknown'],
    ['to', true, true, 'unknown'],
    ['from', false, true, 'unknown'],
  ] as const)('cut off (%s, held: %s) is applied: %s', async (way, holds, isApplied, outcome) => {
    const { open, lease, link, advance } = await place();
    link.cutOff({ way, holds });
    const call = outcomeOf(open.lease.write(acquire, CALL));
    await advance(5_000);
    expect(call.outcome).toBe(outcome);
    link.heal();
    await advance(LATENCY);
    expect(lease.record !== null).toBe(isApplied);
  });

  it('of a process that stands still is answered when it goes on; of a dead one it still arrives', async () => {
    const { open, clock, link, lease, advance } = await place();
    const call = outcomeOf(open.lease.write(acquire, CALL));
    clock.freeze();
    await advance(500);
    expect([lease.record?.sessionId, call.outcome]).toEqual(['s1', 'open']);
    link.resume(false, () => clock.thaw());
    await advance(0);
    expect(call.outcome).toBe('committed');
    const last = outcomeOf(open.lease.write({ kind: 'release', expectedVersion: 1n }, CALL));
    clock.stop();
    await advance(5_000);
    expect([lease.record?.holder, last.outcome]).toEqual(['', 'open']);
  });

  it('meets a server that is down: refused at once, or nothing at all', async () => {
    const { open, server, advance } = await place();
    server.health = 'refusing';
    const refused = outcomeOf(open.lease.write(acquire, CALL));
    await advance(2 * LATENCY);
    expect(refused.outcome).toBe('refused');
    server.health = 'silent';
    const lost = outcomeOf(open.lease.read(CALL));
    await advance(999);
    expect(lost.outcome).toBe('open');
    await advance(1);
    expect(lost.outcome).toBe('failed');
  });
});

describe('a watch', () => {
  const versions = (seen: readonly (LeaseRecord | null)[]) => seen.map((record) => record?.version ?? null);
  const entry = { sessionId: 's1', fencingToken: 1n, address: 'x', metadata: {} };
  const put = (expectedVersion: bigint, key: string) => ({
    expectedVersion,
    fence: { fencingToken: 1n, sessionId: 's1' },
    puts: new Map([[key, entry]]),
    withdrawals: new Map<string, string>(),
  });

  it.each([
    ['drop', [null, 2n]],
    ['repeat', [null, 1n, 1n, 2n]],
    ['late', [null, 1n, 2n]],
    ['overtaken', [null, 2n]],
  ] as const)(
    'of the lease, an event struck by %s: nothing older after something newer, and the newest in the end',
    async (fault, seen) => {
      const { open, lease, backend, advance } = await place();
      const news: (LeaseRecord | null)[] = [];
      open.lease.watch((record) => news.push(record));
      await advance(50);
      backend.strikeNews({ of: 'lease', fault, times: 1, delayMs: 100 });
      lease.write(acquire, 'now');
      await advance(fault === 'repeat' ? 200 : 5);
      lease.write({ kind: 'renew', expectedVersion: 1n, durationMs: 15_000 }, 'now');
      await advance(500);
      const told = versions(news);
      expect(told.slice(0, seen.length)).toEqual(seen);
      expect(told.at(-1)).toBe(2n);
    },
  );

  it.each(['drop', 'overtaken', 'late', 'repeat'] as const)(
    'of the register, an event struck by %s: what comes out adds up to what is stored',
    async (fault) => {
      const { open, register, backend, advance } = await place();
      const held = new Map<string, unknown>();
      let newest = -1n;
      open.register.watch(({ version, full, changed }) => {
        expect(version).toBeGreaterThanOrEqual(newest);
        newest = version;
        if (full) held.clear();
        for (const [key, value] of changed) {
          if (value === null) held.delete(key);
          else held.set(key, value);
        }
      });
      await advance(50);
      backend.strikeNews({ of: 'register', fault, times: 1, delayMs: 100 });
      register.write(put(0n, 'a'));
      register.write(put(1n, 'b'));
      register.eraseByHand('a');
      await advance(500);
      expect([newest, [...held.keys()]]).toEqual([3n, ['b']]);
    },
  );

  it('comes back in full after a partition and after a restart of the server', async () => {
    const { open, lease, link, server, advance } = await place();
    const news: (LeaseRecord | null)[] = [];
    open.lease.watch((record) => news.push(record));
    await advance(50);
    link.cutOff({ way: 'from', holds: false });
    lease.write(acquire, 'now');
    await advance(1_000);
    expect(versions(news)).toEqual([null]);
    link.heal();
    await advance(50);
    expect(versions(news)).toEqual([null, 1n]);
    server.health = 'silent';
    server.restart();
    await advance(50);
    expect(versions(news)).toEqual([null, 1n, 1n]);
  });
});

describe('the lease of the server', () => {
  it('decides as the arbiter machine does', async () => {
    const write = fc.oneof(
      fc.record({ kind: fc.constant('acquire' as const), version: fc.integer({ min: -1, max: 6 }) }),
      fc.record({
        kind: fc.constantFrom('renew', 'release', 'request-step-down'),
        version: fc.integer({ min: 0, max: 6 }),
      }),
    );
    const toWrite = (
      { kind, version }: { readonly kind: string; readonly version: number },
      at: number,
    ): LeaseWrite => {
      const expectedVersion = version < 0 ? null : BigInt(version);
      const sessionId = kind === 'acquire' ? `s${at}` : `s${version}`;
      return { kind, expectedVersion, holder: 'h', sessionId, durationMs: 1_000 + at } as LeaseWrite;
    };
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 25 }), async (writes) => {
        const oracle = new MemoryLease(() => 'now');
        const lease = new ServerLease(new Revisions('own'));
        for (const [at, one] of writes.entries()) {
          const asked = toWrite(one, at);
          expect(lease.write(asked, 'now')).toEqual(await oracle.write(asked, CALL));
        }
      }),
    );
  });

  it('with shared revisions versions leave gaps, and tokens are revisions that only grow', () => {
    const { lease, register } = new Server('shared').election('e');
    const first = lease.write(acquire, 'now');
    register.write({
      expectedVersion: 0n,
      fence: { fencingToken: 1n, sessionId: 's1' },
      puts: new Map(),
      withdrawals: new Map(),
    });
    const next = lease.write({ ...acquire, expectedVersion: 1n, sessionId: 's2' } as LeaseWrite, 'now');
    expect([first, next]).toMatchObject([
      { record: { version: 1n, fencingToken: 1n } },
      { record: { version: 3n, fencingToken: 3n } },
    ]);
  });
});
