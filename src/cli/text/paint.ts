/** Colour carries meaning and never alone: each style goes with a glyph and a word. */
export type Style = 'good' | 'pending' | 'bad' | 'dim' | 'strong';

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  good: [32, 39],
  pending: [33, 39],
  bad: [31, 39],
  dim: [2, 22],
  strong: [1, 22],
};

export type Paint = (style: Style, text: string) => string;

export function painter(enabled: boolean): Paint {
  if (!enabled) return (_, text) => text;
  return (style, text) => `\u001b[${CODES[style][0]}m${text}\u001b[${CODES[style][1]}m`;
}

/** https://no-color.org: any non-empty value switches colour off. A pipe and a dumb terminal have none. */
export function colourWanted(
  isTerminal: boolean,
  env: Readonly<Record<string, string | undefined>>,
  noColour: boolean,
): boolean {
  if (noColour || (env.NO_COLOR ?? '') !== '' || env.TERM === 'dumb') return false;
  return isTerminal;
}
