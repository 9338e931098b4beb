import { hostname } from 'node:os';

/** What `openTenure` uses when nothing is injected; the only place where the runtime meets the system driver. */
export { systemClock } from '../drivers/system/clock.ts';
export { systemRandom } from '../drivers/system/random.ts';

export function defaultName(): string {
  return hostname().slice(0, 100) || 'participant';
}
