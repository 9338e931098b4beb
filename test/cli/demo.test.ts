import { describe, expect, it } from 'vitest';
import { mergeRecordings } from '../../src/cli/demo/recording.ts';
import { Timeline } from '../../src/cli/demo/timeline.ts';
import { erased, overlapNs, withdrawalKey } from '../../src/cli/demo/verdict.ts';
import { painter } from '../../src/cli/text/paint.ts';
import { wrap } from '../../src/cli/text/wrap.ts';
import type { TraceLine } from '../../src/ports/trace.ts';

const reign = (participant: string, beganNs: bigint, endedNs: bigint) => ({ participant, beganNs, endedNs });

describe('what the demo counts', () => {
  it('is the time in which two led at once', () => {
    expect(overlapNs([reign('a', 0n, 10n), reign('b', 10n, 20n), reign('a', 20n, 30n)])).toBe(0n);
    expect(overlapNs([reign('a', 0n, 10n), reign('b', 7n, 20n)])).toBe(3n);
    expect(overlapNs([reign('b', 7n, 8n), reign('a', 0n, 10n)])).toBe(1n);
    // Two components of one participant.
    expect(overlapNs([reign('a', 0n, 10n), reign('a', 0n, 10n)])).toBe(0n);
  });

  it('is every deletion that the own session of the entry did not ask for', () => {
    const entry = { sessionId: 's1', fencingToken: 1n, address: 'x', metadata: {} };
    const deletion = { component: 'rest', entry };
    expect(erased([deletion], new Set())).toEqual([deletion]);
    expect(erased([deletion], new Set([withdrawalKey('rest', 's2')]))).toEqual([deletion]);
    expect(erased([deletion], new Set([withdrawalKey('rest', 's1')]))).toEqual([]);
  });
});

describe('the merged recording', () => {
  const line = (seq: number, t: number, rest: Partial<TraceLine> = {}): TraceLine => ({
    v: 1,
    seq,
    t,
    at: 'then',
    from: 'a',
    to: 'b',
    kind: 'event',
    event: `e${seq}`,
    session: null,
    token: null,
    attempt: null,
    cause: null,
    delivery: 'delivered',
    detail: '',
    ...rest,
  });

  it('has one clock, one numbering and the causes that it had', () => {
    const merged = mergeRecordings(
      [
        { participant: 'alpha', originNs: 1_000_000n, line: line(1, 0, { kind: 'start' }) },
        { participant: 'alpha', originNs: 1_000_000n, line: line(2, 5) },
        { participant: 'alpha', originNs: 1_000_000n, line: line(3, 7, { cause: 2, world: { lease: { sentAt: 5 } } }) },
        { participant: 'beta', originNs: 3_000_000n, line: line(2, 4) },
        { participant: 'beta', originNs: 3_000_000n, line: line(3, 4, { cause: 99 }) },
      ],
      [{ ns: 7_500_000n, at: 'now', participant: 'alpha', event: 'kill -9' }],
      { ns: 1_000_000n, at: 'start' },
    );
    expect(merged.map(({ seq, t, participant, event, cause }) => [seq, t, participant, event, cause])).toEqual([
      [1, 0, undefined, 'start', null],
      [2, 5, 'alpha', 'e2', null],
      [3, 6, 'beta', 'e2', null],
      [4, 6, 'beta', 'e3', null],
      [5, 6.5, 'alpha', 'kill -9', null],
      [6, 7, 'alpha', 'e3', 2],
    ]);
    expect(merged[0]).toMatchObject({
      kind: 'start',
      world: { lease: {}, register: { version: '0', fence: null, entries: {} } },
    });
    expect(merged[5]?.world?.lease?.sentAt).toBe(5);
    expect(Object.keys(merged[1] ?? {}).slice(0, 4)).toEqual(['v', 'seq', 't', 'at']);
  });
});

describe('the timeline', () => {
  it('has a column per participant and keeps the last state of each', () => {
    const timeline = new Timeline(['alpha', 'beta'], painter(false), null);
    const rows = [
      { atMs: 0, participant: null, mark: 'standby' as const, word: '', what: 'two stand' },
      { atMs: 41, participant: 'alpha', mark: 'confirmed' as const, word: 'confirmed', what: 'followers see alpha' },
      { atMs: 2_000, participant: 'alpha', mark: 'lost' as const, word: 'kill -9', what: 'alpha is killed' },
      { atMs: 4_000, participant: 'beta', mark: 'pending' as const, word: 'confirm-pending', what: 'beta starts' },
    ];
    expect([timeline.head(), ...rows.flatMap((row) => timeline.row(row))]).toEqual([
      '  time      alpha              beta               what',
      '  0.000 s   ◌                  ◌                  two stand',
      '  0.041 s   ● confirmed        ◌                  followers see alpha',
      '  2.000 s   ✕ kill -9          ◌                  alpha is killed',
      '  4.000 s                      ◐ confirm-pending  beta starts',
    ]);
  });

  it('breaks long words of explanation under their column, units stay with their numbers', () => {
    expect(wrap('beta is granted, token 2 (43 ms after expiry)', 28)).toEqual([
      'beta is granted, token 2',
      '(43 ms after expiry)',
    ]);
    expect(wrap('a token 2 s b', 9)).toEqual(['a token', '2 s b']);
    const narrow = new Timeline(['alpha'], painter(false), 60);
    const lines = narrow.row({
      atMs: 1,
      participant: null,
      mark: 'standby',
      word: '',
      what: 'restserver started, publishing somewhere',
    });
    expect(lines).toEqual([
      '  0.001 s   ◌                  restserver started,',
      '                               publishing somewhere',
    ]);
  });
});
