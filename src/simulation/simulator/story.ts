import { TraceText } from '../../runtime/trace-text.ts';
import type { Entry } from './book.ts';

/** Lines of a story: what led to a violation, without what a reader can do without. */
const LONGEST = 60;

/** The whole trace, in the one shape that all traces of Tenure have. */
export function traceText(entries: readonly Entry[]): string[] {
  const text = new TraceText();
  return entries.map((entry) => lineOf(text, entry));
}

/** The last of what matters up to the first violation. */
export function storyText(entries: readonly Entry[]): string[] {
  const end = entries.findIndex((entry) => 'note' in entry && entry.note.startsWith('VIOLATED'));
  const before = end < 0 ? entries : entries.slice(0, end + 1);
  const text = new TraceText();
  // All lines are rendered, so that a session has the same short name here as in the whole trace.
  const lines = before.map((entry) => ({ entry, line: lineOf(text, entry) }));
  const told = lines.filter(({ entry }) => matters(entry)).map(({ line }) => line);
  return told.length > LONGEST ? [`  (${told.length - LONGEST} lines before)`, ...told.slice(-LONGEST)] : told;
}

function matters(entry: Entry): boolean {
  if ('note' in entry) return true;
  const { line } = entry;
  if (line.to.startsWith('contender:')) return true;
  return line.step?.verdict === 'moved' && /^(?:election|leadership|driver|validity)/.test(line.to);
}

function lineOf(text: TraceText, entry: Entry): string {
  const { atMs, who } = entry;
  return 'note' in entry ? text.note(atMs, who, entry.note) : text.line({ ...entry.line, t: atMs, participant: who });
}
