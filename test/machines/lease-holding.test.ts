import { describe, expect, it } from 'vitest';
import {
  abandon,
  acknowledges,
  acquire,
  acquireConflict,
  acquires,
  allStates,
  askedToStepDown,
  asksForStepDown,
  cancels,
  contend,
  elapsed,
  ends,
  free,
  holdingStates,
  l2,
  lapsed,
  leaseIn,
  misses,
  ours,
  readFailed,
  reads,
  release,
  releaseAnswer,
  releaseConflict,
  released,
  releasingStates,
  renew,
  renewConflict,
  renewed,
  renews,
  seen,
  sets,
  stop,
  tellsLost,
  tellsReleased,
  tellsStopped,
  theirs,
  waits,
  writesRelease,
} from './lease-words.ts';

describe('renewing', () => {
  it('names the version it replaces and counts from when it was sent', () => {
    const rig = leaseIn('holding.fresh');
    expect(rig.send(elapsed('renew:1'))).toEqual([cancels('renew:1'), renews(2n)]);
    expect(rig.send(renewed(3n, 5_000))).toEqual([acknowledges(5_000), sets('renew:2', 5_000)]);
    expect(rig.send(elapsed('renew:1'), elapsed('renew:3'))).toEqual([]);
    expect(rig.send(elapsed('renew:2'))).toEqual([cancels('renew:2'), renews(3n)]);
  });

  it.each(['refused', 'unknown'] as const)('%s: missed, and tried again soon', (answer) => {
    const rig = leaseIn('holding.renewing');
    expect(rig.send(renew(answer))).toEqual([misses, sets('renew:2', 500)]);
    expect(rig.send(elapsed('renew:2'))).toEqual([cancels('renew:2'), renews(2n)]);
  });

  it('a conflict with the own record (an earlier renewal had landed): goes on from its version', () => {
    const rig = leaseIn('holding.overdue');
    rig.send(elapsed('renew:2'));
    expect(rig.send(renewConflict(ours(3n)))).toEqual([renews(3n)]);
  });

  it.each([
    ['somebody else', theirs(3n), [waits('expiry:2', 15_000)]],
    ['nobody', free(3n), [acquires(3n)]],
    ['no record: it is not created again by a renewal', null, [acquires(null)]],
    ['a later session of this very process', ours(3n, l2), [acquires(3n)]],
    ['somebody else in a restored store', theirs(1n), [waits('expiry:2', 15_000)]],
  ] as const)('a conflict with %s: lost in the same step', (_, record, next) => {
    const rig = leaseIn('holding.renewing');
    expect(rig.send(renewConflict(record))).toEqual([ends, tellsLost, ...next]);
    expect(rig.context.session).toBeNull();
  });
});

describe('I1, I7: losing', () => {
  it.each(holdingStates)('in %s: a record of somebody else ends the session in the same step', (state) => {
    const rig = leaseIn(state);
    const said = rig.send(seen(theirs(3n), 0)).filter((one) => one.type !== 'timer.cancel');
    expect(said).toEqual([ends, tellsLost, waits(`expiry:${rig.context.waits}`, 15_000)]);
    expect(rig.state).toBe('standby');
  });

  it.each(holdingStates)('in %s: so does a deletion, and so does a release by another hand', (state) => {
    for (const record of [null, free(3n)]) {
      const rig = leaseIn(state);
      const said = rig.send(seen(record)).filter((one) => one.type !== 'timer.cancel');
      expect(said).toEqual([ends, tellsLost, acquires(record?.version ?? null)]);
    }
  });

  it.each(holdingStates)('in %s: old news and the own record end nothing', (state) => {
    const rig = leaseIn(state);
    expect(rig.send(seen(theirs(1n)), seen(free(2n)), seen(ours(2n)), seen(ours(4n)))).toEqual([]);
    expect(rig.state).toBe(state);
    expect(rig.context.record?.version).toBe(4n);
  });

  it.each(holdingStates)('in %s: once the deadline has passed it looks before it contends again', (state) => {
    const rig = leaseIn(state);
    expect(rig.send(lapsed).filter((one) => one.type !== 'timer.cancel')).toEqual([reads]);
    expect(rig.context.session).toBeNull();
    const failing = rig.fork();
    expect(rig.send(seen(ours(2n)))).toEqual([acquires(2n)]);
    failing.send(readFailed);
    expect(failing.state).toBe('backing-off');
  });

  it.each(holdingStates)('in %s: what belongs to another session ends nothing', (state) => {
    const rig = leaseIn(state);
    const foreign = [lapsed, release, abandon].map((one) => ({ ...one, sessionId: 'l0' }));
    expect(rig.send(...foreign, renewed(9n, 0, 'l0'), renewConflict(theirs(1n), 'l0'), renew('unknown', 'l0'))).toEqual(
      [],
    );
    expect(rig.send(contend(), stop)).toEqual([]);
    expect(rig.state).toBe(state);
  });
});

describe('a request to step down', () => {
  it.each(holdingStates)('in %s is passed on once', (state) => {
    const rig = leaseIn(state);
    expect(rig.send(seen(askedToStepDown(3n)), seen(askedToStepDown(3n)))).toEqual([asksForStepDown]);
  });

  it('found by a renewal is passed on, and the renewal goes on', () => {
    const rig = leaseIn('holding.renewing');
    expect(rig.send(renewConflict(askedToStepDown(3n)))).toEqual([asksForStepDown, renews(3n)]);
  });
});

describe('releasing', () => {
  it.each(['holding.fresh', 'holding.overdue'] as const)('from %s names our own last version', (state) => {
    const rig = leaseIn(state);
    expect(rig.send(release).at(-1)).toEqual(writesRelease(2n));
    expect(rig.send(released(3n))).toEqual([ends, tellsReleased('released')]);
    expect(rig.state).toBe('idle');
    expect(rig.context.session).toBeNull();
  });

  it.each([
    ['committed', renewed(3n), 3n],
    ['conflicting with our own', renewConflict(ours(4n)), 4n],
    ['refused', renew('refused'), 2n],
    ['unknown', renew('unknown'), 2n],
  ] as const)('during a renewal waits for it: %s', (_, answer, version) => {
    const rig = leaseIn('holding.renewing');
    expect(rig.send(release)).toEqual([]);
    expect(rig.send(answer)).toEqual([writesRelease(version)]);
  });

  it('lost meanwhile is lost, not released', () => {
    expect(leaseIn('releasing.settling').send(renewConflict(theirs(3n)))).toEqual([ends, tellsReleased('lost')]);
    expect(leaseIn('releasing.writing').send(releaseConflict(theirs(3n)))).toEqual([ends, tellsReleased('lost')]);
    expect(leaseIn('releasing.writing').send(releaseConflict(null))).toEqual([ends, tellsReleased('lost')]);
  });

  it('a conflict with the own record (a renewal had landed): released from its version', () => {
    expect(leaseIn('releasing.writing').send(releaseConflict(ours(3n)))).toEqual([writesRelease(3n)]);
  });

  it.each(['refused', 'unknown'] as const)('%s: tried a few times, then left to run out', (answer) => {
    const rig = leaseIn('releasing.writing');
    for (const wait of ['retry:2', 'retry:3']) {
      expect(rig.send(releaseAnswer(answer))).toEqual([sets(wait, 500, 1)]);
      expect(rig.send(elapsed(wait))).toEqual([cancels(wait), writesRelease(2n)]);
    }
    expect(rig.send(releaseAnswer(answer))).toEqual([ends, tellsReleased('unreleased')]);
    expect(rig.context.tries).toBe(0);
  });

  it.each(releasingStates)('in %s ends at the deadline at the latest', (state) => {
    const rig = leaseIn(state);
    expect(rig.send(seen(ours(3n)), seen(theirs(9n)), contend(), stop)).toEqual([]);
    expect(rig.send(lapsed).at(-1)).toEqual(tellsReleased('unreleased'));
    expect(rig.state).toBe('idle');
  });
});

describe('abandoning', () => {
  it.each([...holdingStates, ...releasingStates])('in %s stops renewing and writes nothing', (state) => {
    const rig = leaseIn(state);
    const said = rig.send(abandon).filter((one) => one.type !== 'timer.cancel');
    expect(said).toEqual([ends, tellsReleased('abandoned')]);
    expect(rig.state).toBe('idle');
  });
});

describe('acquired although nobody wants it any more', () => {
  it.each([
    ['committed', released(3n)],
    ['in conflict', releaseConflict(theirs(3n))],
    ['refused', releaseAnswer('refused')],
    ['unknown', releaseAnswer('unknown')],
  ] as const)('is given back without ever having been granted: %s', (_, answer) => {
    const rig = leaseIn('returning');
    expect(rig.said.at(-1)).toEqual(writesRelease(2n));
    expect(rig.send(stop, contend(), seen(theirs(5n)))).toEqual([]);
    expect(rig.send(answer)).toEqual([tellsStopped]);
    expect(rig.state).toBe('idle');
    expect(rig.said.some((one) => one.type === 'lease.acquired')).toBe(false);
  });

  it('the late answer to an older release is not the one that is waited for', () => {
    const rig = leaseIn('returning');
    expect(rig.send(released(3n, 'l0'))).toEqual([]);
    expect(rig.state).toBe('returning');
  });
});

describe('late answers', () => {
  const answering: Partial<Record<string, RegExp>> = {
    contending: /acquire/,
    stopping: /acquire/,
    returning: /release/,
    'holding.renewing': /renew/,
    'releasing.settling': /renew/,
    'releasing.writing': /release/,
  };
  const answers = [
    ...[acquire('refused'), acquire('unknown'), acquireConflict(theirs(0n))],
    ...[renewed(1n), renewConflict(theirs(0n)), renew('refused'), renew('unknown')],
    ...[released(1n), releaseConflict(theirs(0n)), releaseAnswer('refused'), releaseAnswer('unknown')],
  ];

  it.each(allStates)('in %s match nothing but the request that is under way', (state) => {
    const rig = leaseIn(state);
    const knowsNothing = rig.context.record === undefined;
    const late = answers.filter(
      ({ type }) => answering[state]?.test(type) !== true && !(knowsNothing && type.endsWith('conflict')),
    );
    const others = state === 'looking' || state === 'lapsed' ? late : [...late, readFailed];
    expect(rig.send(...others)).toEqual([]);
    expect(rig.state).toBe(state);
  });

  it('that show a newer record than a standby waits for start its wait anew', () => {
    const answers = [acquireConflict, releaseConflict, renewConflict];
    for (const late of answers) {
      const rig = leaseIn('standby');
      const version = rig.context.record?.version ?? 0n;
      const news = { ...late(theirs(version + 1n)), nowMs: 9_000 };
      expect(rig.send(news as never)).toEqual([cancels('expiry:1'), waits('expiry:2', 24_000)]);
      expect(rig.state).toBe('standby');
    }
  });

  it('that show somebody else while we hold lend no version to our renewal; the watch ends the session', () => {
    for (const late of [acquireConflict, releaseConflict]) {
      const rig = leaseIn('holding.fresh');
      const version = rig.context.record?.version ?? 0n;
      rig.send({ ...late(theirs(version + 1n)), sessionId: 'l0' } as never);
      expect(rig.context.record?.version).toBe(version);
      rig.send(seen(theirs(version + 1n)));
      expect(rig.state).toBe('standby');
    }
  });

  it('that show somebody else while we give back lend no version to our release', () => {
    const rig = leaseIn('releasing.retrying');
    const version = rig.context.record?.version;
    rig.send(acquireConflict(theirs((version ?? 0n) + 1n)));
    expect(rig.context.record?.version).toBe(version);
  });
});
