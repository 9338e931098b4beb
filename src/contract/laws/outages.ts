import { holds, same, sameFields } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { DURATION_MS } from '../lease-hand.ts';
import { entries, FIRST, SECOND } from '../register-hand.ts';
import type { Trial } from '../trial.ts';

const BOUND_RULE = 'CallOptions.timeoutMs: how long the call may take before it answers failed, refused or unknown';
const CERTAIN_RULE = 'refused: certainly not done; unknown: may have been done, or may yet be';
const CALL_MS = 50;

export const outages: Chapter = {
  title: 'outages',
  laws: [
    {
      name: 'calls that get no further are answered when their time is up',
      rule: BOUND_RULE,
      needs: 'interrupt',
      async prove(trial) {
        const { lease, register } = await trial.open();
        const { version } = await lease.acquire(null, 's-1');
        const restore = await trial.hook('interrupt').call(trial.store);
        const startMs = trial.nowMs();
        const renewal = { kind: 'renew', expectedVersion: version, durationMs: DURATION_MS } as const;
        const [renewed, written] = await Promise.all([lease.write(renewal, CALL_MS), register.write({}, CALL_MS)]);
        const [leaseReading, registerReading] = await Promise.all([lease.read(CALL_MS), register.read({}, CALL_MS)]);
        const tookMs = trial.nowMs() - startMs;
        await restore();
        for (const { outcome } of [renewed, written]) {
          holds(outcome === 'refused' || outcome === 'unknown', 'a write in an outage', 'refused or unknown', outcome);
        }
        // Some stores can still be read while they cannot be written.
        for (const { outcome } of [leaseReading, registerReading]) {
          holds(outcome === 'failed' || outcome === 'found', 'a reading in an outage', 'failed or found', outcome);
        }
        holds(tookMs < 20 * CALL_MS, 'the time that two calls in a row took', `about ${2 * CALL_MS} ms`, tookMs);
      },
    },
    {
      name: 'a refused write has not been done and never will be',
      rule: CERTAIN_RULE,
      needs: 'interrupt',
      async prove(trial) {
        const [one, two] = await trial.two();
        const held = await one.lease.acquire(null, 's-1');
        const version = await one.register.put(0n, ['a']);
        const restore = await trial.hook('interrupt').call(trial.store);
        const release = { kind: 'release', expectedVersion: held.version } as const;
        const released = await one.lease.write(release, CALL_MS);
        const put = { expectedVersion: version, fence: SECOND, puts: entries(['b'], SECOND) };
        const written = await one.register.write(put, CALL_MS);
        await restore();
        if (released.outcome === 'refused') same(await two.lease.current(), held, 'the lease after a refused release');
        const { changed, fence } = await two.register.state();
        const found = { keys: [...changed.keys()], fence };
        const untouched = { keys: ['a'], fence: FIRST };
        if (written.outcome === 'refused') same(found, untouched, 'the register after a refused write');
        holds(
          [released, written].every(({ outcome }) => outcome === 'refused' || outcome === 'unknown'),
          'two writes in an outage',
          'refused or unknown',
          [released, written],
        );
      },
    },
    {
      name: 'a write in doubt is decided by a newer version',
      rule: CERTAIN_RULE,
      needs: 'interrupt',
      prove: decidesDoubt,
    },
    {
      name: 'after an outage watches go on by themselves',
      rule: 'LeaseStore.watch, Container.watch: report what changes until they are stopped',
      needs: 'interrupt',
      async prove(trial) {
        const [one, two] = await trial.two();
        const leaseWatch = one.lease.watch();
        const registerWatch = one.register.watch();
        await Promise.all([leaseWatch.first(), registerWatch.first()]);
        const restore = await trial.hook('interrupt').call(trial.store);
        await one.register.write({}, CALL_MS);
        await restore();
        const { expectedVersion } = await settledVersion(trial);
        const acquired = await two.lease.acquire(null, 's-1');
        await leaseWatch.until('the acquisition', (items) => items.at(-1)?.version === acquired.version);
        const version = await two.register.put(expectedVersion, ['a']);
        await registerWatch.until('the new entry', (items) => items.at(-1)?.version === version);
      },
    },
    {
      name: 'what is too large is refused as that, and changes nothing',
      rule: "ContainerWriteResult: refused with the reason 'too-large'",
      needs: 'sizeLimit',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(0n, ['a']);
        const address = 'x'.repeat(trial.hook('tooLargeCharacters'));
        const answer = await register.write({ expectedVersion: version, puts: entries(['a', 'b'], FIRST, address) });
        sameFields(answer, { outcome: 'refused', reason: 'too-large' }, 'a write of more than fits');
        const stored = { version, fence: FIRST, full: true, changed: entries(['a'], FIRST) };
        same(await register.state(), stored, 'the register afterwards');
        await register.put(version, ['b']);
      },
    },
  ],
};

/** As the container machine does it: read, and touch the version as long as nothing has moved it. */
async function decidesDoubt(trial: Trial): Promise<void> {
  const [one, two] = await trial.two();
  const version = await one.register.put(0n, ['a']);
  const restore = await trial.hook('interrupt').call(trial.store);
  await one.register.write({ expectedVersion: version, puts: entries(['b'], FIRST) }, CALL_MS);
  await restore();
  const touch = await two.register.write({ expectedVersion: version });
  const decided = await two.register.state();
  const hasLanded = decided.changed.has('b');
  same(touch.outcome, hasLanded ? 'conflict' : 'committed', `a touch (the write in doubt has landed: ${hasLanded})`);
  await two.register.put(decided.version, ['c']);
  same((await one.register.state()).changed.has('b'), hasLanded, 'whether the write in doubt is there, once more');
}

/** The write in the outage may have landed, or may do so until something is written over it. */
async function settledVersion(trial: Trial): Promise<{ readonly expectedVersion: bigint }> {
  const { register } = await trial.open();
  const touch = await register.write({});
  if (touch.outcome === 'committed') return { expectedVersion: touch.version };
  return { expectedVersion: (await register.state()).version };
}
