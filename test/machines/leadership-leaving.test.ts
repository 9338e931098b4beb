import { describe, expect, it } from 'vitest';
import type { Reached } from './leadership-words.ts';
import {
  allStates,
  answers,
  cancels,
  close,
  closed,
  committed,
  confirm,
  drained,
  elapsed,
  granted,
  joined,
  leadershipIn,
  left,
  ofType,
  overstays,
  publish,
  revoked,
  runningStates,
  s1,
  s2,
  sets,
  settled,
  stopsContender,
  withdraw,
  withdraws,
} from './leadership-words.ts';

/** Those in which a write of this session may have reached the register: only those have something to delete. */
const written: readonly Reached[] = [
  'confirm-pending.publishing',
  'confirm-pending.backing-off',
  'confirm-pending.resolving',
  'confirmed.settled',
  'confirmed.rewriting',
  'confirmed.backing-off',
  'confirmed.resolving',
];
const unwritten: readonly Reached[] = ['grant-pending', 'confirm-pending.awaiting', 'confirm-pending.held'];

describe('LE1, S5, D12, D25: closing', () => {
  it.each(written)('in %s stops the contender, then deletes the own entry, then drains and leaves', (state) => {
    const rig = leadershipIn(state);
    const { attempt, confirms } = rig.context;
    const said = rig.send(close);
    expect(ofType(said, 'contender.stop', 'confirm.settled', 'register.withdraw')).toEqual([
      answers(s1, confirms, 'session-over'),
      stopsContender(s1, 'closing'),
    ]);
    expect(ofType(rig.send(settled(s1)), 'register.withdraw', 'component.drained')).toEqual([
      withdraws(s1, attempt + 1),
    ]);
    expect(rig.send(withdraw('committed', s1, attempt + 1))).toEqual([
      cancels('withdraw:s1'),
      drained(s1),
      left,
      closed,
    ]);
    expect(rig.state).toBe('closed');
    expect(rig.context.confirms).toEqual([]);
  });

  it.each(unwritten)('in %s has nothing to delete', (state) => {
    const rig = leadershipIn(state);
    rig.send(close);
    expect(ofType(rig.send(settled(s1)), 'register.withdraw', 'component.drained')).toEqual([drained(s1)]);
    expect(rig.state).toBe('closed');
  });

  it('D9, D22: in standby leaves at once; a grant that was on its way has nobody to go to', () => {
    const rig = leadershipIn('standby');
    expect(rig.send(close)).toEqual([left, closed]);
    expect(rig.snapshot.status).toBe('done');
    expect(rig.send(granted(s1))).toEqual([]);
  });

  it('D10: while a revoked contender stops, ends with that same stop', () => {
    const rig = leadershipIn('revoked.stopping');
    rig.send(granted(s2));
    expect(rig.send(close)).toEqual([drained(s2)]);
    expect(rig.send(granted(s2))).toEqual([drained(s2)]);
    expect(rig.send(settled(s1))).toEqual([cancels('stop:s1'), drained(s1), left, closed]);
    expect(ofType(rig.said, 'contender.stop')).toHaveLength(1);
  });

  it('while an overstayer still runs, leaves it behind: it was reported, and the lock is not given back', () => {
    const rig = leadershipIn('revoked.overstaying');
    expect(rig.fork().send(close)).toEqual([left, closed]);
    rig.send(granted(s2));
    expect(rig.send(close)).toEqual([drained(s2), left, closed]);
  });

  it.each(['revoked.stopping', 'withdrawing.stopping'] as const)('in %s has the bound of every stop', (state) => {
    const rig = leadershipIn(state);
    rig.send(close);
    const said = rig.send(elapsed('stop:s1'));
    expect(ofType(said, 'component.overstayed', 'component.left', 'component.drained')).toEqual([overstays(s1), left]);
    expect(rig.state).toBe('closed');
  });

  it.each(allStates)('in %s, twice, leaves the election exactly once', (state) => {
    const rig = leadershipIn(state);
    rig.send(close, close, settled(s1), withdraw('fenced', s1, rig.context.attempt + 1));
    if (rig.state !== 'closed') rig.send(withdraw('fenced', s1, rig.context.attempt), elapsed('withdraw:s1'));
    expect(rig.state).toBe('closed');
    expect(ofType(rig.said, 'component.left')).toEqual([left]);
    expect(ofType(rig.said, 'component.joined')).toEqual([joined]);
  });
});

describe('deleting the own entry', () => {
  it('a failure is tried again until the bound, which is then reported', () => {
    const rig = leadershipIn('withdrawing.deleting');
    expect(rig.send(withdraw('failed', s1, 2))).toEqual([sets('retry:2', 100, 0.5)]);
    expect(rig.send(elapsed('retry:2'))).toEqual([cancels('retry:2'), withdraws(s1, 3)]);
    rig.send(withdraw('failed', s1, 3));
    const said = rig.send(elapsed('withdraw:s1'));
    expect(ofType(said, 'finding').map((one) => one.code)).toEqual(['withdraw-incomplete']);
    expect(ofType(said, 'component.drained', 'leadership.closed')).toEqual([drained(s1), closed]);
  });

  it('an answer that never comes is bounded as well', () => {
    const rig = leadershipIn('withdrawing.deleting');
    expect(ofType(rig.said, 'timer.set').at(-1)).toEqual(sets('withdraw:s1', 5_000));
    expect(ofType(rig.send(elapsed('withdraw:s1')), 'component.drained')).toEqual([drained(s1)]);
    expect(rig.state).toBe('closed');
  });

  it('late answers to older deletions match nothing', () => {
    const rig = leadershipIn('withdrawing.backing-off');
    rig.send(elapsed('retry:2'));
    expect(rig.send(withdraw('committed', s1, 2), withdraw('fenced', s2, 3), publish('fenced', s1, 1))).toEqual([]);
    expect(rig.state).toBe('withdrawing.deleting');
  });

  it.each(['withdrawing.deleting', 'withdrawing.backing-off'] as const)(
    'in %s a revoke takes the right away',
    (state) => {
      const rig = leadershipIn(state);
      expect(ofType(rig.send(revoked(s1)), 'component.drained', 'register.withdraw')).toEqual([drained(s1)]);
      expect(rig.state).toBe('closed');
    },
  );

  it('a session that is lost before the contender has settled has nothing to delete any more', () => {
    const rig = leadershipIn('withdrawing.stopping');
    rig.send(revoked(s1));
    expect(ofType(rig.send(settled(s1)), 'register.withdraw', 'component.drained')).toEqual([drained(s1)]);
  });

  it.each(['withdrawing.stopping', 'withdrawing.deleting', 'withdrawing.backing-off'] as const)(
    'in %s a new grant is drained at once',
    (state) => {
      const rig = leadershipIn(state);
      expect(rig.send(granted(s2))).toEqual([drained(s2)]);
      expect(rig.state).toBe(state);
    },
  );
});

describe('a contender that returns', () => {
  it.each(written)('in %s resigns: the entry is deleted and the component leaves', (state) => {
    const rig = leadershipIn(state);
    const { attempt } = rig.context;
    expect(ofType(rig.send(settled(s1)), 'register.withdraw')).toEqual([withdraws(s1, attempt + 1)]);
    expect(rig.context).toMatchObject({ leaving: 'resign', reason: 'resigned', confirms: [] });
    rig.send(withdraw('committed', s1, attempt + 1));
    expect(rig.state).toBe('closed');
  });

  it.each(unwritten)('in %s leaves at once', (state) => {
    const rig = leadershipIn(state);
    const { confirms } = rig.context;
    expect(rig.send(settled(s1))).toEqual([answers(s1, confirms, 'session-over'), drained(s1), left, closed]);
  });

  it('because it was told to stop has not resigned: the component stands on', () => {
    const rig = leadershipIn('revoked.stopping');
    rig.send(settled(s1, 'failed'));
    expect(rig.state).toBe('standby');
    expect(rig.context).toMatchObject({ rests: 0, leaving: null });
  });
});

describe('a contender that fails', () => {
  it.each(runningStates)('in %s rests outside the election and stands again', (state) => {
    const rig = leadershipIn(state);
    rig.send(settled(s1, 'failed'));
    if (rig.state === 'withdrawing.deleting') rig.send(withdraw('committed', s1, rig.context.attempt));
    expect(rig.state).toBe('resting');
    expect(rig.said.slice(-3)).toEqual([drained(s1), left, sets('rest:1', 1_000, 0.2)]);
    expect(rig.send(elapsed('rest:1'))).toEqual([cancels('rest:1'), joined]);
    expect(rig.state).toBe('standby');
    expect(rig.context).toMatchObject({ session: null, leaving: null, sent: null });
  });

  it('rests longer each time, until it has worked for a while', () => {
    const rig = leadershipIn('standby');
    const rests = [1, 2, 3].map((round) => {
      const said = rig.send(granted(s1), settled(s1, 'failed'));
      rig.send(elapsed(`rest:${round}`));
      return said.at(-1);
    });
    expect(rests).toEqual([sets('rest:1', 1_000, 0.2), sets('rest:2', 2_000, 0.2), sets('rest:3', 4_000, 0.2)]);
    rig.send(granted(s1), confirm(s1, 'c1'), committed(s1, 1, 3n), elapsed('calm:1'));
    expect(rig.context.rests).toBe(0);
  });

  it('may be granted the very same session again after its rest', () => {
    const rig = leadershipIn('resting');
    expect(rig.send(granted(s1))).toEqual([drained(s1)]);
    rig.send(elapsed('rest:1'), granted(s1), confirm(s1, 'c2'));
    expect(rig.context).toMatchObject({ leaving: null, lost: false });
    rig.send(committed(s1, 1, 9n), revoked(s1), settled(s1));
    expect(rig.state).toBe('standby');
  });

  it('resigns instead, when that is the policy', () => {
    const rig = leadershipIn('grant-pending', { onFailure: 'resign' });
    rig.send(settled(s1, 'failed'));
    expect(rig.state).toBe('closed');
    expect(rig.context.reason).toBe('failed');
  });

  it('while it rests, closing needs no second farewell', () => {
    const rig = leadershipIn('resting');
    expect(rig.send(close)).toEqual([cancels('rest:1'), closed]);
  });
});

describe('a contender that fails while its entry has to be deleted', () => {
  const failed = (): ReturnType<typeof leadershipIn> => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(settled(s1, 'failed'));
    return rig;
  };

  it('rests also when the deletion is fenced, taken away or goes past its bound', () => {
    for (const event of [withdraw('fenced', s1, 2), revoked(s1), elapsed('withdraw:s1')]) {
      const rig = failed();
      expect(ofType(rig.send(event), 'component.drained')).toEqual([drained(s1)]);
      expect(rig.state).toBe('resting');
      const again = failed();
      again.send(withdraw('failed', s1, 2));
      expect(again.state).toBe('withdrawing.backing-off');
      if (event.type === 'withdraw.fenced') again.send(elapsed('retry:2'), withdraw('fenced', s1, 3));
      else again.send(event);
      expect(again.state).toBe('resting');
    }
  });

  it('leaves for good when it is closed meanwhile', () => {
    const rig = failed();
    rig.send(close, withdraw('committed', s1, 2));
    expect(rig.state).toBe('closed');
  });
});
