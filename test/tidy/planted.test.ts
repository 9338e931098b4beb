import { describe, expect, it } from 'vitest';
import type { Planted } from './planted.ts';
import { codeCases } from './planted-code.ts';
import { documentCases } from './planted-documents.ts';
import { importCases } from './planted-imports.ts';
import { RULES } from './rules.ts';
import { plant } from './tree.ts';

const CASES: readonly Planted[] = [...importCases, ...codeCases, ...documentCases];

describe('each rule', () => {
  it.each(CASES.map((one) => [one.rule, one.what, one] as const))('%s: %s', (name, _, { files, caught }) => {
    const rule = RULES.find((one) => one.name === name);
    expect(rule, `no rule is called "${name}"`).toBeDefined();
    const offences = rule?.check(plant(files)) ?? [];
    expect(offences.map((one) => `${one.file}:${one.line}`)).toEqual(caught);
    for (const offence of offences) expect(offence.fix).toMatch(/\w{3}/);
  });

  it.each(RULES.map((rule) => rule.name))('%s: catches at least one planted offender', (name) => {
    expect(CASES.some((one) => one.rule === name && one.caught.length > 0)).toBe(true);
  });
});
