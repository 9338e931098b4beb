import { describe, expect, it } from 'vitest';
import { statusLines } from '../../src/cli/status/lines.ts';
import { type StatusInput, statusReport } from '../../src/cli/status/report.ts';
import { painter } from '../../src/cli/text/paint.ts';
import type { LeaseRecord } from '../../src/ports/lease-store.ts';

const UUID = '4c1f0d9a-1111-4222-8333-123456789abc';
const NOW = '2026-11-29T06:24:00.000Z';

const LEASE: LeaseRecord = {
  version: 9n,
  holder: `api-7f9c-x2kqp-${UUID}`,
  sessionId: 's2',
  fencingToken: 4711n,
  durationMs: 15_000,
  stepDownFor: '',
  acquiredAt: '2026-11-29T03:12:00.000Z',
  renewedAt: '2026-11-29T06:23:57.900Z',
};

function entry(sessionId: string, fencingToken: bigint, address: string) {
  return { sessionId, fencingToken, address, metadata: {} };
}

function input(lease: LeaseRecord | null, entries: Record<string, ReturnType<typeof entry>> = {}): StatusInput {
  const fence = lease === null ? null : { fencingToken: lease.fencingToken, sessionId: 's2' };
  const register = { version: 3n, fence, full: true, changed: new Map(Object.entries(entries)) };
  const place = 'sqlite (.tenure/tenure.db)';
  return { election: 'billing', backend: 'sqlite', place, protection: 'lease', lease, register, nowIso: NOW };
}

const show = (from: StatusInput, screen: number | null = null) =>
  statusLines(statusReport(from), painter(false), screen).join('\n');

describe('tenure status', () => {
  it('shows who leads, where, and what is wrong', () => {
    const text = show(
      input(LEASE, {
        restserver: entry('s2', 4711n, 'http://10.4.1.17:8081'),
        'job-42': entry('s1', 4690n, 'tcp://10.4.1.9:1'),
      }),
    );
    expect(`\n${text}\n`).toBe(`
billing  on sqlite (.tenure/tenure.db), held 3 h 12 min by api-7f9c-x2kqp-4c1f, token 4711

  component   leader               token  address                state
  job-42      –                    4690   tcp://10.4.1.9:1       ◐ superseded by token 4711, not confirmed yet
  restserver  api-7f9c-x2kqp-4c1f  4711   http://10.4.1.17:8081  ● confirmed

  lease renewed 2.1 s ago, runs out in 13 s
! job-42: granted 3 h 12 min ago and not confirmed. Look at api-7f9c-x2kqp-4c1f: its contender has not called confirm().  [not-confirmed]
`);
  });

  it('says so when nobody ever led, when nobody leads, when the leader is gone', () => {
    expect(show(input(null))).toContain('nobody leads; it was never held\n\n  no component is confirmed');
    const released = { ...LEASE, holder: '', sessionId: '' };
    expect(show(input(released))).toContain('nobody leads; the last token was 4711');
    const lost = input({ ...LEASE, renewedAt: '2026-11-29T06:23:40.000Z' }, { main: entry('s2', 4711n, 'x') });
    expect(statusReport(lost)).toMatchObject({ standing: 'ran-out', components: [{ state: 'left-behind' }] });
    expect(show(lost)).toContain('✕ lost by api-7f9c-x2kqp-4c1f');
    expect(show(lost)).toContain('has not renewed for 20 s');
  });

  it('finds what an operator must know', () => {
    const codes = (from: StatusInput) => statusReport(from).findings.map(({ code }) => code);
    const fresh = { ...LEASE, acquiredAt: '2026-11-29T06:23:58.000Z' };
    expect(codes(input(fresh))).toEqual([]);
    expect(codes(input(LEASE))).toEqual(['not-confirmed']);
    expect(codes(input({ ...fresh, stepDownFor: 's2' }))).toEqual(['step-down-pending']);
    expect(codes({ ...input(fresh), protection: 'none' })).toEqual(['unprotected']);
    const back = input(fresh);
    const fence = { fencingToken: 9_999n, sessionId: 'future' };
    expect(codes({ ...back, register: { ...back.register, fence } })).toEqual(['token-not-above-fence']);
  });

  it('does not count down where nobody waits for the lease', () => {
    const alone: StatusInput = { ...input({ ...LEASE, renewedAt: LEASE.acquiredAt }), protection: 'none' };
    expect(statusReport(alone).standing).toBe('held');
    expect(show(alone)).not.toContain('runs out');
  });

  it('cannot be rewritten by names and addresses', () => {
    const text = show(input(LEASE, { 'a\u202eb': entry('s2', 4711n, 'http://x\u001b[2K\nforged') }));
    expect(text).toContain('a⟨U+202E⟩b');
    expect(text).toContain('http://x⟨U+001B⟩[2K⟨U+000A⟩forged');
  });

  it('keeps the ends of long names on a narrow screen', () => {
    const names = ['component-of-the-billing-service-eu-1', 'component-of-the-billing-service-eu-2'];
    const entries = Object.fromEntries(
      names.map((name) => [name, entry('s2', 4711n, `http://${name}.example.org:8081`)]),
    );
    const rows = show(input(LEASE, entries), 90).split('\n').slice(2, 5);
    expect(rows[1]).toMatch(/^ {2}compo.*…\S*eu-1 /);
    expect(rows[2]).toMatch(/^ {2}compo.*…\S*eu-2 /);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(90);
  });
});
