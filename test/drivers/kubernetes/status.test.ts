import { describe, expect, it } from 'vitest';
import { toStatus, verdictOf, words } from '../../../src/drivers/kubernetes/status.ts';

function said(code: number, reason: string, causes: readonly string[] = []) {
  const details = { causes: causes.map((cause) => ({ reason: cause })) };
  return toStatus({ kind: 'Status', code, reason, message: `because of ${reason}`, details });
}

describe('an answer says of a write', () => {
  it.each([
    ['done', 200, null],
    ['done', 201, null],
    ['conflict', 409, said(409, 'Conflict')],
    ['conflict', 409, said(409, 'AlreadyExists')],
    ['missing', 404, said(404, 'NotFound')],
    ['too-large', 413, said(413, 'RequestEntityTooLarge')],
    ['too-large', 422, said(422, 'Invalid', ['FieldValueTooLong'])],
    ['refused', 422, said(422, 'Invalid', ['FieldValueInvalid'])],
    ['refused', 401, said(401, 'Unauthorized')],
    ['refused', 403, said(403, 'Forbidden')],
    ['refused', 429, said(429, 'TooManyRequests')],
    ['refused', 429, null],
    ['refused', 503, said(503, 'ServiceUnavailable')],
    // etcd has not answered in time: the write may be there.
    ['unknown', 500, said(500, 'InternalError')],
    ['unknown', 504, said(504, 'Timeout')],
    // A proxy says so also after it has passed the request on.
    ['unknown', 503, null],
    ['unknown', 502, null],
    ['unknown', 409, null],
    ['unknown', 302, null],
  ] as const)('%s: %i', (verdict, code, status) => expect(verdictOf(code, status)).toBe(verdict));

  it('a 404 that is not the API server’s own does not mean that an object is missing', () => {
    expect(verdictOf(404, null)).toBe('refused');
    expect(verdictOf(404, said(404, 'SomethingElse'))).toBe('refused');
  });

  it('in words: the code, the server’s own text, and what to do', () => {
    expect(words(403, said(403, 'Forbidden'))).toBe(
      'the API server answered 403: because of Forbidden. A rule of RBAC is missing: the account needs get, create, update and watch.',
    );
    expect(words(502, null)).toBe('the API server answered 502');
  });

  it.each([[null], ['text'], [{}], [{ kind: 'Lease' }]])('%j is no Status', (value) =>
    expect(toStatus(value)).toBeNull(),
  );
});
