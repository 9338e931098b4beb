import { describe, expect, it } from 'vitest';
import {
  acquired,
  close,
  contends,
  drains,
  e1,
  e2,
  electionIn,
  grants,
  joins,
  leading,
  leaves,
  lost,
  observed,
  opens,
  overstays,
  releases,
  resumed,
  revokes,
  shuts,
  stepDown,
  stopped,
  stops,
  suspended,
  suspends,
} from './election-words.ts';
import { entryOf } from './leadership-words.ts';

describe('joining', () => {
  it('D4: nothing contends before the first component joins', () => {
    const rig = electionIn('idle');
    expect(rig.said).toEqual([]);
    expect(rig.send(joins('a'))).toEqual([contends()]);
    expect(rig.send(joins('b'))).toEqual([]);
    expect(rig.state).toBe('contending');
  });

  it('D1, D8: a grant goes to all that stand, in one session, after the register was opened for it', () => {
    const rig = electionIn('contending');
    expect(rig.send(acquired(e1))).toEqual([opens(e1), grants(e1)]);
    expect(rig.context).toMatchObject({ standing: 2, undrained: 2, session: e1 });
  });

  it('D10, H1: one that joins late while leading is granted alone, with the session in the message', () => {
    const rig = electionIn('leading.steady');
    expect(rig.send(joins('late'))).toEqual([grants(e1, 'late')]);
    expect(rig.context).toMatchObject({ standing: 3, undrained: 3 });
  });

  it('one that joins while suspended is told that too', () => {
    const rig = electionIn('leading.suspended');
    expect(rig.send(joins('late'))).toEqual([grants(e1, 'late'), suspends(e1, 'late')]);
    expect(rig.context).toMatchObject({ standing: 3, undrained: 3 });
  });

  it('H1: one that joins after the session was lost waits for the next one; no revoke without a grant', () => {
    const rig = electionIn('leading.steady');
    rig.send(lost(e1));
    expect(rig.send(joins('late'))).toEqual([]);
    expect(rig.send(acquired(e2))).toEqual([opens(e2), grants(e2)]);
    expect(rig.context.undrained).toBe(5);
  });

  it('H1: one that joins between loss and gain is granted the new session once', () => {
    const rig = electionIn('leading.steady');
    rig.send(lost(e1), joins('late'), acquired(e2));
    expect(rig.said.filter((one) => one.type === 'granted')).toEqual([grants(e1), grants(e2)]);
  });

  it('one that joins while the session is being given back waits for the next one', () => {
    const rig = electionIn('ceding.draining');
    expect(rig.send(joins('late'))).toEqual([]);
    expect(rig.context).toMatchObject({ standing: 3, undrained: 2 });
  });
});

describe('leaving', () => {
  it('while others stand changes nothing for them', () => {
    for (const state of ['contending', ...leading] as const) {
      const rig = electionIn(state);
      expect(rig.send(leaves('a'))).toEqual([]);
      expect(rig.state).toBe(state);
    }
  });

  it('as the last one stops contending; the lease is asked, not assumed, to have stopped', () => {
    const rig = electionIn('contending');
    expect(rig.send(leaves('a'), leaves('b'))).toEqual([stops]);
    expect(rig.state).toBe('halting');
    rig.send(stopped);
    expect(rig.state).toBe('idle');
  });

  it.each(leading)('D12: as the last one in %s gives the lock back, once everything has drained', (state) => {
    const rig = electionIn(state);
    rig.send(drains('a', e1), leaves('a'), drains('b', e1));
    expect(rig.send(leaves('b'))).toEqual([releases(e1)]);
    expect(rig.context).toMatchObject({ reason: 'resigned', yielding: false });
  });

  it.each(leading)('as the last one in %s, leaving an overstayer behind, gives the lock up instead', (state) => {
    const rig = electionIn(state);
    rig.send(drains('a', e1), leaves('a'), overstays('b', e1), leaves('b'));
    expect(rig.state).toBe('ceding.abandoning');
  });

  it.each(leading)('as the last one in %s while a grant is on its way waits for its answer', (state) => {
    const rig = electionIn(state);
    rig.send(drains('a', e1), leaves('a'), leaves('b'));
    expect(rig.state).toBe('ceding.draining');
    expect(rig.send(drains('b', e1))).toEqual([releases(e1)]);
  });

  it('D6: joining again contends again', () => {
    const rig = electionIn('halting');
    rig.send(stopped);
    expect(rig.send(joins('a'))).toEqual([contends()]);
    rig.send(leaves('a'), joins('a'));
    expect(rig.send(stopped)).toEqual([contends()]);
    expect(rig.state).toBe('contending');
  });
});

describe('suspension', () => {
  it('fans out once and comes back once', () => {
    const rig = electionIn('leading.steady');
    expect(rig.send(suspended(e1), suspended(e1))).toEqual([suspends(e1)]);
    expect(rig.send(resumed(e2))).toEqual([]);
    expect(rig.send(resumed(e1), resumed(e1))).toHaveLength(1);
    expect(rig.state).toBe('leading.steady');
  });

  it('of another session is nothing', () => {
    const rig = electionIn('leading.steady');
    expect(rig.send(suspended(e2))).toEqual([]);
  });
});

describe('a new session without a loss of the old one', () => {
  it.each(leading)('in %s is granted to all that stand; both rounds have to be drained', (state) => {
    const rig = electionIn(state);
    expect(rig.send(acquired(e2))).toEqual([opens(e2), grants(e2)]);
    expect(rig.state).toBe('leading.steady');
    expect(rig.context.undrained).toBe(4);
    rig.send(stepDown('r'), drains('a', e1), drains('b', e1), drains('a', e2));
    expect(rig.state).toBe('ceding.draining');
    expect(rig.send(drains('b', e2))).toEqual([releases(e2)]);
  });

  it.each(leading)('in %s the same session again is nothing', (state) => {
    const rig = electionIn(state);
    expect(rig.send(acquired(e1))).toEqual([]);
    expect(rig.state).toBe(state);
  });

  it('H16: nothing of the older session counts any more', () => {
    const rig = electionIn('leading.steady');
    rig.send(acquired(e2));
    expect(rig.send(lost(e1), { type: 'lapsed', sessionId: 'e1' }, suspended(e1))).toEqual([]);
    expect(rig.state).toBe('leading.steady');
  });
});

describe('changes of the register', () => {
  it('D13, D14, D15, H10: each component hears of its own changed entry, nobody of anything else', () => {
    const rig = electionIn('leading.steady');
    const entry = entryOf(e1);
    expect(
      rig.send(
        observed(4n, e1, [
          ['a', null],
          ['b', entry],
        ]),
      ),
    ).toEqual([
      { type: 'register.changed', to: 'leadership:a', version: 4n, entry: null },
      { type: 'register.changed', to: 'leadership:b', version: 4n, entry },
    ]);
    expect(rig.send(observed(5n, e1))).toEqual([]);
  });

  it('10,000 components: one changed entry is exactly one message', () => {
    const rig = electionIn('idle');
    const components = Array.from({ length: 10_000 }, (_, at) => `job-${at}`);
    rig.send(...components.map(joins), acquired(e1));
    expect(rig.context).toMatchObject({ standing: 10_000, undrained: 10_000 });
    expect(rig.send(observed(4n, e1, [['job-7', null]]))).toHaveLength(1);
  });

  it.each(['idle', 'contending', 'halting', 'ceding.draining', 'ceding.releasing'] as const)(
    'D21, D23, D24, D30, D31: in %s, without a session of ours, nothing is handed out and nothing written',
    (state) => {
      const rig = electionIn(state);
      expect(
        rig.send(
          observed(4n, e2, [
            ['a', null],
            ['b', entryOf(e2)],
          ]),
        ),
      ).toEqual([]);
      expect(rig.state).toBe(state);
    },
  );

  it('what was seen before the grant spares the first write of the session a conflict', () => {
    const rig = electionIn('contending');
    rig.send(observed(7n, null));
    expect(rig.send(acquired(e1))).toEqual([opens(e1, 7n), grants(e1)]);
  });

  it('D7: a gain that was on its way before the last one left is given back, never granted', () => {
    const rig = electionIn('halting');
    expect(rig.send(acquired(e1))).toEqual([releases(e1)]);
    expect(rig.send({ type: 'lease.released', sessionId: 'e1', outcome: 'released' })).toContainEqual(shuts(e1));
    expect(rig.state).toBe('idle');
    const busy = electionIn('leading.steady');
    busy.send(lost(e1), leaves('a'), leaves('b'));
    expect(busy.fork().send(acquired(e2))).toEqual([revokes(e2, 'lost')]);
    busy.send(overstays('a', e1), overstays('b', e1), acquired(e2));
    expect(busy.state).toBe('ceding.abandoning');
  });

  it('closing asks nothing of those that stand: the shell closes them', () => {
    const rig = electionIn('leading.steady');
    expect(rig.send(close)).toEqual([]);
    expect(rig.context.closing).toBe(true);
  });
});
