import { describe, expect, it } from 'vitest';
import type { LeadershipRig } from './leadership-words.ts';
import {
  answers,
  cancels,
  changed,
  committed,
  confirm,
  elapsed,
  entryOf,
  fenced,
  foreign,
  leadershipIn,
  newer,
  ofType,
  publish,
  publishes,
  revoked,
  s1,
  sets,
  settled,
  stopsContender,
} from './leadership-words.ts';

describe('repairing a confirmed entry', () => {
  it.each([
    ['has been emptied', null],
    ['has been overwritten by an older session', foreign],
    ['is again that of an own former session', entryOf({ id: 's0', fencingToken: 9n })],
  ] as const)('D13, D14: one that %s is written again', (_, entry) => {
    const rig = leadershipIn('confirmed.settled');
    expect(rig.send(changed(4n, entry))).toEqual([cancels('calm:1'), publishes(s1, 2)]);
    expect(rig.state).toBe('confirmed.rewriting');
    rig.send(committed(s1, 2, 5n));
    expect(rig.state).toBe('confirmed.settled');
  });

  it('D14: one that is still its own is left alone', () => {
    const rig = leadershipIn('confirmed.settled');
    expect(rig.send(changed(4n, entryOf(s1)), changed(5n, entryOf(s1)))).toEqual([]);
    expect(rig.state).toBe('confirmed.settled');
  });

  it('a snapshot from before the own write is nothing to repair', () => {
    const rig = leadershipIn('confirmed.settled');
    expect(rig.send(changed(3n, foreign), changed(2n, null))).toEqual([]);
    expect(rig.verdict).toBe('ignored');
  });

  it.each(['confirmed.rewriting', 'confirmed.backing-off', 'confirmed.resolving'] as const)(
    'in %s change events only are remembered: one write at a time',
    (state) => {
      const rig = leadershipIn(state);
      expect(rig.send(changed(6n, null), changed(7n, foreign), changed(2n, null))).toEqual([]);
      expect(rig.context.seen).toEqual({ version: 7n, entry: foreign });
      expect(rig.state).toBe(state);
    },
  );

  it('an entry undone before its write was acknowledged is written again after a pause', () => {
    const rig = leadershipIn('confirmed.rewriting');
    rig.send(changed(7n, null));
    expect(rig.send(committed(s1, 2, 6n))).toEqual([answers(s1, []), sets('retry:2', 200, 0.5)]);
    expect(rig.state).toBe('confirmed.backing-off');
    expect(ofType(rig.send(elapsed('retry:2')), 'register.publish')).toEqual([publishes(s1, 3)]);
  });
});

describe('repairs that are refused', () => {
  it('fail: tried again, more and more slowly, never slower than the cap', () => {
    const rig = leadershipIn('confirmed.rewriting');
    const pauses: unknown[] = [];
    for (let attempt = 2; attempt < 10; attempt++) {
      const [timer] = ofType(rig.send(publish('failed', s1, attempt)), 'timer.set');
      pauses.push(timer !== undefined && 'afterMs' in timer ? timer.afterMs : null);
      rig.send(elapsed(`retry:${attempt}`));
    }
    expect(pauses).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  it('rejected: reported, and tried again later', () => {
    const rig = leadershipIn('confirmed.rewriting');
    const said = rig.send(publish('rejected', s1, 2));
    expect(ofType(said, 'finding')).toHaveLength(1);
    expect(rig.state).toBe('confirmed.backing-off');
  });

  it('an update that is rejected leaves the accepted address standing', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(confirm(s1, 'c2', 'b'));
    expect(rig.send(publish('rejected', s1, 2))).toContainEqual(answers(s1, ['c2'], 'publish-rejected'));
    expect(rig.state).toBe('confirmed.settled');
    expect(ofType(rig.send(changed(9n, null)), 'register.publish')).toEqual([publishes(s1, 3, 'a')]);
  });

  it('an entry that went missing while an update was being rejected comes back', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(confirm(s1, 'c2', 'b'), changed(9n, null), publish('rejected', s1, 2));
    expect(rig.state).toBe('confirmed.backing-off');
    expect(ofType(rig.send(elapsed('retry:2')), 'register.publish')).toEqual([publishes(s1, 3, 'a')]);
  });

  it('a first address that is rejected lets the contender name another', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    rig.send(publish('rejected', s1, 1));
    expect(rig.state).toBe('confirm-pending.awaiting');
    expect(rig.send(confirm(s1, 'c2', 'short'))).toEqual([publishes(s1, 2, 'short')]);
  });
});

describe('two writers that undo each other (FLINK-27848)', () => {
  /** The other one answers every write of ours at once. Returns the pauses that we make. */
  function rounds(rig: LeadershipRig, count: number): unknown[] {
    const pauses: unknown[] = [];
    for (let round = 0; round < count; round++) {
      const { attempt, published } = rig.context;
      const version = published?.version ?? 0n;
      const said = [
        ...(rig.state === 'confirmed.backing-off' ? rig.send(elapsed(`retry:${attempt}`)) : []),
        ...rig.send(committed(s1, rig.context.attempt, version + 2n)),
        ...rig.send(changed(version + 3n, foreign)),
      ];
      for (const timer of ofType(said, 'timer.set')) {
        if (timer.id.startsWith('retry') && 'afterMs' in timer) pauses.push(timer.afterMs);
      }
    }
    return pauses;
  }

  it('slow each other down to the cap', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(changed(4n, foreign));
    expect(rounds(rig, 8)).toEqual([200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  });

  it('after a calm span the next repair is made at once', () => {
    const rig = leadershipIn('confirmed.settled');
    rig.send(changed(4n, foreign), committed(s1, 2, 5n));
    expect(rig.send(elapsed('calm:1'))).toEqual([]);
    expect(rig.context.failures).toBe(1);
    rig.send(elapsed('calm:2'));
    expect(rig.context.failures).toBe(0);
    expect(ofType(rig.send(changed(6n, null)), 'register.publish')).toEqual([publishes(s1, 3)]);
  });
});

describe('a newer session', () => {
  it.each(['confirmed.settled', 'confirmed.rewriting', 'confirmed.backing-off', 'confirmed.resolving'] as const)(
    'in %s, its entry ends ours at once, and the election hears of it',
    (state) => {
      const rig = leadershipIn(state);
      const said = rig.send(changed(9n, newer));
      expect(ofType(said, 'contender.stop', 'session.fenced', 'register.publish')).toEqual([
        fenced(s1),
        stopsContender(s1, 'fenced'),
      ]);
      expect(rig.state).toBe('revoked.stopping');
      expect(rig.send(revoked(s1, 'fenced'))).toEqual([]);
    },
  );

  it.each([
    ['confirm-pending.publishing', 1],
    ['confirm-pending.resolving', 1],
    ['confirmed.rewriting', 2],
    ['confirmed.resolving', 2],
  ] as const)('in %s, a write that its fence refuses ends ours, and the confirmation says so', (state, attempt) => {
    const rig = leadershipIn(state);
    rig.send(confirm(s1, 'c2', 'b'));
    const said = rig.send(publish('fenced', s1, attempt));
    const confirms = attempt === 1 ? ['c1', 'c2'] : ['c2'];
    expect(ofType(said, 'confirm.settled')).toEqual([answers(s1, confirms, 'fenced')]);
    expect(said).toContainEqual(fenced(s1));
    rig.send(settled(s1));
    expect(rig.state).toBe('standby');
  });
});
