import stringWidth from 'string-width';
import { TenureError } from '../errors.ts';
import { problemLines, SettingsError } from './settings/problems.ts';
import { colourWanted, type Paint, painter } from './text/paint.ts';
import { shorten } from './text/shorten.ts';
import { visible } from './text/visible.ts';

/** What of a stream the command line uses; `process.stdout` and `process.stderr` have it. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface OutputOptions {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly noColour: boolean;
  readonly debug: boolean;
  /** stdout belongs to the command that is run; failures as JSON go to stderr then. */
  readonly foreignStdout: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** For a terminal that does not say how wide it is. */
const DEFAULT_COLUMNS = 80;

/** The one place that writes: the answer to stdout, talk to stderr. Foreign text is made visible by who prints it. */
export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  /** For lines of the answer. */
  readonly paint: Paint;
  /** For lines of talk. */
  readonly paintTalk: Paint;
  /** Lines of talk may be written over: stderr is a terminal that takes colour. */
  readonly moves: boolean;
  /** Columns of the screen; `null` where stdout is not a terminal and nothing is cut. */
  readonly screen: number | null;
  readonly #stdout: TextStream;
  readonly #stderr: TextStream;
  /** Where failures go as JSON. */
  readonly #failures: TextStream;
  readonly #talkScreen: number | undefined;
  readonly #debug: boolean;

  constructor(stdout: TextStream, stderr: TextStream, options: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#failures = options.foreignStdout ? stderr : stdout;
    this.#debug = options.debug;
    this.json = options.json;
    this.quiet = options.quiet;
    this.paint = painter(colourWanted(stdout.isTTY === true, options.env, options.noColour));
    const talksInColour = colourWanted(stderr.isTTY === true, options.env, options.noColour);
    this.paintTalk = painter(talksInColour);
    this.moves = talksInColour && !options.quiet && !options.json;
    this.#talkScreen = stderr.isTTY === true ? stderr.columns || DEFAULT_COLUMNS : undefined;
    this.screen = stdout.isTTY === true ? stdout.columns || DEFAULT_COLUMNS : null;
  }

  /** A line of the answer for people. */
  answer(line: string): void {
    if (!this.quiet && !this.json) this.#stdout.write(`${line}\n`);
  }

  /** The answer for programs: one document, or one a line where a command streams. */
  document(value: unknown): void {
    if (!this.quiet && this.json) this.#stdout.write(`${jsonText(value)}\n`);
  }

  /** Progress, warnings and hints. */
  talk(line: string): void {
    if (!this.quiet && !this.json) this.#stderr.write(`tenure: ${line}\n`);
  }

  /** A line of talk that takes the place of the one before; `''` takes it away. Only where talk `moves`. */
  over(line: string): void {
    if (this.moves) this.#stderr.write(`\r\u001b[2K${shorten(line, (this.#talkScreen ?? DEFAULT_COLUMNS) - 1)}`);
  }

  /** Talk that programs want too, where stdout belongs to somebody else. */
  event(line: string, document: unknown): void {
    if (!this.quiet) this.#stderr.write(this.json ? `${jsonText(document)}\n` : `tenure: ${line}\n`);
  }

  /** Told even when quiet: an exit code of 1 must not be taken for "no" when it means "bad input". */
  failure(error: unknown): void {
    if (this.json) this.#failures.write(`${jsonText({ error: failureDocument(error) })}\n`);
    else for (const line of failureLines(error, this.#talkScreen)) this.#stderr.write(`${line}\n`);
    if (this.#debug && error instanceof Error) this.#stderr.write(`${traces(error).join('\n')}\n`);
  }
}

/** `bigint`s as text, as everywhere in Tenure's JSON. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => (typeof field === 'bigint' ? String(field) : field));
}

/** What failed, what Tenure did about it, the code in brackets at the end. */
export function failureLines(error: unknown, screen?: number): string[] {
  if (error instanceof SettingsError) {
    return withCode(
      [`tenure: ${error.message}`, ...problemLines(error.problems), error.next ?? ''],
      error.code,
      screen,
    );
  }
  if (error instanceof TenureError) {
    const next = error.next ?? (error.outcome === 'unknown' ? 'It may or may not have happened.' : 'Nothing was done.');
    return withCode([...`tenure: ${error.message}`.split('\n').map(visible), visible(next)], error.code, screen);
  }
  const message = error instanceof Error ? error.message : String(error);
  return [
    `tenure: unexpected failure: ${visible(message)}`,
    'This is a defect of Tenure; --debug shows where it happened.',
  ];
}

/** Where one line is very long, the code stays where the eye finds it. */
const FARTHEST_EDGE = 120;

/** Puts a code in brackets behind the last line, aligned with the right edge of the block and inside the screen. */
export function withCode(lines: readonly string[], code: string, screen: number = FARTHEST_EDGE): string[] {
  const bracketed = `[${code}]`;
  const last = lines.at(-1) ?? '';
  const widest = Math.max(...lines.map((line) => stringWidth(line)), stringWidth(last) + 2 + bracketed.length);
  const edge = Math.min(screen, FARTHEST_EDGE, widest);
  const room = edge - stringWidth(last) - bracketed.length;
  if (room >= 2) return [...lines.slice(0, -1), `${last}${' '.repeat(room)}${bracketed}`];
  return [...lines, ' '.repeat(Math.max(0, edge - bracketed.length)) + bracketed];
}

function failureDocument(error: unknown): unknown {
  if (!(error instanceof TenureError))
    return { code: null, message: error instanceof Error ? error.message : String(error) };
  const { code, message, outcome, component, next } = error;
  const problems = error instanceof SettingsError ? error.problems : undefined;
  return { code, message, outcome, component, next, problems };
}

function traces(error: Error): string[] {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? [own, 'caused by:', ...traces(error.cause)] : [own];
}
