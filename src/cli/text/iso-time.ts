/**
 * Milliseconds since 1970 of an ISO time; `null` for anything else. Only for display, and for comparing two processes
 * of one machine.
 */
export function isoToMs(text: string): number | null {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

export function msToIso(ms: number): string {
  return new Date(ms).toISOString();
}
