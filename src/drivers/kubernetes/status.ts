import { isRecord } from './objects.ts';

/** The API server's own account of a refusal. Absent where something in front of it answered. */
export interface Status {
  readonly reason: string;
  readonly message: string;
  readonly causes: readonly string[];
}

/** What an answer says about the request. `unknown`: it may have been carried out. */
export type Verdict = 'done' | 'conflict' | 'missing' | 'too-large' | 'refused' | 'unknown';

export function toStatus(value: unknown): Status | null {
  if (!isRecord(value) || value.kind !== 'Status') return null;
  const { reason, message, details } = value;
  const causes = isRecord(details) && Array.isArray(details.causes) ? details.causes : [];
  return {
    reason: typeof reason === 'string' ? reason : '',
    message: typeof message === 'string' ? message : '',
    causes: causes.flatMap((cause: unknown) =>
      isRecord(cause) && typeof cause.reason === 'string' ? [cause.reason] : [],
    ),
  };
}

/** Answered before the request is carried out, whoever answers. */
const NEVER_CARRIED_OUT = new Set([400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 422, 429, 431]);

/**
 * A 500 or 504 comes when etcd did not answer in time, and then the write may have been made. A 503 of the API server
 * itself comes before it; one of a proxy may come after the request was passed on. Only what the API server says can
 * mean that an object is missing: a proxy's own 404 must not make a leader believe that its Lease is gone.
 */
export function verdictOf(code: number, status: Status | null): Verdict {
  if (code >= 200 && code < 300) return 'done';
  if (status !== null) {
    if (code === 409) return 'conflict';
    if (code === 404 && status.reason === 'NotFound') return 'missing';
    if (code === 413 || status.causes.includes('FieldValueTooLong')) return 'too-large';
    if (code === 503) return 'refused';
  }
  return NEVER_CARRIED_OUT.has(code) ? 'refused' : 'unknown';
}

const ADVICE: Readonly<Record<number, string>> = {
  401: 'The credentials are not accepted; check the token or certificate.',
  403: 'A rule of RBAC is missing: the account needs get, create, update and watch.',
  429: 'The API server is overloaded and asks to wait.',
};

/** For people: which code, in whose words, and what can be done. */
export function words(code: number, status: Status | null): string {
  const said = status === null || status.message === '' ? '' : `: ${status.message}`;
  const advice = ADVICE[code];
  return `the API server answered ${code}${said}${advice === undefined ? '' : `. ${advice}`}`;
}
