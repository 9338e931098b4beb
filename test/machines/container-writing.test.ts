import { describe, expect, it } from 'vitest';
import {
  allStates,
  answers,
  answersCommitted,
  cancels,
  committed,
  conflict,
  containerIn,
  elapsed,
  entry,
  fencedBy,
  fenceOf,
  found,
  k1,
  k2,
  open,
  openStates,
  publish,
  readBack,
  readFailed,
  refused,
  refusesFence,
  sets,
  shut,
  touches,
  unknown,
  withdraw,
  writes,
} from './container-words.ts';

describe('opening', () => {
  it('the fence comes first: it is raised before anything of the session is written', () => {
    const rig = containerIn('shut');
    expect(rig.send(open(k1, 4n))).toEqual([touches(1, 4n)]);
    expect(rig.send(publish('a'))).toEqual([]);
    expect(rig.send(committed(1, 5n))).toEqual([writes(2, 5n, [['a', entry(k1)]])]);
  });

  it('a conflict corrects the version; nothing is lost by trying again', () => {
    const rig = containerIn('opening.raising');
    expect(rig.send(conflict(1, 9n, null))).toEqual([touches(2, 9n)]);
    expect(rig.send(conflict(2, 11n, { id: 'k0', fencingToken: 9n }))).toEqual([touches(3, 11n)]);
    expect(rig.send(committed(3, 12n))).toEqual([]);
    expect(rig.state).toBe('ready');
  });

  it.each([
    ['refused', refused],
    ['unknown', unknown],
  ] as const)('%s: tried again, more and more slowly', (_, answer) => {
    const rig = containerIn('opening.raising');
    expect(rig.send(answer(1))).toEqual([sets('retry:2', 100)]);
    expect(rig.send(elapsed('retry:1'))).toEqual([]);
    expect(rig.send(elapsed('retry:2'))).toEqual([cancels('retry:2'), touches(3, 4n)]);
    expect(rig.send(answer(3))).toEqual([sets('retry:4', 200)]);
  });

  it.each([
    ['a newer fence', conflict(1, 9n, k2), fenceOf(k2)],
    [
      'another session with the same token',
      conflict(1, 9n, { id: 'kx', fencingToken: 10n }),
      { sessionId: 'kx', fencingToken: 10n },
    ],
    ['a refusal by the store', fencedBy(1), fenceOf(k2)],
    ['a refusal by the store that does not say by whom', fencedBy(1, null), { sessionId: '', fencingToken: 0n }],
  ] as const)('%s: the granted token is not above the fence, and the election hears of it', (_, event, fence) => {
    const rig = containerIn('opening.raising');
    rig.send(publish('a'), withdraw('b'));
    expect(rig.send(event)).toEqual([
      refusesFence(fence),
      answers('publish.fenced', 'a'),
      answers('withdraw.fenced', 'b'),
    ]);
    expect(rig.state).toBe('fenced');
  });
});

describe('writing', () => {
  it('answers each operation with the version at which it is in the register', () => {
    const rig = containerIn('ready');
    expect(rig.send(publish('a'))).toEqual([writes(2, 5n, [['a', entry(k1)]])]);
    expect(rig.send(committed(2, 8n))).toEqual([answersCommitted('a', 1, 8n)]);
    expect(rig.send(withdraw('a', 2))).toEqual([writes(3, 8n, [], [['a', 'k1']])]);
    expect(rig.send(committed(3, 9n))).toEqual([answers('withdraw.committed', 'a', 2)]);
    expect(rig.state).toBe('ready');
  });

  it('100 publishes while one write is under way are one write', () => {
    const rig = containerIn('writing');
    const components = Array.from({ length: 100 }, (_, at) => `job-${at}`);
    expect(rig.send(...components.map((component) => publish(component)))).toEqual([]);
    const said = rig.send(committed(2, 6n));
    expect(said).toEqual([
      answersCommitted('a', 1, 6n),
      writes(
        3,
        6n,
        components.map((one) => [one, entry(k1)]),
      ),
    ]);
    expect(rig.send(committed(3, 7n))).toEqual(components.map((one) => answersCommitted(one, 1, 7n)));
  });

  it('a publish and then a withdrawal of one component in one write: the last one decides, both are answered', () => {
    const rig = containerIn('writing');
    rig.send(publish('b', 1), withdraw('b', 2), withdraw('c', 1), publish('c', 2));
    expect(rig.send(committed(2, 6n)).at(-1)).toEqual(writes(3, 6n, [['c', entry(k1)]], [['b', 'k1']]));
    expect(rig.send(committed(3, 7n))).toEqual([
      answersCommitted('b', 1, 7n),
      answers('withdraw.committed', 'b', 2),
      answers('withdraw.committed', 'c', 1),
      answersCommitted('c', 2, 7n),
    ]);
  });

  it('a conflict: read version, same operations, together with those that came meanwhile', () => {
    const rig = containerIn('writing');
    rig.send(publish('b'));
    expect(rig.send(conflict(2, 9n))).toEqual([
      writes(3, 9n, [
        ['a', entry(k1)],
        ['b', entry(k1)],
      ]),
    ]);
  });

  it('unavailable: all are told; each backs off by itself', () => {
    const rig = containerIn('writing');
    rig.send(withdraw('b'));
    expect(rig.send(refused(2))).toEqual([answers('publish.failed', 'a'), answers('withdraw.failed', 'b')]);
    expect(rig.state).toBe('ready');
  });

  it('a read-back asks for nothing that is not done anyway', () => {
    for (const state of allStates) {
      const rig = containerIn(state);
      expect(rig.send(readBack)).toEqual([]);
      expect(rig.state).toBe(state);
    }
  });
});

describe('a write that is too large', () => {
  it('is taken apart: only the operation that is too large by itself is rejected', () => {
    const rig = containerIn('writing');
    rig.send(publish('big'), publish('c'), committed(2, 6n));
    expect(rig.send(refused(3, 'too-large'))).toEqual([writes(4, 6n, [['big', entry(k1)]])]);
    expect(rig.send(publish('d'))).toEqual([]);
    expect(rig.send(refused(4, 'too-large'))).toEqual([
      answers('publish.rejected', 'big'),
      writes(5, 6n, [['c', entry(k1)]]),
    ]);
    expect(rig.send(committed(5, 7n))).toEqual([answersCommitted('c', 1, 7n), writes(6, 7n, [['d', entry(k1)]])]);
    rig.send(committed(6, 8n));
    expect(rig.context).toMatchObject({ oneByOne: false, queue: null, batch: [] });
  });

  it('keeps its one operation over a conflict', () => {
    const rig = containerIn('writing');
    rig.send(publish('b'), publish('c'), committed(2, 6n), refused(3, 'too-large'));
    expect(rig.send(conflict(4, 9n))).toEqual([writes(5, 9n, [['b', entry(k1)]])]);
  });

  it('as the only one, or as the last one, is rejected and the rest goes together again', () => {
    const rig = containerIn('writing');
    expect(rig.send(refused(2, 'too-large'))).toEqual([answers('publish.rejected', 'a')]);
    expect(rig.state).toBe('ready');
    expect(rig.context.oneByOne).toBe(false);
  });
});

describe('a foreign fence', () => {
  it.each([
    ['seen in a conflict', conflict(2, 9n, k2)],
    ['told by the store', fencedBy(2)],
  ] as const)('%s ends the session: everything that waits is answered', (_, event) => {
    const rig = containerIn('writing');
    rig.send(withdraw('b'));
    expect(rig.send(event)).toEqual([answers('publish.fenced', 'a'), answers('withdraw.fenced', 'b')]);
    expect(rig.send(publish('c'), withdraw('c'))).toEqual([
      answers('publish.fenced', 'c'),
      answers('withdraw.fenced', 'c'),
    ]);
    expect(rig.send(committed(2, 9n), unknown(2), open(k1))).toEqual([]);
    expect(rig.state).toBe('fenced');
  });

  it('the next session opens it again', () => {
    const rig = containerIn('fenced');
    expect(rig.send(open(k2, 9n))).toEqual([touches(3, 9n, k2)]);
    const ended = containerIn('fenced');
    ended.send(shut(k1));
    expect(ended.state).toBe('shut');
  });
});

describe('a change of session', () => {
  it.each(openStates)('in %s: what the old one had waiting is answered, then the new fence is raised', (state) => {
    const rig = containerIn(state);
    rig.send(publish('z', 7));
    const said = rig.send(open(k2, 6n)).filter((one) => one.type !== 'timer.cancel');
    const { calls } = rig.context;
    const waiting = /writing|resolving/.test(state) ? [answers('publish.fenced', 'a')] : [];
    expect(said).toEqual([...waiting, answers('publish.fenced', 'z', 7), touches(calls, 6n, k2)]);
    expect(rig.send(committed(calls - 1, 99n), conflict(calls - 1, 99n), found(calls - 1, 99n))).toEqual([]);
    expect(rig.state).toBe('opening.raising');
  });

  it.each(openStates)('in %s: operations of another session are fenced, never queued', (state) => {
    const rig = containerIn(state);
    expect(rig.send(publish('y', 1, k2), withdraw('y', 2, k2))).toEqual([
      answers('publish.fenced', 'y', 1, k2),
      answers('withdraw.fenced', 'y', 2, k2),
    ]);
    expect(rig.state).toBe(state);
  });

  it.each(openStates)('in %s: the same session opened again is nothing; a shut of another one neither', (state) => {
    const rig = containerIn(state);
    expect(rig.send(open(k1, 99n), shut(k2))).toEqual([]);
    expect(rig.state).toBe(state);
  });

  it.each(openStates)('in %s: shut answers everything that waits', (state) => {
    const rig = containerIn(state);
    rig.send(publish('z', 7));
    expect(rig.send(shut(k1))).toContainEqual(answers('publish.fenced', 'z', 7));
    expect(rig.state).toBe('shut');
    expect(rig.send(publish('z', 8), withdraw('z', 9), shut(k1))).toEqual([
      answers('publish.fenced', 'z', 8),
      answers('withdraw.fenced', 'z', 9),
    ]);
  });

  it('a version that was seen and is older than the one known is not taken', () => {
    const rig = containerIn('ready');
    expect(rig.send(open(k2, 3n))).toEqual([touches(2, 5n, k2)]);
  });
});

describe('late answers of the store', () => {
  it.each(allStates)('in %s match nothing', (state) => {
    const rig = containerIn(state);
    const late = [0, 99];
    const said = late.flatMap((id) =>
      rig.send(
        committed(id, 90n),
        conflict(id, 90n, k2),
        fencedBy(id),
        refused(id),
        unknown(id),
        found(id, 90n),
        readFailed(id),
      ),
    );
    expect([...said, ...rig.send(elapsed('retry:0'))]).toEqual([]);
    expect(rig.state).toBe(state);
  });
});
