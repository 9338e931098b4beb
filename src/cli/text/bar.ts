/** `████████░░░░`: a share of 1 as a bar; full only when all of it is done. */
export function bar(share: number, width: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}
