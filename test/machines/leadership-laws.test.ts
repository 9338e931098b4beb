import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkTrace } from '../../machines/invariants.ts';
import type { LeadershipCommand, LeadershipEvent } from '../../machines/leadership-messages.ts';
import { Environment } from './leadership-environment.ts';

/** Any number of draws; what each means depends on what a well-behaved environment could do at that moment. */
const runs = fc.noBias(fc.array(fc.nat({ max: 1_000_000 }), { minLength: 5, maxLength: 150, size: 'max' }));

function live(draws: readonly number[]): Environment {
  const environment = new Environment();
  for (const draw of draws) environment.act(draw);
  environment.windDown();
  return environment;
}

describe('whatever a well-behaved environment does', () => {
  it('I5, I6, I9: grant and revoke alternate, contenders never overlap, every confirmation is settled', () => {
    fc.assert(
      fc.property(runs, (draws) => {
        expect(checkTrace(live(draws).trace)).toEqual([]);
      }),
    );
  });

  it('I9: every confirmation is answered exactly once by the time the component has closed', () => {
    fc.assert(
      fc.property(runs, (draws) => {
        const { rig, confirmIds } = live(draws);
        const answered = rig.said.flatMap((one) => (one.type === 'confirm.settled' ? one.confirmIds : []));
        expect([...answered].sort()).toEqual([...confirmIds].sort());
      }),
    );
  });

  it('every grant is drained exactly once, or its overstayer has been reported', () => {
    fc.assert(
      fc.property(runs, (draws) => {
        const { rig, grants, abandoned } = live(draws);
        const drained = rig.said.flatMap((one) => (one.type === 'component.drained' ? [one.sessionId] : []));
        expect([...drained, ...abandoned].sort()).toEqual([...grants].sort());
        const overstayed = rig.said.flatMap((one) => (one.type === 'component.overstayed' ? [one.sessionId] : []));
        expect(overstayed).toEqual(expect.arrayContaining([...abandoned]));
      }),
    );
  });

  it('joins and leaves alternate, and the last word is that it has left', () => {
    fc.assert(
      fc.property(runs, (draws) => {
        const { rig } = live(draws);
        const standing = rig.said.filter((one) => one.type === 'component.joined' || one.type === 'component.left');
        standing.forEach((one, at) => {
          expect(one.type).toBe(at % 2 === 0 ? 'component.joined' : 'component.left');
        });
        expect(standing.at(-1)?.type).toBe('component.left');
        expect(rig.state).toBe('closed');
      }),
    );
  });

  it('I3, I4: it publishes only for the session whose contender runs, and deletes only after that one has settled', () => {
    fc.assert(
      fc.property(runs, (draws) => {
        let running = '';
        for (const one of live(draws).log) {
          if (one.type === 'contender.start') running = one.session.id;
          if (one.type === 'contender.settled' && one.sessionId === running) running = '';
          if (one.type === 'register.publish') expect(one.entry.sessionId).toBe(running);
          if (one.type === 'register.withdraw') expect(running).toBe('');
        }
      }),
    );
  });

  it('one write at a time, each with a number of its own', () => {
    fc.assert(
      fc.property(runs, (draws) => {
        const attempts = live(draws).rig.said.flatMap((one) =>
          one.type === 'register.publish' || one.type === 'register.withdraw' ? [one.attempt] : [],
        );
        expect(attempts).toEqual(attempts.map((_, at) => at + 1));
      }),
    );
  });

  it('every timer that is cancelled or that fires has been set by that name', () => {
    fc.assert(
      fc.property(runs, (draws) => {
        const set = new Set<string>();
        const conditional = /^withdraw:/;
        for (const one of live(draws).log as readonly (LeadershipCommand | LeadershipEvent)[]) {
          if (one.type === 'timer.set') set.add(one.id);
          if (one.type === 'timer.cancel' && !conditional.test(one.id)) expect(set).toContain(one.id);
        }
      }),
    );
  });

  it('the world above really is explored: most sequences confirm, many overstay or rest', () => {
    const all = fc.sample(runs, { numRuns: 300, seed: 1 }).map(live);
    const count = (type: string): number => all.filter(({ rig }) => rig.said.some((one) => one.type === type)).length;
    expect(count('register.publish')).toBeGreaterThan(150);
    expect(count('component.overstayed')).toBeGreaterThan(20);
    expect(count('session.fenced')).toBeGreaterThan(20);
    expect(count('register.withdraw')).toBeGreaterThan(60);
    expect(all.flatMap(({ rig }) => rig.said.filter((one) => 'sessionId' in one && one.sessionId === ''))).toEqual([]);
  });
});
