import { describe, expect, it } from 'vitest';
import {
  allStates,
  answers,
  cancels,
  changed,
  committed,
  confirm,
  drained,
  elapsed,
  granted,
  leadershipIn,
  ofType,
  overstays,
  publishes,
  resumed,
  revoked,
  runningStates,
  s1,
  s2,
  s3,
  sets,
  settled,
  started,
  startsContender,
  stopsContender,
  suspended,
} from './leadership-words.ts';

describe('grant and revoke', () => {
  it('D1: a revoke stops the contender; the local confirmation is gone, the entry stays in the register', () => {
    const rig = leadershipIn('confirmed.settled');
    expect(rig.send(revoked(s1))).toEqual([
      cancels('calm:1'),
      stopsContender(s1, 'lost'),
      answers(s1, [], 'session-over'),
      sets('stop:s1', 10_000),
    ]);
    expect(rig.send(settled(s1))).toEqual([cancels('stop:s1'), drained(s1)]);
    expect(rig.state).toBe('standby');
    expect(rig.context).toMatchObject({ session: null, published: null, wanted: null, leaving: null });
    expect(ofType(rig.said, 'register.withdraw')).toEqual([]);
  });

  it.each(runningStates)('in %s: a revoke stops the contender once, a second one is nothing (H6)', (state) => {
    const rig = leadershipIn(state);
    expect(ofType(rig.send(revoked(s1)), 'contender.stop')).toEqual([stopsContender(s1, 'lost')]);
    expect(rig.send(revoked(s1))).toEqual([]);
    expect(rig.state).toBe('revoked.stopping');
  });

  it('D21, H2: a revoke before any grant is nothing, and neither is any other news without a session', () => {
    const rig = leadershipIn('standby');
    expect(rig.send(revoked(s1), suspended(s1), resumed(s1), changed(4n, null), settled(s1), started(s1))).toEqual([]);
    expect(rig.state).toBe('standby');
  });

  it.each(runningStates)('in %s: a revoke of another session is nothing', (state) => {
    const rig = leadershipIn(state);
    expect(rig.send(revoked(s2))).toEqual([]);
    expect(rig.state).toBe(state);
  });

  it.each(runningStates)('in %s: the same grant twice is taken up once and drained once more (H1)', (state) => {
    const rig = leadershipIn(state);
    expect(rig.send(granted(s1))).toEqual([drained(s1)]);
    expect(rig.state).toBe(state);
  });

  it.each(runningStates)('in %s: a grant without a revoke ends the older session first (H6)', (state) => {
    const rig = leadershipIn(state);
    const said = rig.send(granted(s2));
    expect(ofType(said, 'contender.stop', 'contender.start')).toEqual([stopsContender(s1, 'superseded')]);
    expect(rig.send(settled(s1))).toEqual([cancels('stop:s1'), drained(s1), startsContender(s2)]);
    expect(rig.state).toBe('grant-pending');
    expect(rig.context).toMatchObject({ session: s2, next: null, wanted: null, sent: null, seen: null, confirms: [] });
  });
});

describe('a slow goodbye', () => {
  it('over several rounds: strictly serial, the last grant is honoured, every grant is drained once', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(revoked(s1));
    expect(rig.send(granted(s2))).toEqual([]);
    expect(rig.send(revoked(s2))).toEqual([drained(s2)]);
    expect(rig.send(granted(s2), granted(s3))).toEqual([drained(s2)]);
    expect(rig.send(granted(s3))).toEqual([drained(s3)]);
    expect(rig.send(settled(s1))).toEqual([cancels('stop:s1'), drained(s1), startsContender(s3)]);
    expect(ofType(rig.said, 'contender.start')).toEqual([startsContender(s1), startsContender(s3)]);
  });

  it('D8: a grant that is revoked before the contender was free never reaches it', () => {
    const rig = leadershipIn('revoked.stopping');
    rig.send(granted(s2), revoked(s2, 'deadline'));
    expect(rig.send(settled(s1))).toEqual([cancels('stop:s1'), drained(s1)]);
    expect(rig.state).toBe('standby');
  });

  it('that goes past its bound is reported, never overlapped', () => {
    const rig = leadershipIn('revoked.stopping');
    rig.send(granted(s2));
    const said = rig.send(elapsed('stop:s1'));
    expect(ofType(said, 'component.overstayed')).toEqual([overstays(s1)]);
    expect(ofType(said, 'finding').map((one) => one.code)).toEqual(['contender-overstayed']);
    expect(rig.state).toBe('revoked.overstaying');
    expect(rig.send(settled(s1))).toEqual([drained(s1, true), startsContender(s2)]);
    expect(rig.context.overstayed).toBe(false);
  });

  it('the bound of a session that has settled is not that of the next one', () => {
    const rig = leadershipIn('revoked.stopping');
    rig.send(granted(s2), settled(s1), revoked(s2));
    expect(rig.send(elapsed('stop:s1'))).toEqual([]);
    expect(rig.state).toBe('revoked.stopping');
  });

  it('the confirmations of the ended session are refused at once, not when the contender has settled', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    expect(rig.send(revoked(s1))).toContainEqual(answers(s1, ['c1'], 'session-over'));
    expect(rig.send(committed(s1, 1, 3n))).toEqual([]);
  });
});

describe('D34: a confirmation and a revoke that cross', () => {
  it('revoked first: the confirmation is refused and nothing is stored', () => {
    const rig = leadershipIn('grant-pending');
    rig.send(revoked(s1));
    expect(rig.send(confirm(s1, 'c1'))).toEqual([answers(s1, ['c1'], 'session-over')]);
    expect(ofType(rig.said, 'register.publish')).toEqual([]);
  });

  it('confirmed first: the promise is settled by the revoke', () => {
    const rig = leadershipIn('grant-pending');
    expect(rig.send(confirm(s1, 'c1'))).toEqual([publishes(s1, 1)]);
    expect(rig.send(revoked(s1))).toContainEqual(answers(s1, ['c1'], 'session-over'));
  });
});

describe('D33: a contender that never settles', () => {
  it.each(allStates.filter((state) => state.startsWith('revoked')))('in %s blocks no message', (state) => {
    const rig = leadershipIn(state);
    rig.send(suspended(s1), resumed(s1), changed(8n, null), started(s1), granted(s2), revoked(s2), elapsed('stop:s1'));
    expect(rig.state).toBe('revoked.overstaying');
    expect(rig.send(granted(s3), settled(s1))).toContainEqual(startsContender(s3));
  });
});
