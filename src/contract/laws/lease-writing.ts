import type { LeaseWrite } from '../../ports/lease-store.ts';
import { grows, holds, same, sameFields } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { DURATION_MS } from '../lease-hand.ts';

/** What a wall clock says, in any precision. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

export const leaseWriting: Chapter = {
  title: 'lease: writing',
  laws: [
    {
      name: 'nobody has a lease in a new store',
      rule: "LeaseReading: 'absent' where there is no record",
      async prove(trial) {
        const { lease } = await trial.open();
        same(await lease.read(), { outcome: 'absent' }, 'reading the lease of a new store');
      },
    },
    {
      name: 'everybody reads an acquisition as it was answered',
      rule: 'LeaseWriteResult: committed carries the record as stored',
      async prove(trial) {
        const [one, two] = await trial.two();
        const acquired = await one.lease.acquire(null, 's-1');
        const asked = { holder: 'holder of s-1', sessionId: 's-1', durationMs: DURATION_MS, stepDownFor: '' };
        sameFields(acquired, asked, 'the record that the acquisition was answered with');
        holds(acquired.fencingToken > 0n, 'the first fencing token', 'above 0', acquired.fencingToken);
        for (const at of [acquired.acquiredAt, acquired.renewedAt]) {
          holds(ISO.test(at) && !Number.isNaN(Date.parse(at)), 'a time of the record', 'ISO text in UTC', at);
        }
        same(await two.lease.current(), acquired, 'the record that another participant reads');
        same(await one.lease.current(), acquired, 'the record that the holder reads');
      },
    },
    {
      name: 'names of holders come back as they were written',
      rule: 'LeaseRecord.holder: identity of the holder, compared exactly',
      async prove(trial) {
        const { lease } = await trial.open();
        const holder = `${'é'.repeat(100)} 漢 🎈 "quoted" \\ 'it' %2F <&> ${'x'.repeat(100)}/8f14e45f`;
        await lease.write({
          kind: 'acquire',
          expectedVersion: null,
          holder,
          sessionId: 's-1',
          durationMs: DURATION_MS,
        });
        same((await lease.current()).holder, holder, 'the holder that a reading finds');
      },
    },
    {
      name: 'every write moves the version up',
      rule: 'LeaseRecord.version: compare-and-set token; grows with every write',
      async prove(trial) {
        const { lease } = await trial.open();
        const acquired = await lease.acquire(null, 's-1');
        const renewed = await lease.renew(acquired.version);
        const asked = await lease.requestStepDown(renewed.version, 's-1');
        const released = await lease.release(asked.version);
        const again = await lease.acquire(released.version, 's-2');
        const records = [acquired, renewed, asked, released, again];
        grows(
          records.map(({ version }) => version),
          'versions of acquire, renew, request-step-down, release and acquire',
        );
      },
    },
    {
      name: 'a renewal changes the promised duration and nothing of the session',
      rule: 'LeaseWrite renew: durationMs; LeaseRecord.durationMs: what the holder promised',
      async prove(trial) {
        const { lease } = await trial.open();
        const { holder, sessionId, fencingToken, acquiredAt, version } = await lease.acquire(null, 's-1');
        const asked = 7_000.5;
        const renewed = await lease.renew(version, asked);
        sameFields(renewed, { holder, sessionId, fencingToken, acquiredAt }, 'the record of the renewal');
        const { durationMs } = renewed;
        // A store that keeps whole seconds rounds up: a shorter promise lets others take over too early.
        holds(durationMs >= asked && durationMs < asked + 1_000, 'the promise', `${asked} ms, rounded up`, durationMs);
        same(await lease.current(), renewed, 'the record that a reading finds');
      },
    },
    {
      name: 'only an acquisition changes the token',
      rule: 'LeaseRecord.fencingToken: token of the newest acquisition',
      async prove(trial) {
        const { lease } = await trial.open();
        const acquired = await lease.acquire(null, 's-1');
        const renewed = await lease.renew(acquired.version);
        const asked = await lease.requestStepDown(renewed.version, 's-1');
        const token = acquired.fencingToken;
        same([renewed.fencingToken, asked.fencingToken], [token, token], 'the tokens after renewal and request');
      },
    },
    {
      name: 'a release keeps the token and clears the rest',
      rule: "LeaseRecord: holder, sessionId and stepDownFor are '' once released; fencingToken is kept",
      async prove(trial) {
        const { lease } = await trial.open();
        const acquired = await lease.acquire(null, 's-1');
        const asked = await lease.requestStepDown(acquired.version, 's-1');
        const released = await lease.release(asked.version);
        const { fencingToken } = acquired;
        sameFields(released, { holder: '', sessionId: '', stepDownFor: '', fencingToken }, 'the released record');
        same(await lease.current(), released, 'the record that a reading finds');
      },
    },
    {
      name: 'tokens grow from session to session, released or not',
      rule: 'LeaseRecord.fencingToken: kept when the lease is released, so that it only grows',
      async prove(trial) {
        const [one, two] = await trial.two();
        const first = await one.lease.acquire(null, 's-1');
        const released = await one.lease.release(first.version);
        const second = await two.lease.acquire(released.version, 's-2');
        const third = await one.lease.acquire(second.version, 's-3');
        const last = await one.lease.release((await one.lease.renew(third.version)).version);
        const fourth = await one.lease.acquire(last.version, 's-4');
        const sessions = [first, second, third, fourth];
        grows(
          sessions.map(({ fencingToken }) => fencingToken),
          'tokens of four sessions',
        );
      },
    },
    {
      name: 'an acquisition takes over a lease that is held',
      rule: 'LeaseStore: implementations never decide; whether a lease has run out is for the contenders to know',
      async prove(trial) {
        const [one, two] = await trial.two();
        const first = await one.lease.acquire(null, 's-1');
        const second = await two.lease.acquire(first.version, 's-2');
        sameFields(second, { holder: 'holder of s-2', sessionId: 's-2' }, 'the record of the second acquisition');
        same(await one.lease.current(), second, 'the record that the former holder reads');
      },
    },
    {
      name: 'a step-down request lasts until the session ends',
      rule: 'LeaseRecord.stepDownFor: the session that somebody asked to step down',
      async prove(trial) {
        const { lease } = await trial.open();
        const { holder, version } = await lease.acquire(null, 's-1');
        const asked = await lease.requestStepDown(version, 's-1');
        sameFields(asked, { stepDownFor: 's-1', holder, sessionId: 's-1' }, 'the record after the request');
        const renewed = await lease.renew(asked.version);
        same(renewed.stepDownFor, 's-1', 'stepDownFor after a renewal');
        same((await lease.acquire(renewed.version, 's-2')).stepDownFor, '', 'stepDownFor of the next session');
      },
    },
    {
      name: 'only the session that holds the lease can be asked to step down',
      rule: 'LeaseWrite: one that does not fit the record is answered with conflict',
      async prove(trial) {
        const { lease } = await trial.open();
        const first = await lease.acquire(null, 's-1');
        const held = await lease.acquire(first.version, 's-2');
        const late = { kind: 'request-step-down', expectedVersion: held.version, sessionId: 's-1' } as const;
        same(await lease.write(late), { outcome: 'conflict', record: held }, 'asking a session that has ended');
        same(await lease.current(), held, 'the record afterwards');
      },
    },
    {
      name: 'a lease that nobody holds can only be acquired',
      rule: 'LeaseWrite: one that does not fit the record is answered with conflict',
      async prove(trial) {
        const { lease } = await trial.open();
        for (const write of changesOf(3n)) {
          // Without a lock, only who has acquired may ask.
          if (trial.protection === 'none' && write.kind === 'request-step-down') continue;
          const what = `${write.kind} where there is no record`;
          same(await lease.write(write), { outcome: 'conflict', record: null }, what);
        }
        const released = await lease.release((await lease.acquire(null, 's-1')).version);
        for (const write of [...changesOf(released.version), ...changesOf(released.version, '')]) {
          const what = `${write.kind} of a released lease`;
          same(await lease.write(write), { outcome: 'conflict', record: released }, what);
        }
      },
    },
    {
      name: 'a release or request of an older version conflicts with the record that is there',
      rule: 'LeaseWriteResult: conflict carries the record that was found instead; nothing is changed',
      async prove(trial) {
        const { lease } = await trial.open();
        const { version: old } = await lease.acquire(null, 's-1');
        const newer = await lease.renew(old);
        for (const write of changesOf(old).filter(({ kind }) => kind !== 'renew')) {
          same(await lease.write(write), { outcome: 'conflict', record: newer }, `a late ${write.kind}`);
        }
        same(await lease.current(), newer, 'the record afterwards');
      },
    },
  ],
};

function changesOf(expectedVersion: bigint, sessionId = 's-1'): LeaseWrite[] {
  return [
    { kind: 'renew', expectedVersion, durationMs: DURATION_MS },
    { kind: 'release', expectedVersion },
    { kind: 'request-step-down', expectedVersion, sessionId },
  ];
}
