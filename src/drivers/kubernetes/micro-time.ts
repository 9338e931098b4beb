/** A time as the API server wants it: exactly six digits after the second. Three are answered with 400. */
export function microTime(iso: string): string {
  const [, seconds, fraction = ''] = /^(.*T\d\d:\d\d:\d\d)(?:\.(\d+))?Z$/.exec(iso) ?? [];
  if (seconds === undefined) throw new RangeError(`not an ISO time in UTC: ${iso}`);
  return `${seconds}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

/**
 * The time of a renewal: now, but in a later second than the one before. client-go compares records by whole seconds, so
 * two renewals in one second (or after a clock that was set back) would be one heartbeat to it, and a renewal that
 * changes nothing at all is none to anybody: the server answers it with the same version.
 */
export function renewalTime(previous: string, iso: string): string {
  const before = Math.floor(Date.parse(previous) / 1000);
  if (Number.isNaN(before) || Math.floor(Date.parse(iso) / 1000) > before) return microTime(iso);
  return microTime(new Date((before + 1) * 1000).toISOString());
}
