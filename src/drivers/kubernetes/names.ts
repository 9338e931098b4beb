import { createHash } from 'node:crypto';

/** Labels of letters, digits and dashes, joined by dots: what the API server takes as a name. */
const OBJECT_NAME = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,200}$/;

const PLAIN = 'leader.';
const HASHED = 'leader-hash.';

/** Name of the Lease of an election. */
export function leaseName(election: string): string {
  return objectName(election);
}

/** Name of the ConfigMap that is an election's register. */
export function registerName(election: string): string {
  return `${objectName(election)}-leaders`;
}

/** `a..b` and `a-` are elections, but no names of objects: these get the readable part of it and a hash of the whole. */
function objectName(election: string): string {
  if (OBJECT_NAME.test(election)) return election;
  const readable = election.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  return `${readable.slice(0, 160)}-${hash(election).slice(0, 16)}`;
}

/** Key of a component's entry. Prefixed, so that a key of somebody else in the same ConfigMap is never taken for ours. */
export function entryKey(component: string): string {
  return DATA_KEY.test(component) ? PLAIN + component : HASHED + hash(component);
}

export function isEntryKey(key: string): boolean {
  return key.startsWith(PLAIN) || key.startsWith(HASHED);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
