/** What the proxy does to a request instead of just passing it on. */
export type Fault =
  | { readonly kind: 'cut' }
  | { readonly kind: 'hold' }
  | { readonly kind: 'hold-reply' }
  | { readonly kind: 'drop-reply' }
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter?: number; readonly reason?: string }
  | { readonly kind: 'trickle'; readonly bytes: number; readonly everyMs: number }
  | { readonly kind: 'watch'; readonly events: number; readonly after: AfterEvents };

/** How a watch goes on after some of its events: what comes then is never seen. */
export type AfterEvents = 'silence' | 'end' | 'cut' | { readonly error: number };

export const faults = {
  /** The connection breaks before the server sees the request. */
  cut: (): Fault => ({ kind: 'cut' }),
  /** The server sees it when the rule is released, even if the client has long given up. */
  hold: (): Fault => ({ kind: 'hold' }),
  /** The server acts at once; the client learns it when the rule is released. */
  holdReply: (): Fault => ({ kind: 'hold-reply' }),
  /** The server acts, then the connection breaks. */
  dropReply: (): Fault => ({ kind: 'drop-reply' }),
  /** The server never sees it. `retryAfter` in seconds. */
  answer: (status: number, options: { readonly retryAfter?: number; readonly reason?: string } = {}): Fault => {
    return { kind: 'answer', status, ...options };
  },
  /** The reply arrives in small pieces. */
  trickle: (bytes: number, everyMs: number): Fault => ({ kind: 'trickle', bytes, everyMs }),
  /** An open watch that tells nothing (more): a half-open connection. */
  silentWatch: (events = 0): Fault => ({ kind: 'watch', events, after: 'silence' }),
  /** 200, and an ERROR event in it. 410 is the server's "too old resource version". */
  errorInWatch: (code = 410, events = 0): Fault => ({ kind: 'watch', events, after: { error: code } }),
  /** 200, and an end in good order. */
  emptyWatch: (events = 0): Fault => ({ kind: 'watch', events, after: 'end' }),
  /** 200, and a connection that breaks. */
  cutWatch: (events = 0): Fault => ({ kind: 'watch', events, after: 'cut' }),
} as const;

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** As the API server writes one. */
export function statusObject(code: number, reason = REASONS[code] ?? 'InternalError') {
  const message = `answered ${code} by the fault proxy`;
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}
