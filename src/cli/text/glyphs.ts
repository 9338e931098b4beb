import type { Style } from './paint.ts';

export type Mark = 'confirmed' | 'pending' | 'standby' | 'suspended' | 'lost' | 'finding' | 'passed';

export const GLYPHS: Readonly<Record<Mark, string>> = {
  confirmed: '●',
  pending: '◐',
  standby: '◌',
  suspended: '▲',
  lost: '✕',
  finding: '!',
  passed: '✓',
};

export const MARK_STYLES: Readonly<Record<Mark, Style>> = {
  confirmed: 'good',
  pending: 'pending',
  standby: 'dim',
  suspended: 'pending',
  lost: 'bad',
  finding: 'pending',
  passed: 'good',
};
