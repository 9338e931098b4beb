import type { LeaseRecord, LeaseWriteResult } from '../../ports/lease-store.ts';
import { same } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { DURATION_MS } from '../lease-hand.ts';

const AT_ONCE = 20;

export const leaseLocking: Chapter = {
  title: 'lease: locking',
  laws: [
    {
      name: 'one of many acquisitions at once is committed',
      rule: 'LeaseWrite.expectedVersion: compare-and-set; null means "only if there is no record"',
      needs: 'lock',
      async prove(trial) {
        const [one, two] = await trial.two();
        const asked = Array.from({ length: AT_ONCE }, (_, n) => (n % 2 ? one : two).lease.tryAcquire(null, `s-${n}`));
        oneWins(await Promise.all(asked), await one.lease.current(), 'acquisitions of an absent lease');
      },
    },
    {
      name: 'one of many takeovers at once is committed',
      rule: 'LeaseWrite.expectedVersion: compare-and-set of exact versions',
      needs: 'lock',
      async prove(trial) {
        const [one, two] = await trial.two();
        const { version } = await one.lease.acquire(null, 'old');
        const asked = Array.from({ length: AT_ONCE }, (_, n) =>
          (n % 2 ? one : two).lease.tryAcquire(version, `s-${n}`),
        );
        oneWins(await Promise.all(asked), await one.lease.current(), 'acquisitions of one version');
      },
    },
    {
      name: 'a late acquisition conflicts with the record that is there',
      rule: 'LeaseWriteResult: conflict carries the record that was found instead; nothing is changed',
      needs: 'lock',
      async prove(trial) {
        const [one, two] = await trial.two();
        const first = await one.lease.acquire(null, 's-1');
        const taken = await two.lease.acquire(first.version, 's-2');
        const conflict = { outcome: 'conflict', record: taken };
        same(await one.lease.tryAcquire(first.version, 's-3'), conflict, 'an acquisition of an older version');
        same(await one.lease.tryAcquire(null, 's-4'), conflict, 'an acquisition of an absent lease, which is there');
        same(await one.lease.tryAcquire(taken.version + 1n, 's-5'), conflict, 'one of a version that is not there yet');
        same(await one.lease.current(), taken, 'the record afterwards');
      },
    },
    {
      name: 'a renewal after a takeover conflicts with the record of the new holder',
      rule: 'LeaseWriteResult: conflict carries the record that was found instead; nothing is changed',
      needs: 'lock',
      async prove(trial) {
        const [one, two] = await trial.two();
        const { version } = await one.lease.acquire(null, 's-1');
        const taken = await two.lease.acquire(version, 's-2');
        const renewal = { kind: 'renew', expectedVersion: version, durationMs: DURATION_MS } as const;
        same(await one.lease.write(renewal), { outcome: 'conflict', record: taken }, 'the renewal of the old holder');
        same(await one.lease.current(), taken, 'the record afterwards');
      },
    },
    {
      name: 'anybody may ask the holder to step down',
      rule: 'LeaseRecord.stepDownFor: the session that somebody asked to step down',
      needs: 'lock',
      async prove(trial) {
        const [one, two] = await trial.two();
        const { version } = await one.lease.acquire(null, 's-1');
        const watching = one.lease.watch();
        await two.lease.requestStepDown(version, 's-1');
        await watching.until('the request', (items) => items.at(-1)?.stepDownFor === 's-1');
      },
    },
    {
      name: 'a lease that was deleted by hand is gone for its holder',
      rule: 'LeaseStore: the watch reports null; a renewal conflicts with null and creates nothing',
      needs: 'removeLease',
      async prove(trial) {
        const { lease } = await trial.open();
        const { version } = await lease.acquire(null, 's-1');
        const watching = lease.watch();
        await watching.until('the record', (items) => items.at(-1)?.version === version);
        await trial.hook('removeLease').call(trial.store, 'billing');
        await watching.until('that there is no lease', (items) => items.at(-1) === null);
        const renewal = { kind: 'renew', expectedVersion: version, durationMs: DURATION_MS } as const;
        same(await lease.write(renewal), { outcome: 'conflict', record: null }, 'renewing a deleted lease');
        same(await lease.read(), { outcome: 'absent' }, 'reading it afterwards');
      },
    },
  ],
};

function oneWins(results: readonly LeaseWriteResult[], stored: LeaseRecord, what: string): void {
  const committed = results.filter(({ outcome }) => outcome === 'committed');
  same(committed, [{ outcome: 'committed', record: stored }], `what was committed of ${AT_ONCE} ${what}`);
  const lost = results.filter(({ outcome }) => outcome !== 'committed');
  const conflicts = lost.map(() => ({ outcome: 'conflict', record: stored }));
  same(lost, conflicts, `the answers to the others of ${AT_ONCE} ${what}`);
}
