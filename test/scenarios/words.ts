import type { World } from './world.ts';

export interface Words {
  /** The words without `=`, in order. */
  readonly plain: readonly string[];
  readonly named: Readonly<Record<string, string>>;
}

export interface Command {
  readonly usage: string;
  readonly says: string;
  readonly run: (world: World, words: Words) => void | Promise<void>;
}

export function durationOf(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text);
  if (match === null) throw new Error(`not a duration: ${text}`);
  return Number(match[1]) * (match[2] === 's' ? 1_000 : 1);
}
