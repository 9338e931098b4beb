/** The way to the API server, as the rest of the driver sees it: one request, one answer, and whether it ever left. */

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With the query. */
  readonly path: string;
  readonly body: string | null;
  /** Ends the request; it is then answered with `failed`. */
  readonly signal: AbortSignal;
}

export interface Answered {
  readonly kind: 'answered';
  readonly code: number;
  readonly retryAfterMs: number | null;
  readonly body: string;
}

export interface Failed {
  readonly kind: 'failed';
  /** Whether the server may have got it. False only where it certainly has not. */
  readonly sent: boolean;
  /** It went out on a connection that had been idle: the other end may have closed it in the same moment. */
  readonly onIdleConnection: boolean;
  readonly detail: string;
}

export type WireReply = Answered | Failed;

export interface StreamListener {
  /** The answer has begun, with 200. */
  opened(): void;
  text(part: string): void;
}

/** How a stream ended: at the other end, with an answer other than 200, or by a failure (the signal's too). */
export type StreamEnd = { readonly kind: 'closed' } | WireReply;

/** Answers always; never throws. */
export interface Wire {
  exchange(request: WireRequest): Promise<WireReply>;
  /** On a connection of its own, so that calls never wait behind it. */
  stream(request: WireRequest, listener: StreamListener): Promise<StreamEnd>;
  /** The credentials were refused: read them anew. */
  renewCredentials(): Promise<void>;
}
