import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Random } from '../../ports/random.ts';
import { type JsonObject, Unreadable } from './document.ts';

/** Where the one process publishes. Everything is synchronous, so two handles of one process never interleave. */
export interface Board {
  /** For messages: the file's path, or what the object is. */
  readonly name: string;
  /** Null when nothing is there. @throws Unreadable, or the file system's error */
  load(): JsonObject | null;
  /** @throws NotStored, Unsynced */
  store(document: JsonObject): void;
  /** Another value (by `===`) whenever the content may have changed. */
  stamp(): unknown;
  /** Calls `wake` at signs of change, as far as there are any. Returns the function that stops it. */
  listen(wake: () => void): () => void;
  /** @throws the file system's error when this process may not write here */
  probe(): void;
}

/** The write failed before anything could be seen of it. */
export class NotStored extends Error {
  override readonly name = 'NotStored';
}

/** Readers see it, and a power cut may take it back. */
export class Unsynced extends Error {
  override readonly name = 'Unsynced';
}

/** An object of the caller; `tenure` in it is replaced by each write, other keys are not touched. */
export function objectBoard(shared: JsonObject): Board {
  return {
    name: 'the object given as publish',
    load: () => shared,
    store: (document) => {
      try {
        shared.tenure = document.tenure;
      } catch (thrown) {
        throw new NotStored(messageOf(thrown), { cause: thrown });
      }
    },
    stamp: () => shared.tenure,
    listen: () => () => {},
    probe: () => {},
  };
}

/** A JSON file. Readers see the old content or the new one, also after a crash or a power cut. */
export function fileBoard(path: string, random: Random): Board {
  const file = resolved(resolve(path));
  return {
    name: file,
    load: () => loadFile(file),
    store: (document) => storeFile(file, document, random),
    stamp: () => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      return found === undefined ? null : `${found.ino}:${found.mtimeNs}:${found.size}`;
    },
    listen: (wake) => listenToFile(file, wake),
    probe: () => {
      mkdirSync(dirname(file), { recursive: true });
      // The folder and not the file: a write replaces the file by another one.
      accessSync(dirname(file), constants.W_OK);
    },
  };
}

/** Replacing a symbolic link would leave its target, which others read, as it was. */
function resolved(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

function loadFile(file: string): JsonObject | null {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw thrown;
  }
  try {
    // An empty file is not JSON either. It is what a crash of a careless editor leaves, and to take it for a new one
    // would grant old tokens again.
    const document: unknown = JSON.parse(content);
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return document as JsonObject;
  } catch (thrown) {
    throw new Unreadable(messageOf(thrown), { cause: thrown });
  }
  throw new Unreadable('the document is not an object');
}

function storeFile(file: string, document: JsonObject, random: Random): void {
  const temporary = `${file}.${random.uuid()}.tmp`;
  try {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644;
    writeFileSync(temporary, `${JSON.stringify(document, null, 2)}\n`, { mode, flush: true });
    renameSync(temporary, file);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw new NotStored(messageOf(thrown), { cause: thrown });
  }
  syncFolder(dirname(file));
}

/** Without this a power cut may take the rename back, and with it a token that was already handed out. */
function syncFolder(folder: string): void {
  // Windows cannot open folders, and its file system keeps the order of renames by itself.
  if (process.platform === 'win32') return;
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (thrown) {
    throw new Unsynced(messageOf(thrown), { cause: thrown });
  }
}

function listenToFile(file: string, wake: () => void): () => void {
  const name = basename(file);
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, changed) => {
      if (changed === null || changed === name) wake();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    // No events on this system: polling alone finds the changes.
    return () => {};
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
