/** Control, format (zero width, bidi) and surrogate characters, and separators that break or reorder a line. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Text of foreign origin (names, addresses, details of errors) as it may reach a terminal: nothing in it can move the
 * cursor, colour the screen or reorder its neighbours. `U+202E` prints as `⟨U+202E⟩`.
 */
export function visible(text: string): string {
  return text.replace(INVISIBLE, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${code}⟩`;
  });
}
