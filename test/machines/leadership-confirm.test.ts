import { describe, expect, it } from 'vitest';
import {
  allStates,
  answers,
  cancels,
  changed,
  committed,
  confirm,
  elapsed,
  entryOf,
  granted,
  leadershipIn,
  ofType,
  publish,
  publishes,
  readsBack,
  resumed,
  revoked,
  runningStates,
  s1,
  s2,
  sets,
  settled,
  started,
  startsContender,
  stopsContender,
  suspended,
} from './leadership-words.ts';

describe('confirming', () => {
  it('the contender is told to lead, says where it is reachable, and is answered once the write is acknowledged', () => {
    const rig = leadershipIn('standby');
    expect(rig.send(granted(s1))).toEqual([startsContender(s1)]);
    expect(rig.state).toBe('grant-pending');
    expect(rig.send(started(s1))).toEqual([]);
    expect(rig.send(confirm(s1, 'c1'))).toEqual([publishes(s1, 1)]);
    expect(rig.state).toBe('confirm-pending.publishing');
    expect(rig.send(committed(s1, 1, 3n))).toEqual([answers(s1, ['c1']), sets('calm:1', 10_000)]);
    expect(rig.state).toBe('confirmed.settled');
    expect(rig.context).toMatchObject({ confirms: [], published: { version: 3n } });
  });

  it('a contender may confirm before it says that it has started', () => {
    const rig = leadershipIn('grant-pending');
    expect(rig.send(confirm(s1, 'c1'))).toEqual([publishes(s1, 1)]);
    rig.send(started(s1));
    expect(rig.state).toBe('confirm-pending.publishing');
  });

  it('twice with the same address settles without a write (hazard H4)', () => {
    const rig = leadershipIn('confirmed.settled');
    expect(rig.send(confirm(s1, 'c2'))).toEqual([answers(s1, ['c2'])]);
    expect(rig.state).toBe('confirmed.settled');
  });

  it('twice with the same address while the first is being written is answered by that one write', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    expect(rig.send(confirm(s1, 'c2'))).toEqual([]);
    expect(rig.send(committed(s1, 1, 3n))).toContainEqual(answers(s1, ['c1', 'c2']));
  });

  it('with another address is an update', () => {
    const rig = leadershipIn('confirmed.settled');
    expect(rig.send(confirm(s1, 'c2', 'b'))).toEqual([cancels('calm:1'), publishes(s1, 2, 'b')]);
    expect(rig.state).toBe('confirmed.rewriting');
    expect(rig.send(committed(s1, 2, 5n))).toEqual([answers(s1, ['c2']), sets('calm:2', 10_000)]);
  });
});

describe('confirming anew while a write is under way', () => {
  it('each confirmation is answered by the write that carries its address', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    rig.send(confirm(s1, 'c2', 'b'));
    expect(rig.send(committed(s1, 1, 3n))).toEqual([answers(s1, ['c1']), publishes(s1, 2, 'b')]);
    expect(rig.state).toBe('confirmed.rewriting');
    expect(rig.send(committed(s1, 2, 4n))).toContainEqual(answers(s1, ['c2']));
    expect(rig.state).toBe('confirmed.settled');
  });

  it('an address that is not accepted does not take the next one with it', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    rig.send(confirm(s1, 'c2', 'b'));
    expect(ofType(rig.send(publish('rejected', s1, 1)), 'confirm.settled', 'register.publish')).toEqual([
      answers(s1, ['c1'], 'publish-rejected'),
      publishes(s1, 2, 'b'),
    ]);
    rig.send(committed(s1, 2, 4n));
    expect(rig.state).toBe('confirmed.settled');
  });

  it('the same while confirmed', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(confirm(s1, 'c2', 'b'), confirm(s1, 'c3', 'c'));
    expect(rig.send(committed(s1, 2, 4n))).toEqual([answers(s1, ['c2']), publishes(s1, 3, 'c')]);
    rig.send(confirm(s1, 'c4', 'd'));
    expect(ofType(rig.send(publish('rejected', s1, 3)), 'confirm.settled', 'register.publish')).toEqual([
      answers(s1, ['c3'], 'publish-rejected'),
      publishes(s1, 4, 'd'),
    ]);
  });

  it('the newest address is what a retry carries', () => {
    const rig = leadershipIn('confirm-pending.backing-off');
    expect(rig.send(confirm(s1, 'c2', 'b'))).toEqual([]);
    expect(rig.send(elapsed('retry:1'))).toEqual([cancels('retry:1'), publishes(s1, 2, 'b')]);
    expect(rig.send(committed(s1, 2, 3n))).toContainEqual(answers(s1, ['c1', 'c2']));
  });
});

describe('D26: confirming an old session', () => {
  it.each(allStates)('in %s is answered "session over", and nothing is written', (state) => {
    const rig = leadershipIn(state);
    const { wanted, confirms } = rig.context;
    const old = { id: 's0', fencingToken: 1n };
    expect(rig.send(confirm(old, 'late', 'elsewhere'))).toEqual([answers(old, ['late'], 'session-over')]);
    expect(rig.state).toBe(state);
    expect(rig.context).toMatchObject({ wanted, confirms });
  });

  it.each(['revoked.stopping', 'revoked.overstaying', 'standby', 'withdrawing.stopping', 'resting'] as const)(
    'D27: in %s a confirmation of the session that was lost is refused too',
    (state) => {
      const rig = leadershipIn(state);
      expect(rig.send(confirm(s1, 'late'))).toEqual([answers(s1, ['late'], 'session-over')]);
      expect(rig.state).toBe(state);
    },
  );

  it('H14: while the next session waits, the old one is not published under it', () => {
    const rig = leadershipIn('revoked.stopping');
    rig.send(granted(s2));
    expect(rig.send(confirm(s1, 'c2', 'b'))).toEqual([answers(s1, ['c2'], 'session-over')]);
  });
});

describe('confirming while suspended', () => {
  it.each(['grant-pending', 'confirm-pending.awaiting'] as const)('from %s is held until resumed', (state) => {
    const rig = leadershipIn(state);
    expect(rig.send(suspended(s1))).toEqual([{ type: 'contender.suspended', to: 'contender:web', sessionId: 's1' }]);
    expect(rig.send(confirm(s1, 'c1'), confirm(s1, 'c2', 'b'))).toEqual([]);
    expect(rig.state).toBe('confirm-pending.held');
    const resumes = { type: 'contender.resumed', to: 'contender:web', sessionId: 's1' };
    expect(rig.send(resumed(s1))).toEqual([resumes, publishes(s1, 1, 'b')]);
  });

  it('is refused when the session is revoked instead', () => {
    const rig = leadershipIn('confirm-pending.held');
    expect(rig.send(revoked(s1, 'deadline'))).toEqual([
      stopsContender(s1, 'deadline'),
      answers(s1, ['c1'], 'session-over'),
      sets('stop:s1', 10_000),
    ]);
  });

  it('a suspension of another session changes nothing', () => {
    const rig = leadershipIn('confirm-pending.held');
    rig.send(resumed(s2));
    expect(rig.state).toBe('confirm-pending.held');
  });

  it('a retry waits for the backend, not for its timer', () => {
    const rig = leadershipIn('confirm-pending.backing-off');
    rig.send(suspended(s1));
    expect(rig.send(elapsed('retry:1'))).toEqual([cancels('retry:1')]);
    expect(rig.state).toBe('confirm-pending.held');
    expect(ofType(rig.send(resumed(s1)), 'register.publish')).toEqual([publishes(s1, 2)]);
  });
});

describe('an update while suspended', () => {
  it('is written when resumed', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(suspended(s1));
    expect(rig.send(confirm(s1, 'c2', 'b'))).toEqual([]);
    expect(ofType(rig.send(resumed(s1)), 'register.publish')).toEqual([publishes(s1, 2, 'b')]);
    expect(rig.state).toBe('confirmed.rewriting');
  });

  it('that is taken back before it was written is answered at once, and never written', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(suspended(s1), confirm(s1, 'c2', 'b'));
    expect(rig.send(confirm(s1, 'c3', 'a'))).toEqual([answers(s1, ['c2', 'c3'])]);
    expect(ofType(rig.send(resumed(s1)), 'register.publish')).toEqual([]);
  });

  it('a repair waits until resumed as well', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(suspended(s1));
    expect(rig.send(changed(4n, null))).toEqual([]);
    expect(ofType(rig.send(resumed(s1)), 'register.publish')).toEqual([publishes(s1, 2)]);
  });

  it('a retry that comes due is owed until resumed', () => {
    const rig = leadershipIn('confirmed.backing-off');
    rig.send(suspended(s1), elapsed('retry:2'));
    expect(rig.state).toBe('confirmed.settled');
    expect(ofType(rig.send(resumed(s1)), 'register.publish')).toEqual([publishes(s1, 3)]);
  });

  it('nothing owed, nothing written', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(suspended(s1), changed(4n, entryOf(s1)));
    expect(ofType(rig.send(resumed(s1)), 'register.publish')).toEqual([]);
    expect(rig.state).toBe('confirmed.settled');
  });
});

describe('a write whose outcome is not known (hazard H7)', () => {
  const resolving = ['confirm-pending.resolving', 'confirmed.resolving'] as const;

  it.each(resolving)('%s: is looked up, and nothing is assumed meanwhile', (state) => {
    const attempt = state === 'confirmed.resolving' ? 2 : 1;
    const rig = leadershipIn(state);
    expect(rig.said.at(-1)).toEqual(readsBack(s1, attempt));
    expect(rig.send(elapsed(`retry:${attempt}`), changed(9n, entryOf(s1)), changed(10n, null))).toEqual([]);
    expect(rig.state).toBe(state);
  });

  it('it landed: the confirmation is answered', () => {
    const rig = leadershipIn('confirm-pending.resolving');
    expect(rig.send(committed(s1, 1, 3n))).toEqual([answers(s1, ['c1']), sets('calm:1', 10_000)]);
    expect(rig.state).toBe('confirmed.settled');
  });

  it('it is dead: written again as a new attempt', () => {
    const rig = leadershipIn('confirm-pending.resolving');
    expect(rig.send(publish('dead', s1, 1))).toEqual([publishes(s1, 2)]);
    expect(rig.send(committed(s1, 1, 3n))).toEqual([]);
    expect(rig.state).toBe('confirm-pending.publishing');
  });

  it('any other final answer of a driver ends the doubt as well', () => {
    const failed = leadershipIn('confirm-pending.resolving');
    failed.send(publish('failed', s1, 1));
    expect(failed.state).toBe('confirm-pending.backing-off');
    const rejected = leadershipIn('confirm-pending.resolving');
    expect(rejected.send(publish('rejected', s1, 1))).toContainEqual(answers(s1, ['c1'], 'publish-rejected'));
    expect(rejected.state).toBe('confirm-pending.awaiting');
    const fenced = leadershipIn('confirmed.resolving');
    fenced.send(publish('fenced', s1, 2));
    expect(fenced.state).toBe('revoked.stopping');
  });

  it('a driver that knows at once that the write is dead needs no look-up', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    expect(rig.send(publish('dead', s1, 1))).toEqual([publishes(s1, 2)]);
  });

  it('while confirmed: landed, and dead', () => {
    const landed = leadershipIn('confirmed.resolving');
    landed.send(committed(s1, 2, 5n));
    expect(landed.state).toBe('confirmed.settled');
    const dead = leadershipIn('confirmed.resolving');
    expect(dead.send(publish('dead', s1, 2))).toEqual([publishes(s1, 3)]);
    expect(dead.state).toBe('confirmed.rewriting');
  });
});

describe('late answers', () => {
  it.each(allStates)('in %s match nothing: of older attempts, of older sessions', (state) => {
    const rig = leadershipIn(state);
    const late = [0, rig.context.attempt - 1, rig.context.attempt + 7];
    const said = late.flatMap((attempt) => [
      ...rig.send(committed(s1, attempt, 99n), publish('failed', s1, attempt), publish('unknown', s1, attempt)),
      ...rig.send(publish('dead', s1, attempt), publish('fenced', s1, attempt), publish('rejected', s1, attempt)),
    ]);
    const { attempt } = rig.context;
    said.push(...rig.send(committed(s2, attempt, 99n), publish('fenced', s2, attempt), publish('dead', s2, attempt)));
    said.push(...rig.send(started(s2), settled(s2), elapsed('retry:99'), elapsed('stop:s0')));
    expect(said).toEqual([]);
    expect(rig.state).toBe(state);
  });

  it.each(runningStates)('in %s: a repeated `contender.started` is nothing', (state) => {
    const rig = leadershipIn(state);
    const expected = state === 'grant-pending' ? 'confirm-pending.awaiting' : state;
    expect(rig.send(started(s1))).toEqual([]);
    expect(rig.state).toBe(expected);
  });
});
