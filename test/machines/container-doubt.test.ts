import { describe, expect, it } from 'vitest';
import {
  answers,
  answersCommitted,
  cancels,
  committed,
  conflict,
  containerIn,
  elapsed,
  entry,
  fencedBy,
  found,
  k1,
  k2,
  publish,
  readFailed,
  reads,
  refused,
  sets,
  touches,
  unknown,
  withdraw,
  writes,
} from './container-words.ts';

// The write in doubt is the second call; it puts `a` and names version 5.
describe('a write whose outcome is not known', () => {
  it('is told and looked up: the keys it was about', () => {
    const rig = containerIn('writing');
    expect(rig.send(unknown(2))).toEqual([answers('publish.unknown', 'a'), reads(3, 'a')]);
  });

  it('landed: its content is there', () => {
    const rig = containerIn('resolving.reading');
    expect(rig.send(found(3, 6n, [['a', entry(k1)]]))).toEqual([answersCommitted('a', 1, 6n)]);
    expect(rig.state).toBe('ready');
  });

  it('dead: the version has moved without it', () => {
    const rig = containerIn('resolving.reading');
    expect(rig.send(found(3, 6n, [['a', entry({ id: 'k0', fencingToken: 9n })]]))).toEqual([
      answers('publish.dead', 'a'),
    ]);
    expect(rig.send(publish('a', 2))).toEqual([writes(4, 6n, [['a', entry(k1)]])]);
  });

  it('unmoved: it may still arrive, so a touch of the same version decides', () => {
    const rig = containerIn('resolving.reading');
    expect(rig.send(found(3, 5n, [['a', entry(k1)]]))).toEqual([touches(4, 5n)]);
    expect(rig.send(committed(4, 6n))).toEqual([answers('publish.dead', 'a')]);
    expect(rig.state).toBe('ready');
  });

  it('unmoved, but the touch finds that something has moved: looks again', () => {
    const rig = containerIn('resolving.touching');
    expect(rig.send(conflict(4, 6n))).toEqual([reads(5, 'a')]);
    expect(rig.send(found(5, 6n, [['a', entry(k1)]]))).toEqual([answersCommitted('a', 1, 6n)]);
  });

  it('an answer from before our own last write says nothing: looks again later', () => {
    const rig = containerIn('resolving.reading');
    expect(rig.send(found(3, 4n))).toEqual([sets('retry:4', 200)]);
    expect(rig.send(elapsed('retry:4'))).toEqual([cancels('retry:4'), reads(5, 'a')]);
  });

  it('a read that fails, a touch that is refused or unknown: looks again, more and more slowly', () => {
    const rig = containerIn('resolving.reading');
    expect(rig.send(readFailed(3))).toEqual([sets('retry:4', 200)]);
    rig.send(elapsed('retry:4'), found(5, 5n));
    expect(rig.send(refused(6))).toEqual([sets('retry:7', 400)]);
    rig.send(elapsed('retry:7'), found(8, 5n));
    expect(rig.send(unknown(9))).toEqual([sets('retry:10', 800)]);
    expect(rig.send(elapsed('retry:7'))).toEqual([]);
    expect(rig.state).toBe('resolving.backing-off');
  });

  it('a touch in doubt is settled by the next look as well', () => {
    const rig = containerIn('resolving.touching');
    rig.send(unknown(4), elapsed('retry:5'));
    expect(rig.send(found(6, 6n))).toEqual([answers('publish.dead', 'a')]);
  });

  it.each([
    ['a read that shows a newer fence', 'resolving.reading', found(3, 6n, [], k2)],
    ['a touch that meets one', 'resolving.touching', conflict(4, 6n, k2)],
    ['a touch that is fenced', 'resolving.touching', fencedBy(4)],
  ] as const)('%s: fenced, whatever became of the write', (_, state, event) => {
    const rig = containerIn(state);
    rig.send(publish('b'));
    expect(rig.send(event)).toEqual([answers('publish.fenced', 'a'), answers('publish.fenced', 'b')]);
    expect(rig.state).toBe('fenced');
  });
});

describe('operations that come while another is in doubt', () => {
  it.each([
    ['landed', [found(3, 6n, [['a', entry(k1)]])], answersCommitted('a', 1, 6n), 4],
    ['dead', [found(3, 6n)], answers('publish.dead', 'a'), 4],
    ['dead by a touch', [found(3, 5n), committed(4, 6n)], answers('publish.dead', 'a'), 5],
  ] as const)('wait, and are written as soon as it is decided: %s', (_, events, answer, writeId) => {
    const rig = containerIn('resolving.reading');
    expect(rig.send(publish('b'))).toEqual([]);
    expect(rig.send(...events).slice(-2)).toEqual([answer, writes(writeId, 6n, [['b', entry(k1)]])]);
  });
});

describe('a batch in doubt', () => {
  const batch = () => {
    const rig = containerIn('writing');
    rig.send(publish('b'), withdraw('c'), committed(2, 6n));
    return rig;
  };

  it('is atomic: it has landed exactly if all of it is there', () => {
    const rig = batch();
    expect(rig.send(unknown(3))).toEqual([answers('publish.unknown', 'b'), reads(4, 'b', 'c')]);
    const landed = rig.fork();
    expect(
      landed.send(
        found(4, 7n, [
          ['b', entry(k1)],
          ['c', null],
        ]),
      ),
    ).toEqual([answersCommitted('b', 1, 7n), answers('withdraw.committed', 'c')]);
    expect(
      rig.send(
        found(4, 7n, [
          ['b', entry(k1)],
          ['c', entry(k1)],
        ]),
      ),
    ).toEqual([answers('publish.dead', 'b'), answers('withdraw.failed', 'c')]);
  });

  it('a withdrawn key that holds the entry of another session counts as withdrawn', () => {
    const rig = batch();
    rig.send(unknown(3));
    const other = entry({ id: 'k0', fencingToken: 9n });
    expect(
      rig.send(
        found(4, 7n, [
          ['b', entry(k1)],
          ['c', other],
        ]),
      ),
    ).toContainEqual(answers('withdraw.committed', 'c'));
  });

  it('a withdrawal alone in doubt is not told of the doubt: to withdraw again is harmless', () => {
    const rig = containerIn('ready');
    rig.send(withdraw('a'));
    expect(rig.send(unknown(2))).toEqual([reads(3, 'a')]);
    expect(rig.send(found(3, 6n, [['a', entry(k1)]]))).toEqual([answers('withdraw.failed', 'a')]);
  });
});
