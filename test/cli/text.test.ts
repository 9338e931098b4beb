import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { columns } from '../../src/cli/text/columns.ts';
import { parseDuration, span } from '../../src/cli/text/durations.ts';
import { isoToMs, msToIso } from '../../src/cli/text/iso-time.ts';
import { distance, nearest } from '../../src/cli/text/near-miss.ts';
import { colourWanted, painter } from '../../src/cli/text/paint.ts';
import { participantName } from '../../src/cli/text/participant.ts';
import { shorten } from '../../src/cli/text/shorten.ts';
import { visible } from '../../src/cli/text/visible.ts';

describe('shorten', () => {
  it('cuts in the middle and keeps the end', () => {
    expect(shorten('billing-eu-central-1-prod-7', 19)).toBe('billing-e…-1-prod-7');
    expect(shorten('short', 19)).toBe('short');
    expect(shorten('abcdef', 1)).toBe('…');
    expect(shorten('abcdef', 0)).toBe('');
  });

  it('never gets wider than asked, whatever the characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 40 }), (text, width) => {
        expect(stringWidth(shorten(text, width))).toBeLessThanOrEqual(Math.max(width, 0));
      }),
    );
  });

  it('does not split a visible character', () => {
    expect(shorten('👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 5)).toBe('👨‍👩‍👧‍👦…👨‍👩‍👧‍👦');
  });
});

describe('columns', () => {
  const rows = [
    [{ text: 'name' }, { text: '' }, { text: 'x' }],
    [{ text: '名前' }, { text: '' }, { text: 'y' }],
  ];

  it('aligns wide characters and drops empty columns', () => {
    expect(columns(rows, { screen: null, indent: 2 })).toEqual(['  name  x', '  名前  y']);
  });

  it('leaves nothing behind the last cell of a row', () => {
    expect(
      columns(
        [
          [{ text: 'a' }, { text: '' }],
          [{ text: 'b' }, { text: 'c' }],
        ],
        { screen: null },
      ),
    ).toEqual(['a', 'b  c']);
  });

  it('measures before it paints', () => {
    const red = painter(true);
    const cell = { text: 'a', paint: (text: string) => red('bad', text) };
    expect(
      columns(
        [
          [cell, { text: 'x' }],
          [{ text: 'long' }, { text: 'y' }],
        ],
        { screen: null },
      ),
    ).toEqual(['\u001b[31ma\u001b[39m     x', 'long  y']);
  });

  it('fits a narrow screen by cutting the widest flexible column first', () => {
    const wide = [[{ text: 'component-with-a-long-name-1' }, { text: 'short' }, { text: 'stays as it is' }]];
    expect(columns(wide, { screen: 40, flexible: [0, 1] })).toEqual(['componen…g-name-1  short  stays as it is']);
    // Below that nothing could be told apart: the line grows wider than the screen.
    expect(columns(wide, { screen: 10, flexible: [0, 1] })).toEqual(['compo…name-1  short  stays as it is']);
  });
});

describe('visible', () => {
  it('names what could move, colour or reorder a line', () => {
    expect(visible('a\u202eb\u200b\u001b[31m\n\u0007')).toBe('a⟨U+202E⟩b⟨U+200B⟩⟨U+001B⟩[31m⟨U+000A⟩⟨U+0007⟩');
    expect(visible('\ud800\u2028')).toBe('⟨U+D800⟩⟨U+2028⟩');
    expect(visible('plain ü 名')).toBe('plain ü 名');
  });
});

describe('durations', () => {
  it.each([
    ['15s', 15_000],
    ['1500ms', 1_500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['1.5s', 1_500],
    [' 3 s ', 3_000],
  ])('%j is %d ms', (text, ms) => {
    expect(parseDuration(text)).toEqual({ ms });
  });

  it.each([
    ['5', 'needs a unit: 5s or 5ms'],
    ['1.5', 'needs a unit: 1.5s or 1.5ms'],
    ['5x', "unknown unit 'x'"],
    ['', 'such as 15s'],
    ['-5s', 'such as 15s'],
    ['5S', "unknown unit 'S'"],
    ['0s', 'longer than 0'],
    ['30d', "unknown unit 'd'"],
    ['1000h', 'at most'],
    ['1e3s', 'such as'],
  ])('%j is refused and says why', (text, words) => {
    expect(parseDuration(text)).toEqual({ rule: expect.stringContaining(words) });
  });

  it('tells a span in words', () => {
    const told = [0, 22, 999, 1_000, 2_140, 9_949, 9_950, 41_000, 59_900, 725_000, 11_520_000, 90_000_000].map(span);
    expect(told).toEqual([
      '0 ms',
      '22 ms',
      '999 ms',
      '1.0 s',
      '2.1 s',
      '9.9 s',
      '10 s',
      '41 s',
      '1 min',
      '12 min 5 s',
      '3 h 12 min',
      '1 d 1 h',
    ]);
  });
});

describe('ISO times', () => {
  it('knows zones, and says null for what is none', () => {
    expect(isoToMs('2026-11-29T03:12:18.222+02:00')).toBe(Date.UTC(2026, 10, 29, 1, 12, 18, 222));
    for (const text of ['', 'now', '–']) expect(isoToMs(text)).toBeNull();
    expect(msToIso(0)).toBe('1970-01-01T00:00:00.000Z');
  });
});

describe('near misses', () => {
  it('counts edits, and a swap as one', () => {
    expect(distance('kitten', 'sitting')).toBe(3);
    expect(distance('stauts', 'status')).toBe(1);
    expect(distance('', 'abc')).toBe(3);
  });

  it('suggests what is near and nothing else', () => {
    expect(nearest('elction', ['election', 'component'])).toBe('election');
    expect(nearest('leaseduration', ['leaseDuration', 'renew'])).toBe('leaseDuration');
    expect(nearest('colour', ['election', 'component'])).toBeNull();
  });
});

describe('colour', () => {
  it('needs a terminal and nobody who forbids it', () => {
    expect(colourWanted(true, {}, false)).toBe(true);
    expect(colourWanted(false, {}, false)).toBe(false);
    expect(colourWanted(true, { NO_COLOR: '1' }, false)).toBe(false);
    expect(colourWanted(true, { NO_COLOR: '' }, false)).toBe(true);
    expect(colourWanted(true, { TERM: 'dumb' }, false)).toBe(false);
    expect(colourWanted(true, {}, true)).toBe(false);
  });
});

describe('participantName', () => {
  it('keeps the name and enough of the UUID', () => {
    expect(participantName('host-4c1f0d9a-1111-4222-8333-123456789abc')).toBe('host-4c1f');
    expect(participantName('api/7f9c_4c1f0d9a-1111-4222-8333-123456789abc')).toBe('api/7f9c-4c1f');
    expect(participantName('someone else\u202e')).toBe('someone else⟨U+202E⟩');
  });
});
