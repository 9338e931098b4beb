import { describe, expect, it, vi } from 'vitest';
import { runWalk, WalkCoverage } from '../../src/simulation/index.ts';
import { leadershipWalks } from '../../src/simulation/test-writer/write-walks.ts';
import { good } from './contenders.ts';

const file = leadershipWalks();

describe('a contender that keeps the rules', () => {
  it.each(Object.entries(good))('is blamed for nothing on any walk: %s', async (_, contender) => {
    const coverage = new WalkCoverage(file);
    for (const walk of file.walks) coverage.add(walk, await runWalk(contender, walk, { timers: vi }));
    expect(coverage.taken.led).toBeGreaterThan(file.pairs.led / 3);
  });
});
