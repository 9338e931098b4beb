import { describe, expect, it } from 'vitest';
import type { LeadershipEvent } from '../../machines/leadership-messages.ts';
import type { Reached } from './leadership-words.ts';
import {
  answers,
  changed,
  committed,
  confirm,
  elapsed,
  entryOf,
  foreign,
  granted,
  leadershipIn,
  newer,
  ofType,
  publish,
  publishes,
  revoked,
  s1,
  s2,
  s3,
  settled,
  started,
} from './leadership-words.ts';

/**
 * FLINK-40114: in Flink a change event that is handled between a grant and its confirmation takes the branch "nothing
 * confirmed: reset" and erases the entry for good. Here nothing that happens to an entry while a confirmation is on its
 * way makes the component write, let alone erase.
 */
const pending: readonly Reached[] = [
  'grant-pending',
  'confirm-pending.awaiting',
  'confirm-pending.held',
  'confirm-pending.publishing',
  'confirm-pending.backing-off',
  'confirm-pending.resolving',
];
const shown: readonly [what: string, event: LeadershipEvent][] = [
  ['an empty entry (D13, D14)', changed(2n, null)],
  ['the entry of another process (D13)', changed(2n, foreign)],
  ['the entry of an own former session', changed(2n, { ...entryOf({ id: 's0', fencingToken: 9n }) })],
  ['a newer entry', changed(2n, newer)],
  ['the very entry that is being written', changed(2n, entryOf(s1))],
  ['a stale snapshot', changed(0n, foreign)],
];

describe.each(pending)('FLINK-40114 in %s', (state) => {
  it.each(shown)('%s makes the component write nothing, erase nothing and forget nothing', (_, event) => {
    const rig = leadershipIn(state);
    const { confirms, wanted, attempt, session } = rig.context;
    expect(rig.send(event)).toEqual([]);
    expect(rig.verdict).toBe('noted');
    expect(rig.state).toBe(state);
    expect(rig.context).toMatchObject({ confirms, wanted, attempt, session });
  });

  it('every event at once, and again, still makes it write nothing', () => {
    const rig = leadershipIn(state);
    expect(rig.send(...shown.map(([, event]) => event), ...shown.map(([, event]) => event))).toEqual([]);
  });
});

describe('FLINK-40114: the entry comes back', () => {
  it('when the confirmation completes', () => {
    const rig = leadershipIn('grant-pending');
    rig.send(changed(2n, null), started(s1), changed(3n, null));
    expect(rig.send(confirm(s1, 'c1'))).toEqual([publishes(s1, 1)]);
    expect(ofType(rig.send(committed(s1, 1, 4n)), 'confirm.settled')).toEqual([answers(s1, ['c1'])]);
    expect(rig.state).toBe('confirmed.settled');
  });

  it('by the retry timer alone, when the publish failed and nothing else ever happens', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    rig.send(changed(2n, null), publish('failed', s1, 1));
    expect(rig.state).toBe('confirm-pending.backing-off');
    expect(ofType(rig.send(elapsed('retry:1')), 'register.publish')).toEqual([publishes(s1, 2)]);
    rig.send(committed(s1, 2, 3n));
    expect(rig.state).toBe('confirmed.settled');
  });

  it('when the entry was erased before the acknowledgement of its write came', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    expect(rig.send(changed(4n, null))).toEqual([]);
    expect(rig.send(committed(s1, 1, 3n))).toEqual([answers(s1, ['c1']), publishes(s1, 2)]);
    expect(rig.state).toBe('confirmed.rewriting');
  });

  it('an erasure from before the acknowledged write is nothing to repair', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    rig.send(changed(2n, null));
    expect(ofType(rig.send(committed(s1, 1, 3n)), 'register.publish')).toEqual([]);
  });

  it('a snapshot that comes late does not hide what a newer one showed', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    rig.send(changed(5n, null), changed(4n, entryOf(s1)));
    expect(ofType(rig.send(committed(s1, 1, 4n)), 'register.publish')).toEqual([publishes(s1, 2)]);
  });
});

describe('FLINK-40114: session churn', () => {
  it('only the newest session is ever published', () => {
    const rig = leadershipIn('grant-pending');
    rig.send(revoked(s1), granted(s2), changed(2n, foreign), revoked(s2), granted(s3), changed(3n, null), settled(s1));
    expect(rig.state).toBe('grant-pending');
    rig.send(changed(4n, null), confirm(s1, 'c1'), confirm(s2, 'c2'), confirm(s3, 'c3'));
    expect(ofType(rig.said, 'register.publish', 'register.withdraw')).toEqual([publishes(s3, 1)]);
  });

  it('what an older session had seen means nothing to the next one', () => {
    const rig = leadershipIn('confirm-pending.publishing');
    rig.send(changed(9n, null), revoked(s1), granted(s2), settled(s1), confirm(s2, 'c2'));
    expect(rig.context.seen).toBeNull();
    rig.send(committed(s2, 2, 8n));
    expect(rig.state).toBe('confirmed.settled');
  });
});
