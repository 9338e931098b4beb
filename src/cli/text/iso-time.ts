const ISO = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):?(\d{2}))$/;

/**
 * Milliseconds since 1970 of an ISO time; `null` for anything else. Plain arithmetic: the only door to a clock is the
 * clock port, and this reads no clock. For display, and for comparing two processes of one machine.
 */
export function isoToMs(text: string): number | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number);
  const days = daysSince1970(year ?? 0, month ?? 0, day ?? 0);
  const fraction = Number(`0.${match[7] ?? '0'}`) * 1_000;
  const zone = (match[8] === '-' ? -1 : 1) * (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0));
  const minutes = days * 1_440 + (hour ?? 0) * 60 + (minute ?? 0) - zone;
  return minutes * 60_000 + (second ?? 0) * 1_000 + Math.floor(fraction);
}

/** Proleptic Gregorian calendar; the year starts in March so that the leap day is its last. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}
