import { describe, expect, it } from 'vitest';
import { retrievalMachine } from '../../machines/index.ts';
import type { RetrievalCommand, RetrievalEvent } from '../../machines/retrieval.ts';
import type { LeaderInformation } from '../../machines/vocabulary.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

const leader = (token: bigint, address = 'a'): LeaderInformation => {
  return { sessionId: `s${token}`, fencingToken: token, address, metadata: {} };
};
const fenceOf = (token: bigint) => ({ fencingToken: token, sessionId: `s${token}` });
const changed = (version: bigint, entry: LeaderInformation | null, fence = entry?.fencingToken): RetrievalEvent => {
  return { type: 'register.changed', version, entry, fence: fence === undefined ? null : fenceOf(fence) };
};
const fenced = (version: bigint, token: bigint): RetrievalEvent => {
  return { type: 'fence.changed', version, fence: fenceOf(token) };
};
const tells = (entry: LeaderInformation | null): RetrievalCommand => {
  return { type: 'leader.changed', to: 'follower:web', leader: entry };
};

type RetrievalRig = Rig<typeof retrievalMachine>;
function following(...events: RetrievalEvent[]): RetrievalRig {
  const rig = start(retrievalMachine, { component: 'web' });
  rig.send(...events);
  return rig;
}
const known = (): RetrievalRig => following(changed(2n, leader(10n)));
const vacant = (): RetrievalRig => following(changed(2n, null));
const superseded = (): RetrievalRig => following(changed(2n, leader(10n)), fenced(3n, 20n));

describe('following', () => {
  it('V1: the confirmed leader is told', () => {
    const rig = following();
    expect(rig.send(changed(2n, leader(10n)))).toEqual([tells(leader(10n))]);
    expect(rig.state).toBe('known');
  });

  it('S1: what is told is the very information that was confirmed', () => {
    const metadata = { zone: 'x' };
    expect(following().send(changed(2n, { ...leader(10n), metadata }))).toEqual([tells({ ...leader(10n), metadata })]);
  });

  it('V2: an entry that goes is told as "nobody", once', () => {
    const rig = known();
    expect(rig.send(changed(3n, null), changed(4n, null))).toEqual([tells(null)]);
    expect(rig.state).toBe('vacant');
  });

  it('FLINK-32010: one who starts late learns at once who leads, or that nobody does', () => {
    expect(following().send(changed(9n, null))).toEqual([tells(null)]);
    expect(following().send(changed(9n, leader(30n)))).toEqual([tells(leader(30n))]);
  });

  it('V5, FLINK-20047: the same information twice is told once, a changed one again', () => {
    const rig = known();
    expect(rig.send(changed(3n, leader(10n)))).toEqual([]);
    expect(rig.send(changed(4n, leader(10n, 'b')))).toEqual([tells(leader(10n, 'b'))]);
    expect(rig.send(changed(5n, leader(20n, 'b')))).toEqual([tells(leader(20n, 'b'))]);
  });

  it('V4: after closing nothing is told any more', () => {
    for (const rig of [following(), known(), vacant(), superseded()]) {
      expect(rig.send({ type: 'close' }, changed(9n, leader(90n)), fenced(9n, 90n))).toEqual([]);
      expect(rig.state).toBe('closed');
    }
  });
});

describe('it never goes back', () => {
  it('in version', () => {
    const rig = following(changed(5n, leader(10n)));
    expect(rig.send(changed(4n, null), changed(4n, leader(10n, 'old')))).toEqual([]);
    expect(rig.state).toBe('known');
  });

  it('in token', () => {
    const rig = following(changed(2n, leader(20n)));
    expect(rig.send(changed(3n, leader(10n)))).toEqual([]);
    expect(rig.context.leader).toEqual(leader(20n));
  });

  it('once nobody leads either', () => {
    const rig = following(changed(2n, leader(20n)), changed(3n, null));
    expect(rig.send(changed(2n, leader(20n)), changed(4n, leader(10n)))).toEqual([]);
    expect(rig.send(changed(4n, null))).toEqual([]);
    expect(rig.state).toBe('vacant');
    expect(rig.send(changed(5n, leader(20n)))).toEqual([tells(leader(20n))]);
  });
});

describe('a newer fence', () => {
  it('makes the known leader nobody, until the next one has confirmed', () => {
    const rig = known();
    expect(rig.send(fenced(3n, 20n))).toEqual([tells(null)]);
    expect(rig.state).toBe('superseded');
    expect(rig.send(changed(4n, leader(20n, 'b')))).toEqual([tells(leader(20n, 'b'))]);
    expect(rig.state).toBe('known');
  });

  it('beside an entry of an older session says the same', () => {
    expect(known().send(changed(3n, leader(10n, 'b'), 20n))).toEqual([tells(null)]);
    expect(following().send(changed(3n, leader(10n), 20n))).toEqual([tells(null)]);
    const rig = vacant();
    expect(rig.send(changed(3n, leader(10n), 20n))).toEqual([]);
    expect(rig.state).toBe('superseded');
  });

  it('that is the fence of the known leader itself changes nothing, and neither does an older one', () => {
    const rig = known();
    expect(rig.send(fenced(3n, 10n), fenced(1n, 90n))).toEqual([]);
    expect(rig.state).toBe('known');
  });

  it('met before any entry is not forgotten', () => {
    const rig = following(fenced(5n, 20n));
    expect(rig.said).toEqual([]);
    expect(rig.send(changed(5n, leader(10n)))).toEqual([tells(null)]);
    expect(rig.state).toBe('superseded');
    expect(rig.context.version).toBe(5n);
  });

  it('superseded: late news of the old leader is nothing, its removal is nothing new', () => {
    const rig = superseded();
    expect(rig.send(changed(4n, leader(10n, 'b')), changed(4n, leader(10n, 'b'), 20n), fenced(5n, 30n))).toEqual([]);
    expect(rig.state).toBe('superseded');
    expect(rig.send(changed(6n, null))).toEqual([]);
    expect(rig.state).toBe('vacant');
  });

  it('raised again while nobody leads shuts out those below it', () => {
    const rig = vacant();
    expect(rig.send(fenced(3n, 20n), changed(4n, leader(10n)))).toEqual([]);
    expect(rig.send(changed(5n, leader(20n)))).toEqual([tells(leader(20n))]);
  });
});
