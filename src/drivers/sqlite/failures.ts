import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ErrorCode, TenureError } from '../../errors.ts';
import { DamagedRow } from './rows.ts';

export type FailureKind =
  | 'busy'
  | 'corrupt'
  | 'not-a-database'
  | 'read-only'
  | 'no-permission'
  | 'cannot-open'
  | 'full'
  | 'io'
  | 'too-large'
  | 'other'
  | 'replaced'
  | 'closed';

export interface Failure {
  readonly kind: FailureKind;
  /** The engine's own words. */
  readonly message: string;
}

/** SQLite's primary result codes. 6 (shared cache) and 15 (a lost race for the WAL's locks) pass by themselves too. */
const KIND_OF_CODE: ReadonlyMap<number, FailureKind> = new Map([
  [3, 'no-permission'],
  [5, 'busy'],
  [6, 'busy'],
  [8, 'read-only'],
  [10, 'io'],
  [11, 'corrupt'],
  [13, 'full'],
  [14, 'cannot-open'],
  [15, 'busy'],
  [18, 'too-large'],
  [23, 'no-permission'],
  [26, 'not-a-database'],
]);

/** For errors that carry no code; the texts are SQLite's and have not changed in 20 years. */
const KIND_OF_MESSAGE: readonly (readonly [RegExp, FailureKind])[] = [
  [/database (table )?is locked|locking protocol/i, 'busy'],
  [/not a database/i, 'not-a-database'],
  [/malformed/i, 'corrupt'],
  [/readonly database|read-only/i, 'read-only'],
  [/unable to open/i, 'cannot-open'],
  [/database or disk is full/i, 'full'],
  [/disk I\/O error/i, 'io'],
];

/** What an engine's error means, or null when it is not SQLite that failed but the program. */
export function classify(thrown: unknown): Failure | null {
  if (!(thrown instanceof Error)) return null;
  const { message } = thrown;
  if (thrown instanceof DamagedRow) return { kind: 'corrupt', message };
  const code = resultCode(thrown);
  const byCode = code === null ? undefined : KIND_OF_CODE.get(code & 0xff);
  if (byCode !== undefined) return { kind: byCode, message };
  for (const [pattern, kind] of KIND_OF_MESSAGE) if (pattern.test(message)) return { kind, message };
  return code === null ? null : { kind: 'other', message };
}

/** node:sqlite says `errcode`, libsql `rawCode`; an open that fails in libsql has the number at the end of its text. */
function resultCode(error: Error): number | null {
  const { errcode, rawCode } = error as { errcode?: unknown; rawCode?: unknown };
  if (typeof errcode === 'number') return errcode;
  if (typeof rawCode === 'number') return rawCode;
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(error.message);
  return opening === null ? null : Number(opening[1]);
}

interface Advice {
  readonly code: ErrorCode;
  readonly fact: string;
  readonly advice: string;
}

const ANOTHER_FILE = 'Choose another file, or move this one away and let Tenure create a new one.';

const ADVICE: Readonly<Record<Exclude<FailureKind, 'cannot-open'>, Advice>> = {
  busy: {
    code: 'backend-unavailable',
    fact: 'stayed locked by another process',
    advice: 'Find the process that keeps a transaction open in it; only Tenure should write this file.',
  },
  corrupt: {
    code: 'store-unusable',
    fact: 'is damaged',
    advice: 'Stop every process that uses it, then restore a copy or move it away.',
  },
  'not-a-database': {
    code: 'store-unusable',
    fact: 'is not an SQLite database; the file must be missing, empty or made by Tenure',
    advice: ANOTHER_FILE,
  },
  'read-only': {
    code: 'store-read-only',
    fact: 'can be read but not written by this process; every participant writes the file and its folder',
    advice: 'Give this user write permission to both, or choose another file.',
  },
  'no-permission': {
    code: 'store-unusable',
    fact: 'may not be opened by this process; every participant reads and writes the file and its folder',
    advice: 'Give this user read and write permission to both, or choose another file.',
  },
  full: { code: 'backend-unavailable', fact: 'cannot grow: the disk is full', advice: 'Free some space.' },
  io: {
    code: 'backend-unavailable',
    fact: 'cannot be read or written: the disk or file system reports an error',
    advice: 'Look at the system log; the file must be on a local disk.',
  },
  'too-large': { code: 'backend-unavailable', fact: 'cannot hold a value of that size', advice: 'Store less.' },
  other: { code: 'store-unusable', fact: 'cannot be used', advice: ANOTHER_FILE },
  replaced: {
    code: 'store-unusable',
    fact: 'was deleted or replaced while it was in use; what is there now is another store, with other tokens',
    advice: 'Put the old file back, or restart this process to use the new one.',
  },
  closed: { code: 'closed', fact: 'has been closed by this process', advice: 'Open the backend again.' },
};

/** One sentence about the file and one about what to do, for the `detail` of an answer. */
export function detailOf(file: string, failure: Failure): string {
  const { fact, advice } = adviceFor(file, failure);
  const words = failure.message === '' ? '' : ` (${failure.message})`;
  return `${file} ${fact}${words}. ${advice}`;
}

/** The error of an open that failed. Call it only when no connection to the file is open in this process. */
export function openError(file: string, failure: Failure, cause: unknown): TenureError {
  const next = 'Nothing was changed and nothing is left open.';
  return new TenureError(adviceFor(file, failure).code, detailOf(file, failure), { cause, next });
}

/** A failed system call on the way to the file, such as creating its folder. */
export function folderError(folder: string, thrown: unknown): TenureError {
  const code = systemCode(thrown);
  const kind = code === 'EROFS' ? 'read-only' : code === 'EACCES' || code === 'EPERM' ? 'no-permission' : 'other';
  return openError(folder, { kind, message: thrown instanceof Error ? thrown.message : String(thrown) }, thrown);
}

function adviceFor(file: string, failure: Failure): Advice {
  return failure.kind === 'cannot-open' ? adviceByLooking(file) : ADVICE[failure.kind];
}

/**
 * SQLite has one code for every reason not to open a file, so the file system is asked. Only `stat` and `access`: to
 * open and close the file here would drop the POSIX locks of every SQLite connection of this process to it.
 */
function adviceByLooking(file: string): Advice {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) return { ...ADVICE.other, fact: 'is a directory; it must be a file' };
  const writing = writeRefusal(found === undefined ? dirname(file) : file);
  if (writing === '') return { ...ADVICE.other, fact: 'cannot be opened or created' };
  return writing === 'EROFS' ? ADVICE['read-only'] : ADVICE['no-permission'];
}

/** The system's code when this process may not write there, else `''`. */
function writeRefusal(path: string): string {
  try {
    accessSync(path, constants.W_OK);
    return '';
  } catch (thrown) {
    return systemCode(thrown);
  }
}

function systemCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
}
