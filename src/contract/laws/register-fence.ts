import { holds, same, sameFields } from '../expect.ts';
import type { Chapter } from '../law.ts';
import { entries, FIRST, SECOND } from '../register-hand.ts';

const RULE = 'ContainerWrite.fence: refused when the stored fence is newer, or equal in token and of another session';

export const registerFence: Chapter = {
  title: 'register: fence',
  laws: [
    {
      name: 'a write of a newer session raises the fence',
      rule: 'ContainerWrite.fence: a committed write stores it',
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.put(0n, ['a']);
        await one.register.commit({ expectedVersion: version, fence: SECOND });
        same((await two.register.state()).fence, SECOND, 'the fence that another participant reads');
      },
    },
    {
      name: 'an older token is refused, and changes nothing',
      rule: RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.put(0n, ['a']);
        const raised = await two.register.commit({ expectedVersion: version, fence: SECOND });
        const late = await one.register.write({ expectedVersion: raised, puts: entries(['a', 'b'], FIRST, 'late') });
        sameFields(late, { outcome: 'refused', reason: 'fenced' }, 'a put of the older session');
        const withdrawals = new Map([['a', 's-1']]);
        const gone = await one.register.write({ expectedVersion: raised, withdrawals });
        sameFields(gone, { outcome: 'refused', reason: 'fenced' }, 'a withdrawal by the older session');
        const stored = { version: raised, fence: SECOND, full: true, changed: entries(['a'], FIRST) };
        same(await one.register.state(), stored, 'the register afterwards');
      },
    },
    {
      name: 'the same token of another session is refused',
      rule: RULE,
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.commit({});
        const impostor = { fencingToken: FIRST.fencingToken, sessionId: 'impostor' };
        const answer = await register.write({ expectedVersion: version, fence: impostor });
        sameFields(answer, { outcome: 'refused', reason: 'fenced' }, 'a write with the same token of another session');
        same((await register.state()).fence, FIRST, 'the fence afterwards');
      },
    },
    {
      name: 'a session is not fenced off by itself',
      rule: RULE,
      async prove(trial) {
        const [one, two] = await trial.two();
        const version = await one.register.put(0n, ['a'], SECOND);
        await two.register.put(version, ['a'], { ...SECOND }, 'http://again');
        same((await one.register.state()).changed.get('a')?.address, 'http://again', 'the address after its update');
      },
    },
    {
      name: 'fenced is said before conflict',
      rule: "ContainerWriteResult: a deposed writer must hear 'fenced', not that it should read and try again",
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.commit({ fence: SECOND });
        const answer = await register.write({ expectedVersion: version + 7n });
        sameFields(answer, { outcome: 'refused', reason: 'fenced' }, 'a write that is both fenced and late');
      },
    },
    {
      name: 'a conflict does not raise the fence',
      rule: 'ContainerWriteResult: conflict changes nothing',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.commit({});
        const answer = await register.write({ expectedVersion: version + 1n, fence: SECOND });
        same(answer, { outcome: 'conflict', version, fence: FIRST }, 'a write of another version by a newer session');
        same((await register.state()).fence, FIRST, 'the fence afterwards');
      },
    },
    {
      name: 'a refusal that names a fence names the stored one',
      rule: 'ContainerWriteResult: refused as fenced, with the fence where the backend knows it',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.commit({ fence: SECOND });
        const answer = await register.write({ expectedVersion: version });
        const named = 'fence' in answer ? answer.fence : undefined;
        if (named !== undefined) same(named, SECOND, 'the fence of the refusal');
        const detail = 'detail' in answer ? answer.detail : '';
        holds(detail !== '', 'the detail of the refusal', 'words for people', detail);
      },
    },
    {
      name: 'the fence outlives the last entry',
      rule: 'Fence: stored in a container; writes of an older session are refused there',
      async prove(trial) {
        const { register } = await trial.open();
        const version = await register.put(0n, ['a'], SECOND);
        const empty = await register.withdraw(version, ['a'], SECOND);
        same(await register.state(), { version: empty, fence: SECOND, full: true, changed: new Map() }, 'the register');
        const late = await register.write({ expectedVersion: empty, puts: entries(['a'], FIRST) });
        sameFields(
          late,
          { outcome: 'refused', reason: 'fenced' },
          'a put of the older session into the empty register',
        );
      },
    },
    {
      name: 'tokens are compared as whole numbers, beyond 2^53 and by value',
      rule: 'Fence.fencingToken: a bigint',
      async prove(trial) {
        const { register } = await trial.open();
        let version = 0n;
        // 9 before 10 is wrong as text; the two large ones are one number as a double.
        for (const fencingToken of [9n, 10n, 2n ** 53n, 2n ** 53n + 1n]) {
          version = await register.commit({
            expectedVersion: version,
            fence: { fencingToken, sessionId: `s-${fencingToken}` },
          });
        }
        const late = { fencingToken: 2n ** 53n, sessionId: `s-${2n ** 53n + 1n}` };
        const answer = await register.write({ expectedVersion: version, fence: late });
        sameFields(answer, { outcome: 'refused', reason: 'fenced' }, 'a write with a token that is 1 too low');
      },
    },
  ],
};
