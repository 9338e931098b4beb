import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { describeOffence } from './rule.ts';
import { RULES } from './rules.ts';
import { readTree } from './tree.ts';

const tree = readTree(fileURLToPath(new URL('../..', import.meta.url)));

describe('the repository', () => {
  it.each(RULES.map((rule) => [rule.name, rule] as const))('%s', (_, rule) => {
    const offences = rule.check(tree).map((offence) => describeOffence(rule, offence));
    if (offences.length > 0) expect.fail(`${offences.length} found\n${offences.join('\n')}`);
  });
});
