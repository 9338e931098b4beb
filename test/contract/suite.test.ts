import { describe, expect, it } from 'vitest';
import { type ContractOptions, contractSuite } from '../../src/contract/index.ts';
import { chapters } from '../../src/contract/laws/index.ts';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import { InvalidOptionsError } from '../../src/errors.ts';
import { leaseWritingFaults } from './broken/lease-faults.ts';
import { flowingClock } from './flowing-clock.ts';

const laws = chapters.flatMap((chapter) => chapter.laws);

/** A runner that only takes down what is registered. */
function notingRunner() {
  const groups: string[] = [];
  const cases = new Map<string, () => Promise<void>>();
  const skipped: string[] = [];
  const register = (name: string, body: () => void): void => {
    groups.push(name);
    body();
  };
  const noting = Object.assign((name: string, body: () => Promise<void>) => void cases.set(name, body), {
    skip: (name: string) => void skipped.push(name),
  });
  return { groups, cases, skipped, describe: register, it: noting };
}

function registered(options: Partial<ContractOptions>) {
  const runner = notingRunner();
  contractSuite({
    name: 'kept',
    describe: runner.describe,
    it: runner.it,
    emptyStore: () => ({ backend: memory({ board: new MemoryBoard() }) }),
    capabilities: { protection: 'lease' },
    clock: flowingClock(),
    ...options,
  });
  return runner;
}

describe('contractSuite', () => {
  it('registers every law once, under the name of the backend', () => {
    const { groups, cases, skipped } = registered({});
    expect(groups).toEqual(chapters.map(({ title }) => `kept: ${title}`));
    expect(cases.size + skipped.length).toBe(laws.length);
    expect([...cases.keys()]).toEqual(
      laws.filter(({ needs }) => needs === undefined || needs === 'lock').map((l) => l.name),
    );
  });

  it('skips what is not declared, and says why', () => {
    const { cases, skipped } = registered({ capabilities: { protection: 'none', survivesReopen: true } });
    expect(cases.has('lease and register outlive their handles')).toBe(true);
    expect(skipped).toContain("one of many acquisitions at once is committed (skipped: protection is 'none')");
    expect(skipped).toContain('a watch brings only what changed (skipped: differences is not declared)');
  });

  it('runs a case on a store of its own, and disposes of it', async () => {
    const made: MemoryBoard[] = [];
    let disposed = 0;
    const { cases } = registered({
      emptyStore: () => {
        const board = new MemoryBoard();
        made.push(board);
        const dispose = (): void => {
          disposed += 1;
        };
        return { backend: memory({ board }), dispose };
      },
    });
    for (const name of ['nobody has a lease in a new store', 'every write moves the version up'])
      await cases.get(name)?.();
    expect([made.length, disposed]).toEqual([2, 2]);
  });

  it('tells the whole story of a broken law', async () => {
    const broken = leaseWritingFaults.find(({ fault }) => fault === 'forgets the token of a released lease');
    const { cases } = registered({
      emptyStore: broken?.emptyStore ?? (() => Promise.reject(new Error('no such fault'))),
    });
    const failure = await cases
      .get('a release keeps the token and clears the rest')?.()
      .catch((error: Error) => error);
    expect(String(failure)).toBe(
      [
        'AssertionError [ERR_ASSERTION]: broken law: a release keeps the token and clears the rest',
        "  rule: LeaseRecord: holder, sessionId and stepDownFor are '' once released; fencingToken is kept",
        '  looked at: the released record',
        "  expected: { holder: '', sessionId: '', stepDownFor: '', fencingToken: 1n }",
        "  received: { holder: '', sessionId: '', stepDownFor: '', fencingToken: 0n }",
      ].join('\n'),
    );
  });

  it('names what it waited for in vain', async () => {
    const { cases } = registered({
      emptyStore: () => {
        const inner = memory({ board: new MemoryBoard() });
        const open: typeof inner.open = async (context) => {
          const real = await inner.open(context);
          const lease = { ...real.lease, watch: () => () => {} };
          return { place: real.place, protection: 'lease', lease, register: real.register, close: () => real.close() };
        };
        return { backend: { name: 'deaf', open } };
      },
    });
    await expect(cases.get('a watch first reports the lease that is there')?.()).rejects.toThrow(
      'failed: waited 4000 ms for a watch to report what there is, after it was started; so far: []',
    );
  });

  it('says so when a declared capability has no hook', async () => {
    const { cases } = registered({ capabilities: { protection: 'lease', interrupt: true } });
    await expect(cases.get('a write in doubt is decided by a newer version')?.()).rejects.toThrow(
      'the capability is declared, but the store under test has no interrupt',
    );
  });

  it('refuses options that break a rule, all at once and before anything is registered', () => {
    const runner = notingRunner();
    const wrong = {
      ...{ name: '', describe: runner.describe, it: () => {}, emptyStore: 1, boundMs: -1, manyEntries: 2.5 },
      capabilities: { protection: 'some', differences: 'yes', survivesRestart: true },
    };
    const failure = ((): unknown => {
      try {
        return contractSuite(wrong as never);
      } catch (error) {
        return error;
      }
    })();
    expect(failure).toBeInstanceOf(InvalidOptionsError);
    expect((failure as InvalidOptionsError).violations.map(({ field }) => field)).toEqual([
      ...['name', 'it', 'emptyStore', 'boundMs', 'manyEntries'],
      ...['capabilities.differences', 'capabilities.survivesRestart', 'capabilities.protection'],
    ]);
    expect(runner.groups).toEqual([]);
  });
});
