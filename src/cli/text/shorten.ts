import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The end distinguishes names (`…-prod-7`), so it gets the larger half, up to this many columns. */
const LONGEST_TAIL = 20;

/** Cuts in the middle to at most `width` columns: `billing-eu-…-prod-7`. Never splits a visible character. */
export function shorten(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  if (width <= 1) return width === 1 ? '…' : '';
  const tailWidth = Math.min(LONGEST_TAIL, Math.ceil((width - 1) / 2));
  const parts = [...graphemes.segment(text)].map((part) => part.segment);
  const tail = take(parts.toReversed(), tailWidth).toReversed().join('');
  const head = take(parts, width - 1 - stringWidth(tail)).join('');
  return `${head}…${tail}`;
}

function take(parts: readonly string[], width: number): string[] {
  const taken: string[] = [];
  let left = width;
  for (const part of parts) {
    left -= stringWidth(part);
    if (left < 0) break;
    taken.push(part);
  }
  return taken;
}
