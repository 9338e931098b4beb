import { describe, expect, it } from 'vitest';
import { validityMachine } from '../../machines/index.ts';
import type { ValidityCommand, ValidityEvent } from '../../machines/validity.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

// Lease 15 s, margin 2 s: ours for 13 s from when the newest acknowledged heartbeat was sent.
const begin = (sentAtMs: number, sessionId = 'v1'): ValidityEvent => ({ type: 'validity.begin', sessionId, sentAtMs });
const acknowledged = (sentAtMs: number, sessionId = 'v1'): ValidityEvent => {
  return { type: 'heartbeat.acknowledged', sessionId, sentAtMs };
};
const missed = (sessionId = 'v1'): ValidityEvent => ({ type: 'heartbeat.missed', sessionId });
const check = (nowMs: number): ValidityEvent => ({ type: 'validity.check', nowMs });
const end = (sessionId = 'v1'): ValidityEvent => ({ type: 'validity.end', sessionId });
const elapsed = (nowMs: number, id = 'deadline'): ValidityEvent => ({ type: 'timer.elapsed', id, nowMs });

const sets = (atMs: number): ValidityCommand => {
  return { type: 'timer.set', to: 'clock', id: 'deadline', atMs, scale: 'deadline' };
};
const tells = (type: 'suspended' | 'resumed'): ValidityCommand => ({ type, to: 'election', sessionId: 'v1' });
// The election first: work is told to stop before the lease may be contended for again (I7).
const lapses: readonly ValidityCommand[] = [
  { type: 'lapsed', to: 'election', sessionId: 'v1' },
  { type: 'lapsed', to: 'driver', sessionId: 'v1' },
];

type ValidityRig = Rig<typeof validityMachine>;
const fresh = (): ValidityRig => {
  const rig = start(validityMachine, { leaseDurationMs: 15_000, marginMs: 2_000 });
  rig.send(begin(0));
  return rig;
};
const suspended = (): ValidityRig => {
  const rig = fresh();
  rig.send(missed());
  return rig;
};
const valid = [
  ['fresh', fresh],
  ['suspended', suspended],
] as const;

describe('the deadline', () => {
  it('counts from when the heartbeat was sent, not from when its answer came', () => {
    const rig = fresh();
    expect(rig.said).toEqual([sets(13_000)]);
    expect(rig.send(acknowledged(5_000))).toEqual([sets(18_000)]);
  });

  it('never moves back: answers may overtake each other', () => {
    const rig = fresh();
    rig.send(acknowledged(6_000));
    expect(rig.send(acknowledged(5_000))).toEqual([]);
    expect(rig.context.deadlineMs).toBe(19_000);
    const behind = suspended();
    behind.send(acknowledged(6_000), missed());
    expect(behind.send(acknowledged(5_000))).toEqual([]);
    expect(behind.state).toBe('suspended');
  });

  it.each(valid)('while %s: work is told to stop when its timer fires', (_, at) => {
    const rig = at();
    expect(rig.send(elapsed(13_000))).toEqual(lapses);
    expect(rig.state).toBe('lapsed');
    expect(rig.context).toMatchObject({ sessionId: '', deadlineMs: 0 });
  });

  it.each(valid)('while %s: a check at use finds out earlier than a late timer', (_, at) => {
    const rig = at();
    expect(rig.send(check(12_999))).toEqual([]);
    expect(rig.send(check(13_000))).toEqual(lapses);
    expect(rig.send(elapsed(13_001), check(14_000))).toEqual([]);
  });

  it.each(valid)('while %s: a timer that fires early is set again, not lost', (_, at) => {
    const rig = at();
    expect(rig.send(elapsed(12_999.4))).toEqual([sets(13_000)]);
    expect(rig.send(elapsed(13_000, 'another'))).toEqual([]);
    expect(rig.send(elapsed(13_000.1))).toEqual(lapses);
  });

  it('a timer of before the deadline was moved ends nothing', () => {
    const rig = fresh();
    rig.send(acknowledged(5_000));
    expect(rig.send(elapsed(13_000))).toEqual([sets(18_000)]);
    expect(rig.state).toBe('fresh');
  });
});

describe('suspension', () => {
  it('begins with a missed heartbeat and ends with an acknowledged one', () => {
    const rig = fresh();
    expect(rig.send(missed(), missed())).toEqual([tells('suspended')]);
    expect(rig.send(acknowledged(9_000))).toEqual([sets(22_000), tells('resumed')]);
    expect(rig.state).toBe('fresh');
  });

  it('does not move the deadline', () => {
    expect(suspended().context.deadlineMs).toBe(13_000);
  });
});

describe('sessions', () => {
  it.each(valid)('while %s: heartbeats and ends of another session are nothing', (_, at) => {
    const rig = at();
    const { state } = rig;
    expect(rig.send(acknowledged(9_000, 'v0'), missed('v0'), end('v0'))).toEqual([]);
    expect(rig.state).toBe(state);
    expect(rig.context).toMatchObject({ sessionId: 'v1', deadlineMs: 13_000 });
  });

  it.each(valid)('while %s: the end takes the timer along', (_, at) => {
    const rig = at();
    expect(rig.send(end())).toEqual([{ type: 'timer.cancel', to: 'clock', id: 'deadline' }]);
    expect(rig.state).toBe('idle');
    expect(rig.send(acknowledged(1), missed(), check(99_000), end(), elapsed(99_000))).toEqual([]);
  });

  it.each(valid)('while %s: a new one replaces the old one, also with an earlier deadline', (_, at) => {
    const rig = at();
    expect(rig.send(begin(-5_000, 'v2'))).toEqual([sets(8_000)]);
    expect(rig.state).toBe('fresh');
    expect(rig.context.sessionId).toBe('v2');
  });

  it('after one has lapsed nothing revives it; the next one begins afresh', () => {
    const rig = fresh();
    rig.send(check(13_000));
    expect(rig.send(acknowledged(12_000), missed(), end(), check(20_000), elapsed(20_000))).toEqual([]);
    expect(rig.send(begin(20_000, 'v2'))).toEqual([sets(33_000)]);
    expect(rig.state).toBe('fresh');
  });
});
