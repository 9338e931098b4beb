import stringWidth from 'string-width';
import { shorten } from './shorten.ts';

/** Not between a number and its unit. */
const BREAK = / (?!(?:ms|s|min|h|d|%)(?![\w]))/;

/** Breaks between words so that no line is wider than `width`; a longer word is cut in its middle. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(BREAK).map((part) => shorten(part, width))) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
