import type { Tree } from './tree.ts';

/** One place that breaks a rule, and what to do about it. */
export interface Offence {
  readonly file: string;
  /** From 1; 0 when the file as a whole offends. */
  readonly line: number;
  readonly fix: string;
}

/** A rule is a pure function over the files, so that a planted offender can show that it catches something. */
export interface Rule {
  readonly name: string;
  readonly check: (tree: Tree) => readonly Offence[];
}

/** What a failing test prints: file and line first, so that editors make it a link. */
export function describeOffence(rule: Rule, offence: Offence): string {
  const place = offence.line === 0 ? offence.file : `${offence.file}:${offence.line}`;
  return `${place}: ${rule.name}. Fix: ${offence.fix}`;
}
