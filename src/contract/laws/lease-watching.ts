import type { LeaseRecord } from '../../ports/lease-store.ts';
import { neverGoesBack, same } from '../expect.ts';
import type { Chapter } from '../law.ts';
import type { Watching } from '../watching.ts';

const FIRST_RULE =
  'LeaseStore.watch: first reports what there is, null where there is no record, and never inside of the call';
const CHANGES_RULE = 'LeaseStore.watch: reports records as they change';
const STOP_RULE = 'LeaseStore.watch: returns the function that stops it; no call comes after that';

export const leaseWatching: Chapter = {
  title: 'lease: watching',
  laws: [
    {
      name: 'a watch first reports that there is no lease',
      rule: FIRST_RULE,
      async prove(trial) {
        const { lease } = await trial.open();
        const watching = lease.watch();
        await watching.first();
        same(watching.items[0], null, 'the first report from a new store');
      },
    },
    {
      name: 'a watch first reports the lease that is there',
      rule: FIRST_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const acquired = await one.lease.acquire(null, 's-1');
        for (const { lease } of [one, two]) {
          const watching = lease.watch();
          await watching.first();
          same(watching.items[0], acquired, 'the first report of a lease that is held');
        }
      },
    },
    {
      name: 'a watch reports what is written through its own handle',
      rule: CHANGES_RULE,
      async prove(trial) {
        const { lease } = await trial.open();
        const watching = lease.watch();
        await watching.first();
        const acquired = await lease.acquire(null, 's-1');
        await reaches(watching, acquired);
        const renewed = await lease.renew(acquired.version);
        await reaches(watching, renewed);
        await reaches(watching, await lease.release(renewed.version));
      },
    },
    {
      name: 'a watch reports what is written through another handle',
      rule: CHANGES_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const watching = one.lease.watch();
        await watching.first();
        const acquired = await two.lease.acquire(null, 's-1');
        await reaches(watching, acquired);
        const asked = await two.lease.requestStepDown(acquired.version, 's-1');
        await reaches(watching, asked);
        same(watching.last, asked, 'the newest report');
        await reaches(watching, await two.lease.release(asked.version));
      },
    },
    {
      name: 'watches never go back, and end at the newest record',
      rule: 'LeaseStore.watch: never reports an older version after a newer one',
      async prove(trial) {
        const [one, two] = await trial.two();
        const watches = [one.lease.watch(), one.lease.watch(), two.lease.watch()];
        let last = await one.lease.acquire(null, 's-1');
        for (let n = 0; n < 50; n += 1) last = await (n % 2 ? one : two).lease.renew(last.version, 15_000 + 1_000 * n);
        for (const watching of watches) {
          await reaches(watching, last);
          neverGoesBack(
            watching.items.map((record) => record?.version ?? 0n),
            'the versions that a watch reported while two participants wrote',
          );
        }
      },
    },
    {
      name: 'a watch of the lease that was stopped is silent',
      rule: STOP_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const never = one.lease.watch();
        never.stop();
        never.stop();
        const stopped = one.lease.watch();
        const witness = one.lease.watch();
        const acquired = await two.lease.acquire(null, 's-1');
        await reaches(stopped, acquired);
        stopped.stop();
        stopped.stop();
        const before = stopped.items.length;
        await reachesTwice(witness, two.lease, acquired);
        same(never.items, [], 'reports of a watch that was stopped at once');
        same(stopped.items.slice(before), [], 'reports of a watch after it was stopped');
      },
    },
    {
      name: 'a listener may stop its own watch of the lease and others',
      rule: STOP_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const victims: Watching<LeaseRecord | null>[] = [];
        let before: number | undefined;
        const stopper = one.lease.watch((record) => {
          if (record === null) return;
          for (const victim of [...victims, stopper]) victim.stop();
          // The victim may have heard of it before the stopper did, but not after.
          before ??= victims[0]?.items.length;
        });
        victims.push(one.lease.watch());
        const witness = one.lease.watch();
        for (const watching of [stopper, ...victims, witness]) await watching.first();
        const acquired = await two.lease.acquire(null, 's-1');
        await reachesTwice(witness, two.lease, acquired);
        same(
          stopper.items.filter((record) => record !== null).length,
          1,
          'reports until the listener stopped its watch',
        );
        same(victims[0]?.items.length, before, 'how often the watch that another listener stopped had reported');
      },
    },
  ],
};

export function reaches(watching: Watching<LeaseRecord | null>, record: LeaseRecord): Promise<void> {
  return watching.until(`version ${record.version}`, (items) => items.at(-1)?.version === record.version);
}

/** Two changes, each awaited: what was to be reported late has had its chance. */
async function reachesTwice(
  witness: Watching<LeaseRecord | null>,
  lease: { renew(version: bigint): Promise<LeaseRecord> },
  from: LeaseRecord,
): Promise<void> {
  const next = await lease.renew(from.version);
  await reaches(witness, next);
  await reaches(witness, await lease.renew(next.version));
}
