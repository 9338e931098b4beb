import { visible } from './visible.ts';

const IDENTITY = /^(.*?)[^A-Za-z0-9]?([0-9a-f]{4})[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/su;

/** An identity as people say it: its name and as much of the UUID as tells two starts apart, `host-4c1f`. */
export function participantName(identity: string): string {
  const match = IDENTITY.exec(identity);
  if (match === null) return visible(identity);
  const [, name = '', start = ''] = match;
  return name === '' ? start : `${visible(name)}-${start}`;
}
