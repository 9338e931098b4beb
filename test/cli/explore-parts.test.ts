import { describe, expect, it } from 'vitest';
import { counterexampleLines } from '../../src/cli/explore/counterexample.ts';
import { incompleteLines } from '../../src/cli/explore/lines.ts';
import { messageText, storeText } from '../../src/cli/explore/messages.ts';
import { searchInTurns } from '../../src/cli/explore/searching.ts';
import { bar } from '../../src/cli/text/bar.ts';
import { bytesText, grouped, percent } from '../../src/cli/text/numbers.ts';
import { painter } from '../../src/cli/text/paint.ts';
import type { Told, ToldDelivery } from '../../src/simulation/explorer/index.ts';

const plain = painter(false);

describe('numbers', () => {
  it('are full only when all is done', () => {
    expect([0, 0.004, 0.5, 0.999, 1, 2, -1].map(percent)).toEqual([
      '0 %',
      '0 %',
      '50 %',
      '99 %',
      '100 %',
      '100 %',
      '0 %',
    ]);
    expect([0, 0.5, 0.999, 1].map((share) => bar(share, 4))).toEqual(['░░░░', '██░░', '███░', '████']);
  });

  it('carry their units', () => {
    expect([1_234_567.4, 0].map(grouped)).toEqual(['1,234,567', '0']);
    expect([999, 999_499, 999_500, 64_400_000, 999_499_999, 1_600_000_000].map(bytesText)).toEqual([
      '1 kB',
      '999 kB',
      '1 MB',
      '64 MB',
      '999 MB',
      '1.6 GB',
    ]);
  });
});

describe('a search in turns', () => {
  /** A search in which one world takes so long. */
  function worldsOf(msPerWorld: number, total: number) {
    const asked: number[] = [];
    let nowMs = 0;
    let left = total;
    return {
      asked,
      search: {
        advance: (worlds: number) => {
          asked.push(worlds);
          nowMs += Math.min(worlds, left) * msPerWorld;
          left -= worlds;
          return left <= 0;
        },
      },
      clock: {
        nowMs: () => nowMs,
        deadlineNowMs: () => nowMs,
        isoNow: () => '',
        setTimer: (_: number, fire: () => void) => {
          setImmediate(fire);
          return () => {};
        },
      },
    };
  }

  it('grows its turns while they are short, and shrinks them at once when one was long', async () => {
    const { asked, search, clock } = worldsOf(0.01, 20_000);
    let turns = 0;
    expect(
      await searchInTurns(
        search,
        clock,
        () => false,
        () => {
          turns += 1;
        },
      ),
    ).toBe(true);
    expect(asked.slice(0, 6)).toEqual([256, 512, 1_024, 2_048, 4_096, 4_096]);
    expect(turns).toBe(asked.length - 1);
    const slow = worldsOf(1, 2_000);
    await searchInTurns(
      slow.search,
      slow.clock,
      () => false,
      () => {},
    );
    expect(new Set(slow.asked)).toEqual(new Set([256]));
  });

  it('ends when it is told to, after the turn that it is in', async () => {
    const { asked, search, clock } = worldsOf(1, 1_000_000);
    let isStopped = false;
    const stop = () => {
      isStopped = asked.length === 2;
    };
    expect(await searchInTurns(search, clock, () => isStopped, stop)).toBe(false);
    expect(asked).toHaveLength(2);
  });
});

const delivery = (message: object, rest: Partial<ToldDelivery> = {}): ToldDelivery => ({
  participant: 0,
  from: 'election',
  to: 'leadership:c0',
  message: message as ToldDelivery['message'],
  before: 'standby',
  after: 'standby',
  commands: [],
  verdict: 'ignored',
  ...rest,
});

const entry = (sessionId: string, address = 'a') => ({ sessionId, fencingToken: 1n, address, metadata: {} });

describe('a message in a few words', () => {
  it.each([
    [{ type: 'granted', session: { id: 's1', fencingToken: 1n } }, 'granted s1'],
    [{ type: 'register.changed', entry: entry('s0') }, 'register.changed (entry: s0)'],
    [{ type: 'register.changed', entry: null }, 'register.changed (entry: none)'],
    [{ type: 'register.publish', entry: entry('s1', '') }, 'register.publish (entry: empty)'],
    [{ type: 'record.seen', record: null }, 'record.seen (none)'],
    [{ type: 'record.seen', record: { holder: '', sessionId: '' } }, 'record.seen (free)'],
    [{ type: 'record.seen', record: { holder: 'other', sessionId: 's2' } }, 'record.seen (held, s2)'],
    [{ type: 'timer.elapsed', id: 'retry:3' }, 'timer retry'],
    [{ type: 'register.observed', changed: new Map() }, 'register.observed'],
    [{ type: 'register.observed', changed: new Map([['c0', null]]) }, 'register.observed (c0 = none)'],
    [
      { type: 'container.write', puts: new Map([['c0', entry('s1')]]), withdrawals: new Map([['c1', 's1']]) },
      'container.write (c0 = s1, s1 withdraws c1)',
    ],
    [{ type: 'contend' }, 'contend'],
  ])('%o', (message, text) => {
    expect(messageText(delivery(message))).toBe(text);
  });

  it('says what a step changed in the store', () => {
    const before: Told['store'] = { lease: null, fence: 0, entries: [-1, 2], read: 0 };
    const lease = { token: 1, held: true, isAskedFor: false };
    expect(storeText(before, { ...before, lease })).toBe('lease: token 1');
    expect(storeText({ ...before, lease }, { ...before, lease: { ...lease, held: false } })).toBe('lease: free');
    expect(storeText(before, { ...before, fence: 3, entries: [3, 0] })).toBe(
      'fence: token 3, entry of c0: s3, entry of c1: gone',
    );
    expect(storeText(before, { ...before, entries: [-1, -1] })).toBe('entry of c1: an old one');
    expect(storeText(before, before)).toBe('');
  });
});

describe('the way to a violation', () => {
  const store: Told['store'] = { lease: null, fence: 0, entries: [0], read: 0 };

  it('leaves out what had no effect, and marks the last step even where nothing was delivered', () => {
    const deliveries = [
      delivery({ type: 'suspended', sessionId: 's1' }),
      delivery({ type: 'timer.elapsed', id: 'calm:1' }, { from: 'clock', commands: ['timer.set'] }),
      delivery({ type: 'granted', session: { id: 's1' } }, { after: 'grant-pending' }),
      delivery({ type: 'lease.read' }, { from: 'driver', to: 'store', before: '', after: '' }),
    ];
    const told: Told[] = [
      { label: 'something is done', who: 1, deliveries: deliveries.map((one) => ({ ...one, participant: 1 })), store },
      { label: 'time passes', who: -1, deliveries: [], store },
    ];
    expect(counterexampleLines(told, plain, null)).toEqual([
      '     1  B  something is done',
      '          B.election  →  B.leadership:c0  granted s1  standby → grant-pending',
      '     2  time passes   ← here',
    ]);
  });

  it('is not known where something was left out', () => {
    const counts = { states: 2_000, frontier: 100, depth: 3, elapsedMs: 1, memoryBytes: 1 };
    expect(incompleteLines(counts, false, plain, null).join('\n')).toBe(
      '  ! not known: 100 of 2,000 known states not looked at; a larger --max-states goes on  [max-states]',
    );
  });
});
