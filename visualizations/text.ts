/**
 * Text is measured without a browser, so that the layout is the same on every machine: advance widths of Helvetica in
 * thousandths of the size. Every text in a diagram carries its width as `textLength`, and a reader's own font is then
 * fitted into the place that was made for it.
 */
const WIDTHS: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries({
    222: 'ijl',
    278: " tfI.,:;/[]!|'",
    333: 'r-()`"',
    500: 'cksvxyzJ',
    556: 'abdeghnopqu0123456789L_?$#',
    584: '+<>=~',
    611: 'FTZ',
    667: 'ABEKPSVXY&',
    722: 'CDHNRUw',
    778: 'GOQ',
    833: 'mM',
    944: 'W',
  }).flatMap(([width, letters]) => [...letters].map((letter) => [letter, Number(width)])),
);

const UNKNOWN_WIDTH = 1000;
const BOLD = 1.06;

export function textWidth(text: string, size: number, bold = false): number {
  const thousandths = [...text].reduce((sum, letter) => sum + (WIDTHS[letter] ?? UNKNOWN_WIDTH), 0);
  return Math.ceil((thousandths * size * (bold ? BOLD : 1)) / 1000);
}

/** Cut in the middle; the end stays, because it tells names apart. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - tail)}…${text.slice(text.length - tail)}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
}
