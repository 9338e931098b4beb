import { InvalidOptionsError, TenureError } from '../../errors.ts';
import type { Backend, BackendContext, OpenBackend } from '../../ports/backend.ts';
import { type Board, fileBoard, objectBoard } from './board.ts';
import { type JsonObject, Unreadable } from './document.ts';
import { openLease, openRegister } from './ports.ts';
import { Publication, unreadable } from './publication.ts';

/** An object that the caller keeps; Tenure writes `tenure` in it, as the JSON that the file would hold. */
export type SingleMasterBoard = Record<string, unknown>;

export interface SingleMasterOptions {
  /** The consent: nothing here keeps a second process from leading too. */
  readonly iKnowOnlyOneRuns: true;
  /**
   * Where leader information goes: a JSON file (replaced atomically; keys other than `tenure` are kept) or an object.
   * Without it, only this process can see it and fencing tokens start again with each start.
   */
  readonly publish?: string | SingleMasterBoard;
}

/**
 * Leads always, without a lock: for a supervisor that already runs exactly one process.
 * @throws InvalidOptionsError. `open` rejects with a TenureError: `consent-missing`, `store-unusable` or
 * `store-read-only`.
 */
export function singleMaster(options?: SingleMasterOptions): Backend {
  const publish: unknown = options?.publish;
  const usable = publish === undefined || (typeof publish === 'string' ? publish !== '' : isPlainObject(publish));
  if (!usable) {
    const rule = 'must be the path of a JSON file or a plain object';
    throw new InvalidOptionsError([{ field: 'publish', received: publish, rule }]);
  }
  const own: SingleMasterBoard = {};
  return {
    name: 'single-master',
    open: async (context) => {
      if (options?.iKnowOnlyOneRuns !== true) throw consentMissing();
      return open(options.publish ?? own, context);
    },
  };
}

function open(publish: string | SingleMasterBoard, { election, clock, random }: BackendContext): OpenBackend {
  const board = typeof publish === 'string' ? fileBoard(publish, random) : objectBoard(publish as JsonObject);
  const publication = new Publication(board, election, clock);
  try {
    publication.check();
  } catch (thrown) {
    throw openError(board, thrown);
  }
  return {
    place: typeof publish === 'string' ? `single-master (${publish})` : 'single-master (this process)',
    protection: 'none',
    lease: openLease(publication, clock),
    register: openRegister(publication),
    close: async () => publication.close(),
  };
}

function openError(board: Board, thrown: unknown): unknown {
  const details = { cause: thrown, next: 'Nothing was changed and nothing is left open.' };
  if (thrown instanceof Unreadable) return new TenureError('store-unusable', unreadable(board.name, thrown), details);
  if (!(thrown instanceof Error && 'code' in thrown)) return thrown;
  if (thrown.code === 'EROFS' || thrown.code === 'EACCES' || thrown.code === 'EPERM') {
    const rule = 'the process that leads replaces this file, so it must be able to write in its folder';
    return new TenureError(
      'store-read-only',
      `${board.name} cannot be used by this process (${thrown.message}); ${rule}. Give this user permission, or choose another file.`,
      details,
    );
  }
  return new TenureError(
    'store-unusable',
    `${board.name} cannot be used (${thrown.message}). It must be a file, existing or not. Choose another one.`,
    details,
  );
}

function consentMissing(): TenureError {
  return new TenureError(
    'consent-missing',
    'single-master has no lock: two processes started with it both lead. ' +
      'If something else makes sure that only one runs, say so with `iKnowOnlyOneRuns: true`.',
    { next: 'Nothing was opened.' },
  );
}

function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
