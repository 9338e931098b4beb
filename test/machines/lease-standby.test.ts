import { describe, expect, it } from 'vitest';
import {
  acquire,
  acquireConflict,
  acquired,
  acquiredTooLate,
  acquires,
  begins,
  cancels,
  contend,
  elapsed,
  free,
  lapsed,
  leaseIn,
  ours,
  readFailed,
  reads,
  renewConflict,
  seen,
  sets,
  stop,
  tellsAcquired,
  tellsStopped,
  theirs,
  waits,
} from './lease-words.ts';

describe('looking at the lease', () => {
  it('a free one is acquired at once, naming the version that was read', () => {
    const rig = leaseIn('idle');
    expect(rig.send(contend())).toEqual([reads]);
    expect(rig.send(seen(free(7n)))).toEqual([acquires(7n)]);
    expect(rig.send(acquired(8n, undefined, 1_000))).toEqual([begins(1_000), tellsAcquired(), sets('renew:1', 5_000)]);
    expect(rig.state).toBe('holding.fresh');
  });

  it('one that was never there is created: only if there still is none', () => {
    const rig = leaseIn('looking');
    expect(rig.send(seen(null))).toEqual([acquires(null)]);
  });

  it('one left behind by a former session of this very process is acquired anew', () => {
    expect(leaseIn('looking').send(seen(ours(3n)))).toEqual([acquires(3n)]);
  });

  it('one that is held is waited for', () => {
    const rig = leaseIn('looking');
    expect(rig.send(seen(theirs(3n), 1_000))).toEqual([waits('expiry:1', 16_000)]);
    expect(rig.state).toBe('standby');
  });

  it('a read that fails is tried again after a pause, or decided by what is seen meanwhile', () => {
    const rig = leaseIn('looking');
    expect(rig.send(readFailed)).toEqual([sets('retry:1', 500, 1)]);
    const watching = rig.fork();
    expect(rig.send(elapsed('retry:1'))).toEqual([cancels('retry:1'), reads]);
    expect(watching.send(seen(free(3n)))).toEqual([cancels('retry:1'), acquires(3n)]);
  });

  it('what is known already needs no read', () => {
    const known = leaseIn('idle');
    known.send(seen(theirs(3n), 1_000));
    expect(known.send(contend())).toEqual([waits('expiry:1', 16_000)]);
    const vacant = leaseIn('idle');
    vacant.send(seen(free(3n)));
    expect(vacant.send(contend())).toEqual([acquires(3n)]);
  });
});

describe('waiting for a lease that somebody holds', () => {
  it('D6 of Flink: takes over only after the whole local span, on its own clock', () => {
    const rig = leaseIn('looking');
    rig.send(seen(theirs(1n), 1_000));
    expect(rig.send(elapsed('expiry:0'), elapsed('expiry:2'))).toEqual([]);
    expect(rig.send(elapsed('expiry:1'))).toEqual([cancels('expiry:1'), acquires(1n)]);
  });

  it('the same version seen again does not restart the span', () => {
    const rig = leaseIn('standby');
    expect(rig.send(seen(theirs(1n), 9_000))).toEqual([]);
    expect(rig.context.seenAtMs).toBe(0);
  });

  it('a new version does', () => {
    const rig = leaseIn('standby');
    expect(rig.send(seen(theirs(2n), 5_000))).toEqual([cancels('expiry:1'), waits('expiry:2', 20_000)]);
    expect(rig.send(elapsed('expiry:1'))).toEqual([]);
  });

  it('old news neither restarts the span nor frees the lease', () => {
    const rig = leaseIn('looking');
    rig.send(seen(theirs(5n), 1_000));
    expect(rig.send(seen(theirs(4n), 9_000), seen(free(3n), 9_000), seen(ours(2n), 9_000))).toEqual([]);
    expect(rig.state).toBe('standby');
  });

  it.each([
    ['released', free(2n), 2n],
    ['deleted', null, null],
  ] as const)('a lease that is %s is contended for at once', (_, record, version) => {
    expect(leaseIn('standby').send(seen(record))).toEqual([cancels('expiry:1'), acquires(version)]);
  });

  it('after a deletion every version is new', () => {
    const rig = leaseIn('standby');
    rig.send(seen(theirs(9n)), seen(null), acquireConflict(theirs(1n), 3_000));
    expect(rig.state).toBe('standby');
    expect(rig.context).toMatchObject({ record: theirs(1n), seenAtMs: 3_000 });
  });
});

describe('acquiring', () => {
  it('a conflict with another holder: waits from now on', () => {
    const rig = leaseIn('contending');
    expect(rig.send(acquireConflict(theirs(2n), 4_000))).toEqual([waits('expiry:1', 19_000)]);
  });

  it('a conflict that shows a free lease: tries again, with its version', () => {
    const rig = leaseIn('contending');
    expect(rig.send(acquireConflict(free(2n)))).toEqual([acquires(2n)]);
    expect(rig.send(acquireConflict(null))).toEqual([acquires(null)]);
    expect(rig.state).toBe('contending');
  });

  it('a store that went back in time (restored): its versions are taken as they are, without a loop', () => {
    const rig = leaseIn('standby');
    rig.send(seen(theirs(90n), 0), elapsed('expiry:2'));
    expect(rig.send(acquireConflict(theirs(4n), 20_000))).toEqual([waits('expiry:3', 35_000)]);
    rig.send(elapsed('expiry:3'));
    expect(rig.said.at(-1)).toEqual(acquires(4n));
  });

  it('a conflict that shows the version already known keeps its span', () => {
    const rig = leaseIn('standby');
    rig.send(elapsed('expiry:1'));
    expect(rig.send(acquireConflict(theirs(1n), 99_000))).toEqual([waits('expiry:2', 15_000)]);
  });

  it('an answer that comes after the deadline grants nothing: a frozen process looks again first', () => {
    const rig = leaseIn('contending');
    expect(rig.send(acquiredTooLate(2n))).toEqual([reads]);
    expect(rig.state).toBe('looking');
    expect(rig.send(seen(ours(2n)))).toEqual([acquires(2n)]);
  });

  it('a release that was seen before the conflict came is not forgotten', () => {
    const rig = leaseIn('contending');
    rig.send(seen(theirs(2n)), seen(free(3n)));
    expect(rig.send(acquireConflict(theirs(2n)))).toEqual([acquires(3n)]);
  });

  it('a holder that was seen after the one that the conflict shows is the one to wait for', () => {
    const rig = leaseIn('contending');
    rig.send(seen(theirs(3n), 1_000));
    expect(rig.send(acquireConflict(theirs(2n), 2_000))).toEqual([waits('expiry:1', 16_000)]);
  });

  it('a refusal: pauses and looks again', () => {
    const rig = leaseIn('contending');
    expect(rig.send(acquire('refused'))).toEqual([sets('retry:1', 500, 1)]);
    expect(rig.send(elapsed('retry:1'))).toContainEqual(reads);
  });

  it('an unknown outcome is looked up: if it landed, it is acquired anew, under a new token', () => {
    const rig = leaseIn('contending');
    expect(rig.send(acquire('unknown'))).toEqual([reads]);
    expect(rig.send(seen(ours(2n)))).toEqual([acquires(2n)]);
  });

  it('what is watched meanwhile may be the own write: only the answer decides', () => {
    const rig = leaseIn('contending');
    expect(rig.send(seen(ours(2n)), seen(theirs(2n)), seen(null), elapsed('expiry:0'))).toEqual([]);
    expect(rig.state).toBe('contending');
  });
});

describe('a watch that lags behind our own answers', () => {
  it('I1, I7: never makes a lapsed session take a live lease that an answer has shown already', () => {
    const rig = leaseIn('holding.renewing');
    rig.send(lapsed, renewConflict(theirs(5n)));
    expect(rig.state).toBe('lapsed');
    expect(rig.send(seen(ours(3n), 1_000))).toEqual([waits('expiry:2', 15_000)]);
    expect(rig.state).toBe('standby');
  });

  it('nor one that looks again after a lost acquisition', () => {
    const rig = leaseIn('contending');
    rig.send(acquireConflict(theirs(5n), 0), elapsed('expiry:1'), acquire('unknown'));
    expect(rig.state).toBe('looking');
    rig.send(seen(free(3n), 20_000));
    expect(rig.state).toBe('standby');
  });
});

describe('stopping', () => {
  it.each(['looking', 'backing-off', 'standby', 'yielding', 'lapsed', 'idle'] as const)('in %s is at once', (state) => {
    const rig = leaseIn(state);
    expect(rig.send(stop).at(-1)).toEqual(tellsStopped);
    expect(rig.state).toBe('idle');
  });

  it.each([
    ['conflict', acquireConflict(theirs(2n))],
    ['refusal', acquire('refused')],
    ['unknown outcome', acquire('unknown')],
  ] as const)('waits for the acquisition under way: a %s ends it', (_, answer) => {
    const rig = leaseIn('contending');
    expect(rig.send(stop, stop, contend(), seen(theirs(2n)))).toEqual([]);
    expect(rig.send(answer)).toEqual([tellsStopped]);
    expect(rig.state).toBe('idle');
  });
});

describe('yielding', () => {
  it('waits one lease duration, so that others go first; then looks', () => {
    const rig = leaseIn('idle');
    expect(rig.send(contend(true))).toEqual([sets('yield:1', 15_000)]);
    expect(rig.send(contend(), seen(free(3n)), elapsed('yield:0'))).toEqual([]);
    expect(rig.send(elapsed('yield:1'))).toEqual([cancels('yield:1'), reads]);
  });

  it('ends as soon as somebody else has it', () => {
    const rig = leaseIn('yielding');
    expect(rig.send(seen(theirs(3n), 1_000))).toEqual([cancels('yield:1'), waits('expiry:2', 16_000)]);
  });

  it('waits for a holder that was known before', () => {
    const rig = leaseIn('idle');
    rig.send(seen(theirs(3n), 1_000), contend(true), elapsed('yield:1'));
    expect(rig.state).toBe('standby');
  });

  it('also after a session that lapsed while it was being given up', () => {
    const rig = leaseIn('lapsed');
    expect(rig.fork().send(contend())).toEqual([]);
    expect(rig.send(contend(true))).toEqual([sets('yield:2', 15_000)]);
  });
});
