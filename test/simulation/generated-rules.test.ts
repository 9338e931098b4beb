import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import {
  CONTENDER_RULES,
  type ContenderRule,
  ContenderRulesBroken,
  contenderWorld,
  runWalk,
  type TestedContender,
} from '../../src/simulation/index.ts';
import { leadershipWalks } from '../../src/simulation/test-writer/write-walks.ts';
import { bad } from './contenders.ts';

const { walks } = leadershipWalks();

/** Rules broken on the walks, up to the first walk on which `wanted` is. */
async function brokenBy(make: () => TestedContender, wanted: ContenderRule): Promise<ReadonlySet<ContenderRule>> {
  const broken = new Set<ContenderRule>();
  for (const walk of walks) {
    try {
      await runWalk(make(), walk, { timers: vi });
    } catch (error) {
      if (!(error instanceof ContenderRulesBroken)) throw error;
      for (const { rule } of error.broken) broken.add(rule);
    }
    if (broken.has(wanted)) break;
  }
  return broken;
}

describe('the rules', () => {
  it('stand in the documentation, word by word', () => {
    const text = readFileSync(new URL('../../src/simulation/README.md', import.meta.url), 'utf8');
    const listed = [...text.matchAll(/^\| `([a-z-]+)` \| (.*) \|$/gm)].map(([, rule, says]) => [rule, says]);
    expect(listed).toEqual(Object.entries(CONTENDER_RULES));
  });
});

describe('a contender that breaks a rule', () => {
  it('there is one for each rule', () => {
    expect(Object.keys(bad).sort()).toEqual(Object.keys(CONTENDER_RULES).sort());
  });

  it.each(Object.keys(bad) as ContenderRule[])('is caught by the walks, by name: %s', async (rule) => {
    expect([...(await brokenBy(bad[rule] ?? (() => () => {}), rule))]).toContain(rule);
  });

  it.each(Object.keys(bad) as ContenderRule[])('may be allowed to: %s', async (rule) => {
    const world = await contenderWorld(bad[rule]?.() ?? (() => {}), {
      timers: vi,
      allow: Object.keys(CONTENDER_RULES) as ContenderRule[],
    });
    await world.grant();
    await world.finish();
    expect(world.broken).toEqual([]);
  });

  it('is told what was seen, what the rule is, and what had happened', async () => {
    const world = await contenderWorld(bad['stops-when-revoked']?.() ?? (() => {}), { timers: vi });
    await world.grant();
    await world.revoke();
    const error = await world.finish().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ContenderRulesBroken);
    expect(String((error as Error).message).split('\n')).toEqual([
      'Your contender breaks a rule:',
      '  stops-when-revoked: told to stop 10.000 s ago (revoked: lost), it has not settled (at 10.000 s)',
      '    A contender settles within the stop bound after its signal has aborted.',
      'What happened:',
      '     0.000 s  granted s1',
      '     0.000 s  contender confirms http://127.0.0.1:8080 (s1)',
      '     0.000 s  store: publish committed (s1)',
      '     0.000 s  revoked s1: lost',
      '     0.000 s  leadership tells the contender to stop: lost (s1)',
      '     0.000 s  close',
      '    10.000 s  ! stops-when-revoked: told to stop 10.000 s ago (revoked: lost), it has not settled',
    ]);
  });
});
