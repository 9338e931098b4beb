import { describe, expect, it } from 'vitest';
import type { ElectionEvent } from '../../machines/election-messages.ts';
import type { Reached } from './election-words.ts';
import {
  abandons,
  acquired,
  allStates,
  asksForStepDown,
  ceding,
  close,
  contends,
  drains,
  e1,
  e2,
  electionIn,
  isFenced,
  joins,
  lapsed,
  leading,
  leaves,
  lost,
  observed,
  overstays,
  refusedBy,
  released,
  releases,
  revokes,
  settles,
  shuts,
  stepDown,
  stopped,
  stops,
  suspended,
  tellsClosed,
} from './election-words.ts';

const losses: readonly [what: string, event: ElectionEvent, reason: 'lost' | 'deadline' | 'fenced', gives: boolean][] =
  [
    ['lost', lost(e1), 'lost', false],
    ['lapsed', lapsed(e1), 'deadline', false],
    ['fenced by a write', isFenced('a', e1), 'fenced', true],
    ['fenced by what is seen', observed(9n, e2), 'fenced', true],
    ['refused by the register', refusedBy(e2, e1), 'fenced', true],
  ];

describe.each(losses)('a session that is %s', (_, event, reason, gives) => {
  it.each(leading)('I7, D18: in %s: all work is told to stop in that very step', (state) => {
    const rig = electionIn(state);
    const said = rig.send(event).filter((one) => one.type !== 'finding');
    const yielding = event.type === 'register.fence-refused';
    expect(said).toEqual([...(gives ? [abandons(e1)] : []), revokes(e1, reason), shuts(e1), contends(yielding)]);
    expect(rig.state).toBe('contending');
    expect(rig.context).toMatchObject({ session: null, undrained: 2 });
  });

  it.each(leading)('in %s while closing: nothing contends any more', (state) => {
    const rig = electionIn(state);
    rig.send(close);
    const said = rig.send(event);
    expect(said).toContainEqual(revokes(e1, reason));
    expect(said.at(-1)).toEqual(stops);
    expect(rig.state).toBe('halting');
    expect(rig.send(stopped)).toEqual([tellsClosed]);
  });

  it.each(allStates.filter((state) => !leading.includes(state) && !ceding.includes(state)))(
    'D19: in %s, where there is none, it is nothing',
    (state) => {
      const rig = electionIn(state);
      expect(rig.send(event)).toEqual([]);
      expect(rig.state).toBe(state);
    },
  );
});

describe('a fence', () => {
  it('that is ours or older changes nothing', () => {
    const rig = electionIn('leading.steady');
    const older = { id: 'e0', fencingToken: 9n };
    expect(rig.send(observed(4n, e1), observed(5n, older), observed(6n, null))).toEqual([]);
    expect(rig.state).toBe('leading.steady');
  });

  it('above the granted token is a coded finding, never silence', () => {
    const rig = electionIn('leading.steady');
    const [finding] = rig.send(refusedBy(e2, e1));
    expect(finding).toMatchObject({ type: 'finding', code: 'token-not-above-fence', sessionId: 'e1' });
  });

  it('of another session ends nothing', () => {
    const rig = electionIn('leading.steady');
    expect(rig.send(refusedBy(e2, e2), isFenced('a', e2), lost(e2), lapsed(e2), asksForStepDown(e2))).toEqual([]);
  });
});

describe('stepping down', () => {
  it('revokes, waits until all work has settled, then releases, then lets others go first', () => {
    const rig = electionIn('leading.steady');
    expect(rig.send(stepDown('r1'))).toEqual([revokes(e1, 'stepped-down')]);
    expect(rig.send(drains('a', e1))).toEqual([]);
    expect(rig.send(drains('b', e1))).toEqual([releases(e1)]);
    expect(rig.send(released(e1))).toEqual([shuts(e1), settles(['r1']), contends(true)]);
    expect(rig.send(acquired(e2))).toHaveLength(2);
    expect(rig.context.yielding).toBe(false);
  });

  it('asked for by somebody else is the same, without a promise', () => {
    const rig = electionIn('leading.suspended');
    expect(rig.send(asksForStepDown(e1))).toEqual([revokes(e1, 'stepped-down')]);
    rig.send(drains('a', e1), drains('b', e1));
    expect(rig.send(released(e1))).toEqual([shuts(e1), settles([]), contends(true)]);
  });

  it('with nothing left to drain releases at once, with an overstayer only abandons at once', () => {
    for (const ask of [stepDown('r1'), asksForStepDown(e1)]) {
      const rig = electionIn('leading.steady');
      rig.send(drains('a', e1));
      const busy = rig.fork();
      expect(rig.send(drains('b', e1), ask)).toEqual([releases(e1)]);
      expect(busy.send(overstays('b', e1), ask)).toEqual([abandons(e1)]);
    }
  });

  it.each([
    ['then drains', [overstays('b', e1), drains('a', e1)]],
    ['last', [drains('a', e1), overstays('b', e1)]],
  ] as const)('an overstayer (%s): the lock is abandoned instead of released', (_, events) => {
    const rig = electionIn('ceding.draining');
    expect(rig.send(...events)).toEqual([abandons(e1)]);
    expect(rig.send(released(e1, 'abandoned'))).toEqual([shuts(e1), settles(['r1'], 'unreleased'), contends(true)]);
  });

  it('an overstayer that settles after all is no reason to abandon any more', () => {
    const rig = electionIn('ceding.draining');
    expect(rig.send(overstays('b', e1), drains('b', e1, true), drains('a', e1))).toEqual([releases(e1)]);
    expect(rig.context).toMatchObject({ undrained: 0, overstaying: 0 });
  });

  it('grants of older sessions count as well: the lock is not given back while any work of this process runs', () => {
    const rig = electionIn('leading.steady');
    rig.send(lost(e1), acquired(e2), stepDown('r1'), drains('a', e2), drains('b', e2), drains('a', e1));
    expect(rig.state).toBe('ceding.draining');
    expect(rig.send(drains('b', e1))).toEqual([releases(e2)]);
  });

  it.each(['idle', 'contending', 'halting'] as const)('in %s is answered "not leading"', (state) => {
    const rig = electionIn(state);
    expect(rig.send(stepDown('r9'))).toEqual([settles(['r9'], 'not-leading')]);
  });

  it.each(ceding)('again in %s joins the one under way, and every request is settled', (state) => {
    for (const end of [released(e1), released(e1, 'lost'), lost(e1), lapsed(e1)]) {
      const rig = electionIn(state);
      rig.send(stepDown('r2'), asksForStepDown(e1));
      expect(rig.send(end)).toContainEqual(settles(['r1', 'r2']));
      expect(rig.context.requests).toEqual([]);
    }
  });
});

describe('how a ceded session ends', () => {
  it.each(ceding)('in %s: released, with nobody left, the election rests', (state) => {
    const rig = electionIn(state);
    rig.send(leaves('a'), leaves('b'), released(e1));
    expect(rig.state).toBe('idle');
  });

  it.each(ceding)(
    'in %s: lost or lapsed, the lease contends by itself: it is stopped where nobody wants it',
    (state) => {
      for (const end of [lost(e1), lapsed(e1)]) {
        const rig = electionIn(state);
        const gone = rig.fork();
        expect(gone.send(leaves('a'), leaves('b'), end).at(-1)).toEqual(stops);
        expect(gone.state).toBe('halting');
        expect(rig.send(end).at(-1)).toEqual(contends(true));
      }
    },
  );

  it.each(ceding)('in %s: closing, it closes, and stops the lease where that is not at rest', (state) => {
    const rig = electionIn(state);
    rig.send(close);
    const lapses = rig.fork();
    expect(rig.send(released(e1)).at(-1)).toEqual(tellsClosed);
    expect(lapses.send(lapsed(e1)).at(-1)).toEqual(stops);
    expect(lapses.send(stopped)).toEqual([tellsClosed]);
  });

  it.each(ceding)('in %s: news of another session, and other news, end nothing', (state) => {
    const rig = electionIn(state);
    const news = [lost(e2), lapsed(e2), released(e2), suspended(e1), isFenced('a', e1), refusedBy(e2, e1), stopped];
    expect(rig.send(...news, observed(9n, e2), acquired(e2))).toEqual([]);
    expect(rig.state).toBe(state);
  });
});

describe('D5, D11, D20, D29: closing', () => {
  const ends: Record<Reached, readonly ElectionEvent[]> = {
    idle: [],
    contending: [stopped],
    halting: [stopped],
    'leading.steady': [drains('a', e1), leaves('a'), drains('b', e1), leaves('b'), released(e1)],
    'leading.suspended': [drains('a', e1), leaves('a'), drains('b', e1), leaves('b'), released(e1)],
    'ceding.draining': [drains('a', e1), drains('b', e1), released(e1)],
    'ceding.releasing': [released(e1)],
    'ceding.abandoning': [released(e1, 'abandoned')],
  };

  it.each(allStates)('in %s ends, and says so once', (state) => {
    const rig = electionIn(state);
    rig.send(close, ...ends[state]);
    expect(rig.state).toBe('closed');
    expect(rig.said.filter((one) => one.type === 'election.closed')).toEqual([tellsClosed]);
    expect(rig.send(close, joins('a'), acquired(e2), stepDown('r'))).toEqual([]);
  });

  it.each(leading)('in %s lets the components withdraw first: no revoke takes that right away', (state) => {
    const rig = electionIn(state);
    expect(rig.send(close, drains('a', e1), leaves('a'), drains('b', e1))).toEqual([]);
    expect(rig.send(leaves('b'))).toEqual([releases(e1)]);
  });
});
