import { ERROR_CATALOGUE, TenureError } from '../../errors.ts';
import { holds, same, sameFields } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { DURATION_MS } from '../lease-hand.ts';
import { entries, FIRST, SECOND } from '../register-hand.ts';
import type { Hand, Trial } from '../trial.ts';
import { reaches } from './lease-watching.ts';
import { allReach } from './register-watching.ts';

const CLOSE_RULE = 'OpenBackend.close: idempotent; afterwards calls answer failed or refused, and watches are silent';

export const handles: Chapter = {
  title: 'handles',
  laws: [
    {
      name: 'a handle says where the election lives and what protects it',
      rule: 'OpenBackend: place is for people; protection is what was declared',
      async prove(trial) {
        const { backend } = await trial.open();
        holds(trial.store.backend.name !== '', 'the name of the backend', 'a word', trial.store.backend.name);
        holds(backend.place !== '', 'the place of the election', 'words for people', backend.place);
        same(backend.protection, trial.protection, 'the protection');
      },
    },
    {
      name: 'an open that fails says why, by a code',
      rule: 'Backend.open: may fail with a coded TenureError',
      needs: 'failingOpen',
      async prove(trial) {
        const failure = await trial.failureOf(trial.hook('unusable'));
        holds(failure instanceof TenureError, 'what opening an unusable store ends with', 'a TenureError', failure);
        holds(Object.hasOwn(ERROR_CATALOGUE, failure.code), 'its code', 'one of the catalogue', failure.code);
      },
    },
    {
      name: 'close settles, also twice and at once',
      rule: CLOSE_RULE,
      async prove(trial) {
        const hand = await trial.open();
        hand.lease.watch();
        hand.register.watch();
        await Promise.all([hand.close(), hand.close()]);
        await hand.close();
      },
    },
    {
      name: 'a closed handle answers',
      rule: CLOSE_RULE,
      async prove(trial) {
        const [open, closed] = await trial.two();
        await closed.close();
        same((await closed.lease.read()).outcome, 'failed', 'the outcome of reading the lease');
        same((await closed.lease.tryAcquire(null, 's-1')).outcome, 'refused', 'the outcome of an acquisition');
        same((await closed.register.read()).outcome, 'failed', 'the outcome of reading the register');
        const write = await closed.register.write({ puts: entries(['a'], FIRST) });
        sameFields(write, { outcome: 'refused', reason: 'unavailable' }, 'a write of the register');
        same(await open.lease.read(), { outcome: 'absent' }, 'the lease afterwards');
        same((await open.register.state()).version, 0n, 'the version of the register afterwards');
      },
    },
    {
      name: 'a closed handle is told nothing any more',
      rule: CLOSE_RULE,
      async prove(trial) {
        const [open, closed] = await trial.two();
        const leases = [closed.lease.watch()];
        const registers = [closed.register.watch()];
        for (const watching of [...leases, ...registers]) await watching.first();
        await closed.close();
        leases.push(closed.lease.watch());
        registers.push(closed.register.watch());
        const witness = { lease: open.lease.watch(), register: open.register.watch() };
        let record = await open.lease.acquire(null, 's-1');
        let version = await open.register.put(0n, ['a']);
        for (let n = 0; n < 2; n += 1) {
          await reaches(witness.lease, record);
          await allReach([witness.register], version);
          record = await open.lease.renew(record.version);
          version = await open.register.put(version, ['a']);
        }
        const counts = [...leases, ...registers].map(({ items }) => items.length);
        same(counts, [1, 0, 1, 0], 'reports of two watches of the lease and two of the register');
        for (const watching of [...leases, ...registers]) watching.stop();
      },
    },
    {
      name: 'calls that are under way at a close are answered',
      rule: CLOSE_RULE,
      async prove(trial) {
        const [open, closing] = await trial.two();
        const calls = [
          closing.lease.read(),
          closing.lease.tryAcquire(null, 's-1'),
          closing.register.read(),
          closing.register.write({ puts: entries(['a'], FIRST) }),
        ];
        await closing.close();
        const [, acquisition, , write] = await Promise.all(calls);
        const reading = await open.lease.read();
        if (acquisition?.outcome === 'committed') same(reading.outcome, 'found', 'the lease that was acquired');
        if (acquisition?.outcome === 'refused') same(reading.outcome, 'absent', 'the lease that was refused');
        const { version } = await open.register.state();
        if (write?.outcome === 'refused') same(version, 0n, 'the version after a write that was refused');
        if (write?.outcome === 'committed')
          holds(version > 0n, 'the version after a committed write', 'above 0', version);
      },
    },
    {
      name: 'closing one handle leaves the others as they are',
      rule: CLOSE_RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const acquired = await one.lease.acquire(null, 's-1');
        const version = await one.register.put(0n, ['a']);
        const watching = two.register.watch();
        await watching.first();
        await one.close();
        same(await two.lease.current(), acquired, 'the lease after the handle of its holder was closed');
        await allReach([watching], await two.register.put(version, ['b']));
      },
    },
    {
      name: 'the locks of two elections are independent',
      rule: 'BackendContext.election: the lock and the register belong to it',
      async prove(trial) {
        const here = await trial.open();
        const there = await trial.open({ election: 'shipping' });
        const watching = there.lease.watch();
        await watching.first();
        const first = await here.lease.acquire(null, 's-1');
        same(await there.lease.read(), { outcome: 'absent' }, 'the lease of the other election');
        const second = await there.lease.acquire(null, 's-2');
        await reaches(watching, second);
        same([await here.lease.current(), await there.lease.current()], [first, second], 'the leases of both');
        const holders = watching.items.flatMap((record) => record?.holder ?? []);
        same(new Set(holders), new Set(['holder of s-2']), 'the holders that the watch of one election reported');
      },
    },
    {
      name: 'the registers of two elections are independent',
      rule: 'BackendContext.election: the lock and the register belong to it',
      async prove(trial) {
        const here = await trial.open();
        const there = await trial.open({ election: 'shipping' });
        await here.register.put(0n, ['a'], SECOND);
        const empty = { version: 0n, fence: null, full: true, changed: new Map() };
        same(await there.register.state(), empty, 'the register of the other election');
        await there.register.put(0n, ['b']);
        same((await there.register.state()).fence, FIRST, 'the fence of the other election');
        same([...(await here.register.state()).changed.keys()], ['a'], 'the keys of the first election');
      },
    },
    {
      name: 'names of elections are told apart, up to 200 characters',
      rule: "openTenure: election is 1 to 200 of a-z, 0-9, '-', '.', starting with a letter or digit",
      prove: eachElectionIsItsOwn,
    },
    {
      name: 'lease and register outlive their handles',
      rule: 'Capabilities.survivesReopen: what was written is still there after every handle has been closed',
      needs: 'survivesReopen',
      async prove(trial) {
        const before = await trial.open();
        const acquired = await before.lease.acquire(null, 's-1');
        const version = await before.register.put(0n, ['a'], SECOND);
        await before.close();
        const after = await trial.open();
        same(await after.lease.current(), acquired, 'the lease that is found after the reopening');
        const stored = { version, fence: SECOND, full: true, changed: entries(['a'], SECOND) };
        same(await after.register.state(), stored, 'the register that is found after the reopening');
        const late = await after.register.write({ expectedVersion: version });
        sameFields(late, { outcome: 'refused', reason: 'fenced' }, 'a write of an older session after the reopening');
      },
    },
    {
      name: 'tokens and versions go on growing after a reopening',
      rule: 'LeaseRecord.fencingToken: only grows; Capabilities.survivesReopen',
      needs: 'survivesReopen',
      async prove(trial) {
        const before = await trial.open();
        const first = await before.lease.acquire(null, 's-1');
        const released = await before.lease.release(first.version);
        await before.close();
        const after = await trial.open();
        const second = await after.lease.acquire(released.version, 's-2');
        const { fencingToken } = second;
        holds(
          fencingToken > first.fencingToken,
          'the token after a reopening',
          `above ${first.fencingToken}`,
          fencingToken,
        );
        holds(second.version > released.version, 'the version', `above ${released.version}`, second.version);
      },
    },
    {
      name: 'what others keep in the same place is left alone',
      rule: 'StoreUnderTest.foreign: something of somebody else in the place that the backend writes',
      needs: 'foreign',
      async prove(trial) {
        const foreign = trial.hook('foreign');
        const { lease, register } = await trial.open();
        const acquired = await lease.acquire(null, 's-1');
        await foreign.put();
        const before = structuredClone(await foreign.look());
        await lease.release((await lease.renew(acquired.version)).version);
        await register.withdraw(await register.put(0n, ['a']), ['a']);
        same(await foreign.look(), before, 'what is not ours, after a few writes');
      },
    },
  ],
};

async function eachElectionIsItsOwn(trial: Trial): Promise<void> {
  const long = 'a'.repeat(199);
  const elections = ['0', 'a', `${long}b`, `${long}c`, 'a.b', 'a-b', 'a..b', 'a.-b', 'a-', 'a.leaders', 'constructor'];
  const hands: [string, Hand][] = [];
  for (const election of elections) hands.push([election, await trial.open({ election })]);
  for (const [election, { lease, register }] of hands) {
    const session = { fencingToken: 1n, sessionId: `of ${election}` };
    const write = { kind: 'acquire', expectedVersion: null, holder: election, sessionId: session.sessionId } as const;
    const { outcome } = await lease.write({ ...write, durationMs: DURATION_MS });
    same(outcome, 'committed', `the outcome of the first acquisition in election ${election}`);
    await register.put(0n, [election], session);
  }
  for (const [election, { lease, register }] of hands) {
    same((await lease.current()).holder, election, `the holder of election ${election}`);
    same([...(await register.state()).changed.keys()], [election], `the keys of election ${election}`);
  }
}
