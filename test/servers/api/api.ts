/** What the tests need of an API server, real or simulated: calls, and watches whose silence can be observed. */
export interface Api {
  call(method: Method, path: string, options?: CallOptions): Promise<Answer>;
  watch(path: string, options?: { readonly token?: string }): Promise<Watching>;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface CallOptions {
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** Instead of the one that the client was made with. */
  readonly token?: string;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: KubernetesObject;
}

export interface Watching {
  readonly status: number;
  /** The Status object of a watch that was refused, else null. */
  readonly refusal: unknown;
  /** The next event; `silence` when none has come for so long, `end` when the server has ended the stream. */
  next(withinMs: number): Promise<WatchEvent | 'silence' | 'end'>;
  close(): void;
}

export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** A Kubernetes Status: what an answer of 400 and above, and an ERROR event, carry. */
export interface Status {
  readonly kind: 'Status';
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

export function statusOf(body: unknown): Status {
  const status = body as Partial<Status> | null;
  if (status?.kind !== 'Status') throw new Error(`not a Status: ${JSON.stringify(body)}`);
  return status as Status;
}

export function objectOf(answer: Answer): KubernetesObject {
  if (answer.status >= 300) throw new Error(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body as KubernetesObject;
}
