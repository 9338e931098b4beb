import { holds, same } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { entries, FIRST, Mirror } from '../register-hand.ts';

export const registerReading: Chapter = {
  title: 'register: reading',
  laws: [
    {
      name: 'a reading without a version gives the whole map',
      rule: 'Container.read: without since the whole map',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(await register.put(0n, ['a', 'b']), ['c']);
        const whole = { version, fence: FIRST, full: true, changed: entries(['a', 'b', 'c'], FIRST) };
        same(await register.state(), whole, 'the whole register');
      },
    },
    {
      name: 'a reading since a version is enough to follow, deletions too',
      rule: 'Container.read: with since, what changed after that version; a null value is a deletion',
      async prove(trial) {
        const [one, two] = await trial.two();
        const mirrors = [new Mirror()];
        let version = 0n;
        const steps = [
          () => one.register.put(version, ['a', 'b', 'c']),
          () => one.register.put(version, ['b'], FIRST, 'http://new'),
          () => one.register.withdraw(version, ['c']),
          () => one.register.commit({ expectedVersion: version }),
        ];
        for (const step of steps) {
          version = await step();
          const mirror = new Mirror();
          mirror.apply(await one.register.state());
          mirrors.push(mirror);
        }
        const stored = await two.register.state();
        for (const mirror of mirrors) {
          const since = mirror.version;
          mirror.apply(await two.register.state({ since }));
          same(mirror.entries, new Map(stored.changed), `a copy of version ${since} that was brought up to date`);
          same(mirror.version, stored.version, 'the version of the copy');
        }
      },
    },
    {
      name: 'a reading since a version brings only what changed',
      rule: 'Container.read: with since only what changed after that version; full says that it is the whole map',
      needs: 'differences',
      async prove(trial) {
        const { register } = await trial.open();
        const first = await register.put(0n, ['a', 'b', 'c']);
        const second = await register.put(first, ['b'], FIRST, 'http://new');
        const third = await register.withdraw(second, ['c']);
        const b = [...entries(['b'], FIRST, 'http://new')];
        const differences: [bigint, Map<string, unknown>][] = [
          [first, new Map<string, unknown>([...b, ['c', null]])],
          [second, new Map([['c', null]])],
          [third, new Map()],
        ];
        for (const [since, changed] of differences) {
          const expected = { version: third, fence: FIRST, full: false, changed };
          same(await register.state({ since }), expected, `what changed since version ${since}`);
        }
      },
    },
    {
      name: 'a version that never was is answered with the whole map',
      rule: 'ContainerState.full: changed holds the whole map rather than a difference',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(0n, ['a']);
        const whole = { version, fence: FIRST, full: true, changed: entries(['a'], FIRST) };
        same(await register.state({ since: version + 5n }), whole, 'what changed since a version of another store');
      },
    },
    {
      name: 'single keys can be read',
      rule: 'Container.read: keys',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(0n, ['a', 'b', 'c']);
        const asked = await register.state({ keys: ['c', 'a', 'missing'] });
        same(
          new Map(asked.changed),
          entries(['a', 'c'], FIRST),
          'the entries of the keys a, c and one that is missing',
        );
        same(asked.version, version, 'the version beside them');
        same((await register.state({ keys: [] })).changed.size, 0, 'the number of entries for no key');
      },
    },
    {
      name: 'single keys can be read since a version',
      rule: 'Container.read: keys and since',
      async prove(trial) {
        const { register } = await trial.open();
        const since = await register.put(0n, ['a', 'b', 'c', 'd']);
        const put = await register.put(since, ['a', 'b'], FIRST, 'http://new');
        await register.withdraw(put, ['c']);
        const { full, changed } = await register.state({ keys: ['a', 'c', 'd'], since });
        const a = [...entries(['a'], FIRST, 'http://new')];
        const whole = new Map<string, unknown>([...a, ...entries(['d'], FIRST)]);
        const difference = new Map<string, unknown>([...a, ['c', null]]);
        same(new Map(changed), full ? whole : difference, `what is said of a, c and d (full: ${full})`);
      },
    },
    {
      name: 'readers from any version stay right while very many entries come and go',
      rule: 'ContainerState.full: changed holds the whole map rather than a difference',
      async prove(trial) {
        const { register } = await trial.open();
        const mirror = new Mirror();
        const slow = new Mirror();
        let version = 0n;
        const rounds = 5;
        for (let round = 0; round < rounds; round += 1) {
          const keys = Array.from({ length: Math.ceil(trial.manyEntries / rounds) }, (_, n) => `job-${round}-${n}`);
          version = await register.put(version, keys);
          mirror.apply(await register.state({ since: mirror.version }));
          if (round === 0) slow.apply(await register.state());
          version = await register.withdraw(version, keys.slice(1));
          mirror.apply(await register.state({ since: mirror.version }));
        }
        slow.apply(await register.state({ since: slow.version }));
        const stored = new Map((await register.state()).changed);
        same(stored.size, rounds, 'the number of entries that were never withdrawn');
        same(mirror.entries, stored, 'a copy that followed every write');
        same(slow.entries, stored, 'a copy that missed all but the first write');
      },
    },
    {
      name: 'a reading says which version it is of',
      rule: 'ContainerState.version: grows with every committed write',
      async prove(trial) {
        const [one, two] = await trial.two();
        let version = 0n;
        for (let n = 0; n < 5; n += 1) {
          version = await one.register.put(version, ['a'], FIRST, `http://${n}`);
          const found = await two.register.state({ since: version - 1n });
          const address = found.changed.get('a')?.address;
          holds(
            found.version === version && address === `http://${n}`,
            'a reading right after a write was answered',
            `version ${version} with http://${n}`,
            found,
          );
        }
      },
    },
  ],
};
