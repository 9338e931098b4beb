/** `1,234,567` */
export function grouped(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** `812 kB`, `64 MB`, `1.6 GB` */
export function bytesText(bytes: number): string {
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} kB`;
  if (bytes < 999_500_000) return `${Math.round(bytes / 1_000_000)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

/** A share of 1, never rounded up to all of it: `99 %` is not yet done. */
export function percent(share: number): string {
  return `${Math.floor(Math.min(1, Math.max(0, share)) * 100)} %`;
}
