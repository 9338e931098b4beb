import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import { grows, holds, same } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { entries, FIRST, information, type RegisterHand } from '../register-hand.ts';

const AT_ONCE = 20;

const STRANGE: LeaderInformation = {
  sessionId: 's-1',
  fencingToken: 2n ** 60n + 1n,
  address: 'é 漢 🎈 \u0000 \ud800 "\'',
  metadata: JSON.parse('{"__proto__":"x","":"empty","constructor":"y","\\ud800":"half \\ud800"}') as Record<
    string,
    string
  >,
};

/** All that `lead` accepts as the name of a component, and that something on the way might take for something else. */
const STRANGE_NAMES: readonly string[] = [
  ...['__proto__', 'constructor', 'toString', 'null', 'undefined', '0', '00', '-1', 'true'],
  ...[
    'a',
    'A',
    'a.b',
    'a-b',
    'a_b',
    'a b',
    '..a',
    '#',
    '?',
    '%',
    '%2F',
    '$',
    '&',
    '=',
    '"',
    "'",
    '\\',
    '`',
    ';--',
    '{}',
  ],
  // One letter in two spellings, wide characters, and the greatest length in each width.
  ...['é', 'e\u0301', '漢字', '🎈', 'x'.repeat(200), '漢'.repeat(200), '🎈'.repeat(200)],
];

export const registerWriting: Chapter = {
  title: 'register: writing',
  laws: [
    {
      name: 'a new register is empty, at version 0 and without a fence',
      rule: 'ContainerState.version: 0n means nothing has ever been written',
      async prove(trial) {
        const { register } = await trial.open();
        const empty = { version: 0n, fence: null, full: true, changed: new Map() };
        same(await register.state(), empty, 'the state of a new register');
      },
    },
    {
      name: 'everybody reads entries as they were written, whatever characters they hold',
      rule: 'Container: a key-value map of leader information',
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.commit({ puts: new Map([['web', STRANGE]]) });
        const stored = { version, fence: FIRST, full: true, changed: new Map([['web', STRANGE]]) };
        same(await two.register.state(), stored, 'what another participant reads');
        const keys = Object.keys((await two.register.state()).changed.get('web')?.metadata ?? {}).sort();
        same(keys, Object.keys(STRANGE.metadata).sort(), 'the own keys of the metadata');
      },
    },
    {
      name: 'every name of a component is a key of its own',
      rule: 'tenure.lead: component is 1 to 200 printable characters',
      async prove(trial) {
        const { register } = await trial.open();
        const puts = new Map(STRANGE_NAMES.map((name, n) => [name, information(FIRST, `http://host:${n}`)]));
        const version = await register.commit({ puts });
        same(new Map((await register.state()).changed), puts, 'the entries of strangely named components');
        const [gone = '', ...left] = STRANGE_NAMES;
        await register.withdraw(version, [gone]);
        const { changed } = await register.state({ keys: STRANGE_NAMES });
        same([...changed.keys()].sort(), [...left].sort(), `the names that are left after ${gone} was withdrawn`);
      },
    },
    {
      name: 'a put replaces its own key and leaves the others',
      rule: 'ContainerWrite.puts: key → the new entry',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(0n, ['a', 'b']);
        await register.put(version, ['b'], FIRST, 'http://elsewhere');
        const stored = new Map([...entries(['a'], FIRST), ...entries(['b'], FIRST, 'http://elsewhere')]);
        same(new Map((await register.state()).changed), stored, 'the entries after one was put anew');
      },
    },
    {
      name: 'a write of another version conflicts, says what is there, and changes nothing',
      rule: 'ContainerWriteResult: conflict carries version and fence',
      async prove(trial) {
        const [one, two] = await trial.two();
        const first = await one.register.put(0n, ['a']);
        const version = await one.register.put(first, ['a']);
        for (const expectedVersion of [0n, first, version + 7n]) {
          const late = await two.register.write({ expectedVersion, puts: entries(['b'], FIRST) });
          same(late, { outcome: 'conflict', version, fence: FIRST }, `a write of version ${expectedVersion}`);
        }
        const stored = { version, fence: FIRST, full: true, changed: entries(['a'], FIRST) };
        same(await one.register.state(), stored, 'the register afterwards');
      },
    },
    {
      name: 'one of many writes of one version is committed',
      rule: 'Container: changed only by compare-and-set',
      async prove(trial) {
        const [one, two] = await trial.two();
        const writes = Array.from({ length: AT_ONCE }, (_, n) =>
          (n % 2 ? one : two).register.write({ expectedVersion: 0n, puts: entries([`job-${n}`], FIRST) }),
        );
        const outcomes = (await Promise.all(writes)).map(({ outcome }) => outcome).sort();
        const expected = ['committed', ...Array.from({ length: AT_ONCE - 1 }, () => 'conflict')];
        same(outcomes, expected, `the outcomes of ${AT_ONCE} writes at once`);
        same((await one.register.state()).changed.size, 1, 'the number of entries afterwards');
      },
    },
    {
      name: 'every committed write moves the version up, one that changes nothing too',
      rule: 'Container.write: a committed write always moves the version, even one that changes nothing (a touch)',
      async prove(trial) {
        const { register } = await trial.open();
        const first = await register.commit({});
        const second = await register.put(first, ['a']);
        const third = await register.commit({ expectedVersion: second });
        const fourth = await register.withdraw(third, ['a']);
        const fifth = await register.withdraw(fourth, ['a']);
        grows(
          [0n, first, second, third, fourth, fifth],
          'versions of touch, put, touch, withdrawal and one of nothing',
        );
        same((await register.state()).version, fifth, 'the version that a reading finds');
      },
    },
    {
      name: 'a touch makes a write that is still on its way impossible',
      rule: 'Container.write: a committed write always moves the version, even one that changes nothing (a touch)',
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.put(0n, ['a']);
        const touched = await two.register.commit({ expectedVersion: version });
        const late = await one.register.write({ expectedVersion: version, puts: entries(['a'], FIRST, 'late') });
        same(late, { outcome: 'conflict', version: touched, fence: FIRST }, 'the write that came behind the touch');
      },
    },
    {
      name: 'only an entry of the named session is withdrawn',
      rule: 'ContainerWrite.withdrawals: the key is deleted only when its stored entry is of that session',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(0n, ['a', 'b']);
        const withdrawals = new Map([
          ['a', 's-1'],
          ['b', 'somebody else'],
          ['missing', 's-1'],
        ]);
        await register.commit({ expectedVersion: version, withdrawals });
        same([...(await register.state()).changed.keys()], ['b'], 'the keys that are left');
      },
    },
    {
      name: 'a withdrawn entry is gone, and can be put again',
      rule: 'ContainerWrite.withdrawals: the key is deleted',
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.put(0n, ['a', 'b']);
        const gone = await one.register.withdraw(version, ['a']);
        same([...(await two.register.state()).changed.keys()], ['b'], 'the keys after the withdrawal');
        await one.register.put(gone, ['a']);
        same([...(await two.register.state()).changed.keys()].sort(), ['a', 'b'], 'the keys after the new put');
      },
    },
    {
      name: 'withdrawals of a write come before its puts',
      rule: 'ContainerWrite.withdrawals: done before the puts; a key in both ends up with its new entry',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(0n, ['a']);
        const puts = entries(['a'], FIRST, 'http://new');
        await register.commit({ expectedVersion: version, puts, withdrawals: new Map([['a', 's-1']]) });
        same(new Map((await register.state()).changed), puts, 'the entry that was withdrawn and put');
      },
    },
    {
      name: 'a write is seen whole or not at all',
      rule: 'Container.write: one compare-and-set for all puts and withdrawals',
      async prove(trial) {
        const [one, two] = await trial.two();
        let version = 0n;
        for (let n = 0; n < 10; n += 1) {
          const puts = new Map([...entries(['a', 'b'], FIRST, `http://${n}`), ...entries([`c-${n}`], FIRST)]);
          const withdrawals = new Map([[`c-${n - 1}`, 's-1']]);
          const writing = one.register.commit({ expectedVersion: version, puts, withdrawals });
          const reading = allOrNothing(two.register);
          version = await writing;
          await reading;
        }
      },
    },
  ],
};

async function allOrNothing(register: RegisterHand): Promise<void> {
  for (let n = 0; n < 3; n += 1) {
    const { changed } = await register.state();
    const addresses = new Set([changed.get('a')?.address, changed.get('b')?.address]);
    const others = [...changed.keys()].filter((key) => key.startsWith('c-')).length;
    const isWhole = addresses.size === 1 && others === Math.min(1, changed.size);
    holds(isWhole, 'a reading while writes replace two keys and exchange a third', 'one write as a whole', changed);
  }
}
