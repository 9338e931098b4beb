import type { Api } from './api.ts';
import { collectionPath, isRecord, type Kind, type KubeObject, toObject, versionOf } from './objects.ts';
import { toStatus, words } from './status.ts';
import type { StreamEnd } from './wire.ts';

/** What one connection of a watch brings. */
export interface WatchNews {
  /** Whatever happens to the object from now on comes as an event. */
  opened(): void;
  changed(object: KubeObject): void;
  deleted(version: bigint): void;
}

export interface WatchEnd {
  /** `orderly`: the other end has finished. `forbidden`: there is no right to watch. `unauthorized`: no longer logged in. */
  readonly kind: 'orderly' | 'forbidden' | 'unauthorized' | 'failed';
  readonly detail: string;
  readonly retryAfterMs: number;
}

export interface WatchOptions {
  readonly api: Api;
  readonly kind: Kind;
  readonly name: string;
  /** When the server is to end this connection, in seconds: all watches are opened anew now and then. */
  readonly timeoutSeconds: number;
  /** How long the connection may be silent. Asked anew after each sign of life. */
  readonly quietMs: () => number;
  readonly signal: AbortSignal;
  readonly news: WatchNews;
}

/** How long the answer may take to begin. */
const OPENING_MS = 10_000;

/** One connection, from the request to its end. Never throws. */
export async function watchOnce(options: WatchOptions): Promise<WatchEnd> {
  const { api, signal, news, quietMs } = options;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  let own: WatchEnd | null = null;
  const end = (found: WatchEnd): void => {
    own ??= found;
    controller.abort();
  };
  const waitFor = (ms: number): (() => void) =>
    api.clock.setTimer(ms, () => end(failed(`the watch was silent for ${Math.round(ms)} ms`)));
  let cancel = waitFor(OPENING_MS);
  const alive = (): void => {
    cancel();
    if (!controller.signal.aborted) cancel = waitFor(quietMs());
  };
  const lines = new Lines((line) => {
    const found = own === null ? take(line, options) : null;
    if (found !== null) end(found);
  });
  const finished = await api.watch(pathOf(options), controller.signal, {
    opened() {
      alive();
      news.opened();
    },
    text(part) {
      lines.take(part);
      alive();
    },
  });
  cancel();
  signal.removeEventListener('abort', abort);
  return own ?? endOf(finished);
}

function pathOf({ api, kind, name, timeoutSeconds }: WatchOptions): string {
  const query = new URLSearchParams({
    watch: 'true',
    // No resourceVersion: the current state comes first, and no version can be too old.
    fieldSelector: `metadata.name=${name}`,
    allowWatchBookmarks: 'true',
    timeoutSeconds: `${timeoutSeconds}`,
  });
  return `${collectionPath(kind, api.namespace)}?${query.toString()}`;
}

/** Passes one event on; answers why the connection is of no use any more, or null. */
function take(line: string, { name, news }: WatchOptions): WatchEnd | null {
  const event = parse(line);
  if (!isRecord(event)) return failed('the watch brought something that is no event');
  if (event.type === 'ERROR') {
    const code = isRecord(event.object) && typeof event.object.code === 'number' ? event.object.code : 0;
    return failed(`in a watch, ${words(code, toStatus(event.object))}`);
  }
  if (event.type === 'BOOKMARK') return null;
  const object = toObject(event.object);
  if (object === null) return failed('the watch brought an event without an object');
  if (object.metadata.name !== name) return null;
  if (event.type === 'DELETED') news.deleted(versionOf(object));
  else news.changed(object);
  return null;
}

function endOf(end: StreamEnd): WatchEnd {
  if (end.kind === 'closed') return { kind: 'orderly', detail: 'the watch ended', retryAfterMs: 0 };
  if (end.kind === 'failed') return failed(end.detail);
  const kind = end.code === 403 ? 'forbidden' : end.code === 401 ? 'unauthorized' : 'failed';
  const detail = words(end.code, toStatus(parse(end.body)));
  return { kind, detail, retryAfterMs: end.retryAfterMs ?? 0 };
}

function failed(detail: string): WatchEnd {
  return { kind: 'failed', detail, retryAfterMs: 0 };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Cuts text that comes in any parts into lines. */
class Lines {
  readonly #onLine: (line: string) => void;
  #parts: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  take(part: string): void {
    const [first = '', ...rest] = part.split('\n');
    this.#parts.push(first);
    for (const next of rest) {
      // Joined once a line: a map of 1 MB comes in many parts.
      const line = this.#parts.join('');
      this.#parts = [next];
      if (line !== '') this.#onLine(line);
    }
  }
}
