import { cycleRules } from './cycles.ts';
import { documentRules } from './documents.ts';
import { facadeRules } from './facade.ts';
import { layerRules } from './layers.ts';
import { leftoverRules } from './leftovers.ts';
import { lengthRules } from './lengths.ts';
import { placeRules } from './places.ts';
import { purityRules } from './purity.ts';
import type { Rule } from './rule.ts';
import { timeAndChanceRules } from './time-and-chance.ts';

export const RULES: readonly Rule[] = [
  ...layerRules,
  ...cycleRules,
  ...purityRules,
  ...timeAndChanceRules,
  ...lengthRules,
  ...leftoverRules,
  ...placeRules,
  ...documentRules,
  ...facadeRules,
];
