import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../../src/errors.ts';
import type { TenureOptions } from '../../src/runtime/api.ts';
import { DEFAULT_TIMING, durationText, marginIsEnough, renewalFits, resolveTiming } from '../../src/runtime/timing.ts';
import {
  assertComponentName,
  componentRule,
  electionRule,
  optionViolations,
  participantRule,
  validateOptions,
} from '../../src/runtime/validate-options.ts';

const GOOD: TenureOptions = { election: 'billing', backend: 'memory' };

function fieldsOf(options: unknown): string[] {
  return optionViolations(options).map((violation) => violation.field);
}

describe('names', () => {
  it.each(['a', '0', 'billing', 'a.b-c', 'x'.repeat(200)])('%j names an election', (name) => {
    expect(electionRule(name)).toBeNull();
  });

  it.each(['', 'A', '-a', '.a', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(201), 7, undefined])('%j names none', (name) => {
    expect(electionRule(name)).toContain('1 to 200');
  });

  it.each(['main', 'Dispatcher', 'job 42', '名前', 'a.b', '💡', '💡'.repeat(200)])('%j names a component', (name) => {
    expect(componentRule(name)).toBeNull();
  });

  // `*` addresses every component of an election.
  it.each(['', '*', '.', '..', 'a/b', ' a', 'a ', 'a\u0000', 'a\u202e', 'a\u200b', '\ud800', '💡'.repeat(201), null])(
    '%j names no component',
    (name) => {
      expect(componentRule(name)).toContain('1 to 200');
      expect(() => assertComponentName(name)).toThrow(InvalidOptionsError);
    },
  );

  it('lets a participant have a slash', () => {
    expect(participantRule('pod/7')).toBeNull();
    expect(participantRule('pod\t7')).not.toBeNull();
  });
});

describe('options', () => {
  it('answers the defaults', () => {
    expect(validateOptions(GOOD)).toEqual(DEFAULT_TIMING);
    expect(validateOptions({ ...GOOD, timing: { renewMs: 4_000 } })).toEqual({ ...DEFAULT_TIMING, renewMs: 4_000 });
  });

  it('tells every violation at once, each with the value and the rule', () => {
    const options = {
      election: '',
      backend: 'zoo',
      name: ' ',
      timing: { renewMs: -1, marginMs: 1.5, beat: 3 },
      colour: 1,
    };
    const error = (() => {
      try {
        validateOptions(options as unknown as TenureOptions);
      } catch (thrown) {
        return thrown;
      }
      return null;
    })();
    expect(error).toBeInstanceOf(InvalidOptionsError);
    const { violations } = error as InvalidOptionsError;
    expect(violations.map(({ field, received }) => [field, received])).toEqual([
      ['election', ''],
      ['backend', 'zoo'],
      ['name', ' '],
      ['colour', 1],
      ['timing.renewMs', -1],
      ['timing.marginMs', 1.5],
      ['timing.beat', 3],
    ]);
    expect(violations.every(({ rule }) => rule.length > 10)).toBe(true);
  });

  it('takes what only looks like options apart', () => {
    for (const options of [null, undefined, 7, [], 'x']) expect(fieldsOf(options)).toEqual(['options']);
    expect(fieldsOf({ ...GOOD, timing: [] })).toEqual(['timing']);
    expect(fieldsOf({ ...GOOD, trace: {}, clock: { nowMs: 1 }, random: null, signal: {}, onFinding: 1 })).toEqual([
      'trace',
      'onFinding',
      'signal',
      'clock',
      'random',
    ]);
    expect(fieldsOf({ ...GOOD, toString: 1 })).toEqual(['toString']);
  });

  it('takes undefined for not given', () => {
    const nothing = { name: undefined, timing: { renewMs: undefined }, trace: undefined } as unknown as TenureOptions;
    expect(fieldsOf({ ...GOOD, ...nothing, ...GOOD })).toEqual([]);
    expect(resolveTiming({ renewMs: undefined } as never)).toEqual(DEFAULT_TIMING);
  });
});

describe('relations of durations', () => {
  const ruleOf = (timing: TenureOptions['timing']) =>
    optionViolations({ ...GOOD, timing }).map(({ field, received, rule }) => `${field} ${received}: ${rule}`);

  it('blames what was set and says how far it may go', () => {
    expect(ruleOf({ renewMs: 8_000 })).toEqual([
      'timing.renewMs 8000: renew + 3 × call timeout (2s) must be ≤ lease duration (15s) − margin (2s); the largest is 7s',
    ]);
    expect(ruleOf({ leaseDurationMs: 6_000 })).toEqual([
      'timing.leaseDurationMs 6000: renew (5s) + 3 × call timeout (2s) must be ≤ lease duration − margin (2s); the smallest is 13s',
    ]);
    expect(ruleOf({ callTimeoutMs: 3_000 })).toEqual([
      'timing.callTimeoutMs 3000: renew (5s) + 3 × call timeout must be ≤ lease duration (15s) − margin (2s); the largest is 2666ms',
    ]);
    expect(ruleOf({ marginMs: 500 })).toEqual([
      'timing.marginMs 500: margin must be ≥ 1s and ≥ 5 % of the lease duration (15s); the smallest is 1s',
    ]);
    expect(ruleOf({ leaseDurationMs: 60_000 })).toEqual([
      'timing.leaseDurationMs 60000: 5 % of the lease duration must be ≤ margin (2s); the largest is 40s',
    ]);
  });

  it('hints at something that exists', () => {
    // No renewal is short enough for this lease, so the hint is about the lease.
    expect(ruleOf({ renewMs: 100, leaseDurationMs: 5_000 })).toEqual([
      expect.stringContaining('timing.leaseDurationMs 5000: renew (100ms)'),
    ]);
    expect(ruleOf({ renewMs: 100, leaseDurationMs: 5_000 })[0]).toContain('the smallest is 8100ms');
  });

  it('is silent while an operand is itself not valid', () => {
    expect(fieldsOf({ ...GOOD, timing: { renewMs: 0, leaseDurationMs: 3_000 } })).toEqual(['timing.renewMs']);
  });

  it('follows every hint to a set that is valid', () => {
    const duration = fc.integer({ min: 1, max: 200_000 });
    const timings = fc.record({
      leaseDurationMs: duration,
      renewMs: duration,
      callTimeoutMs: duration,
      marginMs: duration,
    });
    fc.assert(
      fc.property(timings, (timing) => {
        const violations = optionViolations({ ...GOOD, timing });
        expect(violations.length === 0).toBe(
          renewalFits(resolveTiming(timing)) && marginIsEnough(resolveTiming(timing)),
        );
        const [first] = violations;
        if (first === undefined || !first.rule.includes('3 ×')) return;
        const field = first.field.replace('timing.', '');
        const limit = / is (\d+)(ms|s|m)$/.exec(first.rule);
        const ms = Number(limit?.[1]) * ({ ms: 1, s: 1_000, m: 60_000 }[limit?.[2] ?? ''] ?? Number.NaN);
        expect(renewalFits(resolveTiming({ ...timing, [field]: ms }))).toBe(true);
        const beyond = ms + (field === 'leaseDurationMs' ? -1 : 1);
        expect(renewalFits(resolveTiming({ ...timing, [field]: beyond }))).toBe(false);
      }),
    );
  });

  it('writes durations as people do', () => {
    expect([1, 999, 1_000, 1_500, 60_000, 90_000, 120_000].map(durationText)).toEqual([
      '1ms',
      '999ms',
      '1s',
      '1500ms',
      '1m',
      '90s',
      '2m',
    ]);
  });
});
