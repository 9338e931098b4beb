import { describe, expect, it } from 'vitest';
import type { Backend, OpenBackend } from '../../src/ports/backend.ts';
import type { ContainerState, ContainerWrite } from '../../src/ports/container.ts';
import type { Action } from '../../src/simulation/simulator/actions.ts';
import { Book } from '../../src/simulation/simulator/book.ts';
import { ELECTION } from '../../src/simulation/simulator/participant.ts';
import type { Server } from '../../src/simulation/simulator/server.ts';
import type { Tamper } from '../../src/simulation/simulator/stage.ts';
import { runTwice } from '../../src/simulation/simulator/twice.ts';
import { World } from '../../src/simulation/simulator/world.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { plainWorld, violated } from './simulator-worlds.ts';

/** Every check, made to fail by a world that is broken on purpose. A check that cannot fail shows nothing. */

const stepDowns = (...times: readonly number[]): Action[] =>
  times.map((atMs) => ({ atMs, do: 'step-down', who: 'leader' }));

/** Parts of the opened backend replaced. */
function opened(own: Backend, change: (open: OpenBackend) => Partial<OpenBackend>): Backend {
  return {
    name: own.name,
    async open(context) {
      const open = await own.open(context);
      return { ...open, ...change(open), close: () => open.close() };
    },
  };
}

/** Every write of the register is another one than was asked for. */
function writes(change: (write: ContainerWrite) => ContainerWrite): (own: Backend) => Backend {
  return (own) =>
    opened(own, ({ register }) => ({
      register: {
        read: (options) => register.read(options),
        watch: (listener) => register.watch(listener),
        write: (write, call) => register.write(change(write), call),
      },
    }));
}

/** The watch of the register tells what is not. */
function hears(change: (state: ContainerState) => ContainerState): (own: Backend) => Backend {
  return (own) =>
    opened(own, ({ register }) => ({
      register: {
        read: (options) => register.read(options),
        write: (write, call) => register.write(write, call),
        watch: (listener) => register.watch((state) => listener(change(state))),
      },
    }));
}

describe('tokens', () => {
  const sameToken = (server: Server): void => {
    const { lease } = server.election(ELECTION);
    const write = lease.write.bind(lease);
    lease.write = (...args) => {
      const result = write(...args);
      return result.outcome === 'committed' ? { ...result, record: { ...result.record, fencingToken: 7n } } : result;
    };
  };

  it('I1, I2: two sessions get one token', async () => {
    const found = await violated({ actions: stepDowns(2_000), tamper: { server: sameToken } });
    expect(found).toEqual(expect.arrayContaining(['I1', 'I2']));
  });

  it('tokens-grow, retrieval-grows: something older comes after something newer', () => {
    const world = new World({ parameters: plainWorld() });
    const alpha = { name: 'alpha', identity: 'alpha-1', isDead: false } as never;
    const session = (fencingToken: bigint) => ({ id: `s${fencingToken}`, component: 'restserver', fencingToken });
    world.checks.started(alpha, session(2n) as never);
    world.checks.started(alpha, session(1n) as never);
    const leader = { component: 'restserver', sessionId: 's1', fencingToken: 1n, address: 'x', metadata: {} };
    world.checks.followed(alpha, 'restserver', leader, 2n);
    expect(world.book.violations.map(({ invariant }) => invariant)).toEqual([
      'tokens-grow',
      'retrieval-grows',
      'retrieval-true',
    ]);
  });
});

describe('the register', () => {
  it('I3: an entry is deleted by another session than its own', async () => {
    const tamper: Tamper = {
      server: (one) => {
        const { register } = one.election(ELECTION);
        const write = register.write.bind(register);
        register.write = (asked) => {
          const named = [...asked.withdrawals.keys()].map(
            (key) => [key, register.entry(key)?.sessionId ?? ''] as const,
          );
          return write({ ...asked, withdrawals: new Map(named) });
        };
      },
      backend: writes((write) => ({
        ...write,
        withdrawals: write.puts.size > 0 ? write.withdrawals : new Map([['restserver', 'nobody']]),
      })),
    };
    expect(await violated({ actions: stepDowns(2_000, 4_000), tamper })).toContain('I3');
  });

  it('I4: an entry is written for a session that is not the own', async () => {
    const foreign = writes((write) => ({
      ...write,
      puts: new Map([...write.puts].map(([key, entry]) => [key, { ...entry, sessionId: 'foreign' }])),
    }));
    expect(await violated({ actions: [], tamper: { backend: foreign } })).toContain('I4');
  });

  it('fence-grows, entries-grow: a write of an older session is taken', () => {
    const world = new World({ parameters: plainWorld() });
    const { register } = world.server.election(ELECTION);
    const take = (token: bigint): void => {
      const fence = { fencingToken: token, sessionId: `s${token}` };
      const entry = { ...fence, address: 'x', metadata: {} };
      const before = new Map([['restserver', register.entry('restserver')]]);
      register.entry = () => entry;
      Object.defineProperty(register, 'fence', { get: () => fence, configurable: true });
      const write = { expectedVersion: 0n, fence, puts: new Map([['restserver', entry]]), withdrawals: new Map() };
      world.server.observer.registerWritten?.('alpha', write, before, { outcome: 'committed', version: token });
    };
    take(2n);
    expect(world.book.violations).toEqual([]);
    take(1n);
    expect(world.book.violations.map(({ invariant }) => invariant)).toEqual(['entries-grow', 'fence-grows']);
  });

  it('confirmed-stored: the driver says committed and has written nothing', async () => {
    const tamper: Tamper = {
      backend: (own) =>
        opened(own, ({ register }) => ({
          register: {
            read: (options) => register.read(options),
            watch: (listener) => register.watch(listener),
            write: async (write) => ({ outcome: 'committed', version: write.expectedVersion + 1n }),
          },
        })),
    };
    expect(await violated({ actions: [], tamper })).toContain('confirmed-stored');
  });

  it('retrieval-true: a follower is told what was never stored', async () => {
    const lies = hears((state) => ({
      ...state,
      changed: new Map(
        [...state.changed].map(([key, entry]) => [key, entry === null ? null : { ...entry, address: 'lie' }]),
      ),
    }));
    expect(await violated({ actions: [], tamper: { backend: lies } })).toContain('retrieval-true');
  });

  it('recovers: the store loses an entry and tells nobody', async () => {
    const tamper: Tamper = {
      server: (one) => {
        const { register } = one.election(ELECTION);
        register.entry = () => null;
      },
    };
    expect(await violated({ actions: [], tamper })).toContain('recovers');
  });
});

describe('work and promises', () => {
  it('I7, exclusive: clocks that differ by more than the margin covers', async () => {
    const actions: Action[] = [
      { atMs: 1_000, do: 'partition', who: 'leader', forMs: 60_000, way: 'both', holds: false },
      { atMs: 70_000, do: 'ask-step-down' },
    ];
    const found = await violated({ actions, world: { rates: [0.5, 0.5, 1], participants: ['alpha', 'beta'] } });
    expect(found).toEqual([]);
    const apart = await Promise.all(
      [
        [0.5, 2, 1],
        [2, 0.5, 1],
      ].map((rates) => violated({ actions, world: { rates } })),
    );
    expect(apart.flat()).toEqual(expect.arrayContaining(['I7', 'exclusive']));
  });

  it('I5, I6: a contender is started inside of another', async () => {
    const second = { type: 'contender.start', session: { id: 'second', fencingToken: 9n } };
    const tamper: Tamper = {
      opened: ({ office, clock }) => {
        clock.setTimer(1_000, () => office.post('hand', 'contender:restserver', second));
      },
    };
    const found = await violated({ actions: stepDowns(3_000), tamper });
    expect(found).toEqual(expect.arrayContaining(['I5', 'I6']));
  });

  it('I8: what is confirmed is not stored when all has come to rest', () => {
    const book = new Book(new VirtualClock(), false);
    book.observations.push({ kind: 'rest', confirmed: new Map([['restserver', 's1']]), stored: new Map() });
    expect(book.verdict().map(({ invariant }) => invariant)).toEqual(['I8']);
  });

  it('I9: a promise of the public face never settles', async () => {
    const tamper: Tamper = { opened: ({ office }) => office.register('tenure', { deliver() {} }) };
    expect(await violated({ actions: stepDowns(2_000), tamper })).toEqual(expect.arrayContaining(['I9', 'recovers']));
  });

  it('undeclared-message: the runtime says that something is broken', async () => {
    const tamper: Tamper = { opened: ({ office }) => office.post('hand', 'election', { type: 'nonsense' }) };
    expect(await violated({ actions: [], tamper })).toContain('undeclared-message');
  });

  it('ends: a timer is left when all have closed', async () => {
    const tamper: Tamper = { opened: ({ clock }) => void clock.setTimer(10_000_000, () => {}) };
    expect(await violated({ actions: [], tamper })).toEqual(['ends']);
  });

  it('same-twice: something is not decided by the seed', async () => {
    let runs = 0;
    const tamper: Tamper = {
      opened: ({ clock, office }) => {
        runs += 1;
        clock.setTimer(100 + runs, () => office.post('hand', 'nobody', { type: 'tick' }));
      },
    };
    const { violations } = await runTwice({ parameters: plainWorld(), actions: [], tamper });
    expect(violations.map(({ invariant }) => invariant)).toEqual(['same-twice']);
    expect(violations[0]?.detail).toMatch(/^line \d+ is ".*hand nobody tick.*" in one run and ".*" in the other$/);
  });
});
