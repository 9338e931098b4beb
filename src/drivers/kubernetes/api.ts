import type { Clock } from '../../ports/clock.ts';
import { collectionPath, type Kind, type KubeObject, toObject } from './objects.ts';
import { type Status, toStatus, type Verdict, verdictOf, words } from './status.ts';
import type { StreamEnd, StreamListener, Wire, WireReply, WireRequest } from './wire.ts';

/** What became of a request. `unknown` only for writes that may have been made; `detail` is for people. */
export type Answer =
  | { readonly kind: 'done'; readonly code: number; readonly object: KubeObject }
  | { readonly kind: Exclude<Verdict, 'done'>; readonly detail: string };

/** The time that one call of a port has, over all requests that it takes. */
export interface Call {
  readonly signal: AbortSignal;
  leftMs(): number;
}

/** Name of this writer in the field ownership that the server keeps. */
const WRITER = 'fieldManager=tenure';

/** A wait that the server asks for is granted only if this much of the call is left afterwards. */
const LEAST_LEFT_MS = 50;

/** Requests about single objects in one namespace. */
export class Api {
  readonly clock: Clock;
  readonly namespace: string;
  readonly #wire: Wire;
  readonly #calls = new Set<AbortController>();
  #closed = false;

  constructor(wire: Wire, namespace: string, clock: Clock) {
    this.#wire = wire;
    this.namespace = namespace;
    this.clock = clock;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Ends every request under way: reads fail, writes that have left are unknown. */
  close(): void {
    this.#closed = true;
    for (const call of this.#calls) call.abort();
  }

  /** Gives `work` a call that ends after `timeoutMs`. */
  async within<T>(timeoutMs: number, work: (call: Call) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const endMs = this.clock.nowMs() + timeoutMs;
    const cancel = this.clock.setTimer(timeoutMs, () => controller.abort());
    this.#calls.add(controller);
    if (this.#closed) controller.abort();
    try {
      return await work({ signal: controller.signal, leftMs: () => endMs - this.clock.nowMs() });
    } finally {
      cancel();
      this.#calls.delete(controller);
    }
  }

  get(kind: Kind, name: string, call: Call): Promise<Answer> {
    return this.#ask({ method: 'GET', path: this.#path(kind, name), body: null }, call);
  }

  create(kind: Kind, object: KubeObject, call: Call): Promise<Answer> {
    const path = `${collectionPath(kind, this.namespace)}?${WRITER}`;
    return this.#ask({ method: 'POST', path, body: JSON.stringify(object) }, call);
  }

  /** `object` names its uid and version: without them this would create what has been deleted, or overwrite blindly. */
  replace(kind: Kind, object: KubeObject, call: Call): Promise<Answer> {
    const path = `${this.#path(kind, object.metadata.name)}?${WRITER}`;
    return this.#ask({ method: 'PUT', path, body: JSON.stringify(object) }, call);
  }

  /** Deletes this very version of this very object. */
  remove(kind: Kind, { metadata: { name, uid, resourceVersion } }: KubeObject, call: Call): Promise<Answer> {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid, resourceVersion } });
    return this.#ask({ method: 'DELETE', path: this.#path(kind, name), body }, call);
  }

  /** One connection of a watch; `path` has its query. */
  watch(path: string, signal: AbortSignal, listener: StreamListener): Promise<StreamEnd> {
    return this.#wire.stream({ method: 'GET', path, body: null, signal }, listener);
  }

  renewCredentials(): Promise<void> {
    return this.#wire.renewCredentials();
  }

  #path(kind: Kind, name: string): string {
    return `${collectionPath(kind, this.namespace)}/${encodeURIComponent(name)}`;
  }

  async #ask(request: Omit<WireRequest, 'signal'>, call: Call): Promise<Answer> {
    const tries = { credentials: true, connection: request.method === 'GET' };
    for (;;) {
      const reply = await this.#wire.exchange({ ...request, signal: call.signal });
      if (!(await this.#mayRepeat(reply, tries, call))) return answerOf(reply, request.method !== 'GET');
    }
  }

  /** Only what has certainly not been carried out is repeated here; reads also when an idle connection broke. */
  async #mayRepeat(
    reply: WireReply,
    tries: { credentials: boolean; connection: boolean },
    call: Call,
  ): Promise<boolean> {
    if (reply.kind === 'failed') {
      if (!reply.onIdleConnection || !tries.connection || call.signal.aborted) return false;
      tries.connection = false;
      return true;
    }
    if (reply.code === 401 && tries.credentials) {
      tries.credentials = false;
      await this.#wire.renewCredentials();
      return true;
    }
    const { retryAfterMs } = reply;
    if (retryAfterMs === null || verdictOf(reply.code, statusOf(reply.body)) !== 'refused') return false;
    if (retryAfterMs + LEAST_LEFT_MS > call.leftMs()) return false;
    await pause(this.clock, Math.max(retryAfterMs, LEAST_LEFT_MS), call.signal);
    return !call.signal.aborted;
  }
}

/** Settles after `delayMs`, or when the signal aborts. */
export function pause(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.setTimer(delayMs, done);
    signal.addEventListener('abort', done);
  });
}

function statusOf(body: string): Status | null {
  return toStatus(parse(body));
}

function answerOf(reply: WireReply, isWrite: boolean): Answer {
  const unsure = isWrite ? 'unknown' : 'refused';
  if (reply.kind === 'failed') return { kind: reply.sent ? unsure : 'refused', detail: reply.detail };
  const body = parse(reply.body);
  const status = toStatus(body);
  const verdict = verdictOf(reply.code, status);
  if (verdict !== 'done') {
    return { kind: verdict === 'unknown' ? unsure : verdict, detail: words(reply.code, status) };
  }
  const object = toObject(body);
  if (object !== null) return { kind: 'done', code: reply.code, object };
  return { kind: unsure, detail: `${reply.code} came with something that is no object of the API server` };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // A page of a proxy, or an answer that was cut off: no object and no Status.
    return null;
  }
}
