import { describe, expect, it } from 'vitest';
import {
  acquired,
  askedToStepDown,
  firstLease,
  type LeaseReader,
  recordOf,
  released,
  renewed,
} from '../../../src/drivers/kubernetes/lease-codec.ts';
import { microTime, renewalTime } from '../../../src/drivers/kubernetes/micro-time.ts';
import type { KubeObject } from '../../../src/drivers/kubernetes/objects.ts';

const READER: LeaseReader = { foreignGraceMs: 3_000, own: null };
const NOW = '2026-12-01T03:04:05.678Z';
const LATER = '2026-12-01T03:04:10.001Z';
const ACQUIRE = {
  kind: 'acquire',
  expectedVersion: null,
  holder: 'me-1',
  sessionId: 's-1',
  durationMs: 15_000,
} as const;

/** As the server would answer. */
function stored(object: KubeObject, version: number, uid = 'uid-1'): KubeObject {
  return { ...object, metadata: { ...object.metadata, uid, resourceVersion: `${version}` } };
}

const ours = stored(firstLease('billing', 'default', ACQUIRE, NOW), 7);

/** As client-go writes it: the five fields and no note. */
function foreign(spec: object = {}, annotations: Record<string, string> = {}): KubeObject {
  const metadata = { name: 'billing', namespace: 'default', uid: 'uid-1', resourceVersion: '9', annotations };
  const times = { acquireTime: '2026-12-01T03:00:00.000000Z', renewTime: '2026-12-01T03:00:02.000000Z' };
  const base = { holderIdentity: 'them', leaseDurationSeconds: 15, leaseTransitions: 4, ...times };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: { ...base, ...spec } };
}

describe('a Lease that Tenure writes', () => {
  it('has all five fields from the start, with transitions 0 and times of six digits', () => {
    expect(ours.spec).toEqual({
      holderIdentity: 'me-1',
      leaseDurationSeconds: 15,
      acquireTime: '2026-12-01T03:04:05.678000Z',
      renewTime: '2026-12-01T03:04:05.678000Z',
      leaseTransitions: 0,
    });
  });

  it('has the version of the acquiring write as its token, also after later writes', () => {
    const first = recordOf(ours, READER);
    const again = stored(renewed(ours, first, 15_000, LATER), 8);
    const asked = stored(askedToStepDown(again, recordOf(again, READER)), 9);
    const free = stored(released(asked, recordOf(asked, READER), LATER), 10);
    const next = stored(acquired(free, { ...ACQUIRE, holder: 'me-2', sessionId: 's-2' }, LATER), 11);
    const tokens = [ours, again, asked, free, next].map((object) => recordOf(object, READER).fencingToken);
    expect(tokens).toEqual([7n, 7n, 7n, 7n, 11n]);
  });

  it('counts a transition whenever the holder changes, from nobody too, and none when it stays', () => {
    const transitions = (object: KubeObject) => (object.spec as { leaseTransitions: number }).leaseTransitions;
    const free = stored(released(ours, recordOf(ours, READER), LATER), 8);
    expect(transitions(free)).toBe(0);
    expect(transitions(acquired(free, ACQUIRE, LATER))).toBe(1);
    expect(transitions(acquired(ours, { ...ACQUIRE, sessionId: 's-2' }, LATER))).toBe(0);
    expect(transitions(acquired(foreign(), ACQUIRE, LATER))).toBe(5);
  });

  it('is released as client-go releases: nobody, for one second, both times now', () => {
    const free = released(ours, recordOf(ours, READER), LATER);
    const at = '2026-12-01T03:04:10.001000Z';
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, acquireTime: at, renewTime: at, leaseTransitions: 0 };
    expect(free.spec).toEqual(spec);
    expect(free.metadata.annotations).toEqual({ 'tenure/fencing-token': '7' });
  });

  it('is asked to step down until the session ends', () => {
    const asked = stored(askedToStepDown(ours, recordOf(ours, READER)), 8);
    expect(recordOf(asked, READER).stepDownFor).toBe('s-1');
    const next = acquired(asked, { ...ACQUIRE, holder: 'me-2', sessionId: 's-2' }, LATER);
    expect(recordOf(stored(next, 9), READER).stepDownFor).toBe('');
  });

  it('keeps what it does not know, and leaves out what only the server writes', () => {
    const metadata = {
      ...ours.metadata,
      labels: { team: 'a' },
      annotations: { ...ours.metadata.annotations, note: 'b' },
      managedFields: [{ manager: 'kubectl' }],
    };
    const object = { ...ours, metadata, spec: { ...(ours.spec as object), preferredHolder: 'them' } };
    const next = renewed(object, recordOf(object, READER), 15_000, LATER);
    expect(next.spec).toMatchObject({ preferredHolder: 'them' });
    expect(next.metadata).toMatchObject({ uid: 'uid-1', resourceVersion: '7', labels: { team: 'a' } });
    expect(next.metadata.annotations).toMatchObject({ note: 'b' });
    expect(next.metadata).not.toHaveProperty('managedFields');
  });
});

describe('a Lease of another kind of elector', () => {
  it('is spared for the grace after its own duration', () => {
    const { holder, sessionId, durationMs, fencingToken } = recordOf(foreign(), READER);
    expect({ holder, sessionId, durationMs, fencingToken }).toEqual({
      holder: 'them',
      sessionId: '',
      durationMs: 18_000,
      fencingToken: 0n,
    });
  });

  it('that does not say how long it holds is given 15 s', () => {
    expect(recordOf(foreign({ leaseDurationSeconds: undefined }), READER).durationMs).toBe(18_000);
  });

  it.each([
    ['an empty text', ''],
    ['null', null],
    ['nothing', undefined],
  ])('is free when the holder is %s', (_, holder) => {
    const record = recordOf(foreign({ holderIdentity: holder, leaseDurationSeconds: 1 }), READER);
    expect(record).toMatchObject({ holder: '', sessionId: '', durationMs: 1_000 });
  });

  it('is not taken for ours because our notes were left on it', () => {
    const robbed = { ...ours, spec: { ...(ours.spec as object), holderIdentity: 'them' } };
    expect(recordOf(robbed, READER)).toMatchObject({ holder: 'them', sessionId: '', durationMs: 18_000 });
    const blanked = { ...ours, spec: { ...(ours.spec as object), holderIdentity: '' } };
    expect(recordOf(blanked, READER)).toMatchObject({ holder: '', sessionId: '' });
  });
});

describe('our own acquisition', () => {
  const own = { sessionId: 's-1', uid: 'uid-1', fencingToken: 7n };

  it('keeps its token when somebody edits the Lease before the token could be noted', () => {
    expect(recordOf(stored(ours, 8), { ...READER, own }).fencingToken).toBe(7n);
  });

  it('does not live on in a Lease that was created again with the same content', () => {
    expect(recordOf(stored(ours, 20, 'uid-2'), { ...READER, own })).toMatchObject({ holder: 'me-1', sessionId: '' });
  });
});

describe('times', () => {
  it.each([
    ['2026-12-01T03:04:05.678Z', '2026-12-01T03:04:05.678000Z'],
    ['2026-12-01T03:04:05Z', '2026-12-01T03:04:05.000000Z'],
    ['2026-12-01T03:04:05.123456789Z', '2026-12-01T03:04:05.123456Z'],
  ])('%s is written as %s', (iso, written) => expect(microTime(iso)).toBe(written));

  it.each([
    ['in a later second', '2026-12-01T03:04:05.900000Z', '2026-12-01T03:04:06.100Z', '2026-12-01T03:04:06.100000Z'],
    ['in the same second', '2026-12-01T03:04:05.100000Z', '2026-12-01T03:04:05.900Z', '2026-12-01T03:04:06.000000Z'],
    ['with a clock set back', '2026-12-01T03:04:05.100000Z', '2026-12-01T02:00:00.000Z', '2026-12-01T03:04:06.000000Z'],
    ['after a time that is none', 'never', '2026-12-01T03:04:05.900Z', '2026-12-01T03:04:05.900000Z'],
  ])('a renewal %s always moves to another second', (_, before, now, written) => {
    expect(renewalTime(before, now)).toBe(written);
  });
});
