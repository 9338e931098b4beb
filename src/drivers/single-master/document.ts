import type { Fence, LeaderInformation } from '../../../machines/vocabulary.ts';
import type { LeaseRecord } from '../../ports/lease-store.ts';

/** What one election has published. Immutable: each write makes a new one. */
export interface Published {
  readonly lease: LeaseRecord | null;
  readonly register: Register;
}

export interface Register {
  readonly version: bigint;
  readonly fence: Fence | null;
  /** Deletions of this version and before may be missing. */
  readonly prunedVersion: bigint;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** `information` is null once the entry was withdrawn. */
export interface Entry {
  readonly version: bigint;
  readonly information: LeaderInformation | null;
}

export const NOTHING: Published = {
  lease: null,
  register: { version: 0n, fence: null, prunedVersion: 0n, entries: new Map() },
};

const LAYOUT = 1;

export type JsonObject = { [key: string]: unknown };

/** The content cannot be understood; whoever reads says where it came from. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** @throws Unreadable */
export function readPublished(document: unknown, election: string): Published {
  const root = object(document, 'the document');
  if (root.tenure === undefined) return NOTHING;
  const own = object(root.tenure, 'tenure');
  if (own.layout !== LAYOUT) throw new Unreadable(`layout is ${String(own.layout)}, this version reads ${LAYOUT}`);
  const elections = object(own.elections, 'tenure.elections');
  if (!Object.hasOwn(elections, election)) return NOTHING;
  const stored = object(elections[election], election);
  return {
    lease: stored.lease === null ? null : leaseOf(stored.lease),
    register: registerOf(stored.register),
  };
}

/** The document with this election's part replaced; everything else stays as it was. */
export function withPublished(document: JsonObject, election: string, published: Published): JsonObject {
  const own = (document.tenure ?? {}) as JsonObject;
  const elections = { ...(own.elections as JsonObject | undefined), [election]: json(published) };
  return { ...document, tenure: { ...own, layout: LAYOUT, elections } };
}

function json({ lease, register }: Published): JsonObject {
  const { version, fence, prunedVersion, entries } = register;
  // JSON has no bigint, so versions and tokens are texts.
  return {
    lease: lease === null ? null : { ...lease, version: `${lease.version}`, fencingToken: `${lease.fencingToken}` },
    register: {
      version: `${version}`,
      fence: fence === null ? null : { ...fence, fencingToken: `${fence.fencingToken}` },
      prunedVersion: `${prunedVersion}`,
      entries: Object.fromEntries([...entries].map(([key, entry]) => [key, jsonEntry(entry)])),
    },
  };
}

function jsonEntry({ version, information }: Entry): JsonObject {
  const shown = information === null ? null : { ...information, fencingToken: `${information.fencingToken}` };
  return { version: `${version}`, information: shown };
}

function leaseOf(value: unknown): LeaseRecord {
  const stored = object(value, 'lease');
  const { durationMs } = stored;
  if (typeof durationMs !== 'number') throw new Unreadable('lease.durationMs is not a number');
  return {
    version: whole(stored, 'version'),
    holder: text(stored, 'holder'),
    sessionId: text(stored, 'sessionId'),
    fencingToken: whole(stored, 'fencingToken'),
    durationMs,
    stepDownFor: text(stored, 'stepDownFor'),
    acquiredAt: text(stored, 'acquiredAt'),
    renewedAt: text(stored, 'renewedAt'),
  };
}

function registerOf(value: unknown): Register {
  const stored = object(value, 'register');
  const entries = Object.entries(object(stored.entries, 'register.entries'));
  return {
    version: whole(stored, 'version'),
    fence: stored.fence === null ? null : fenceOf(object(stored.fence, 'register.fence')),
    prunedVersion: whole(stored, 'prunedVersion'),
    entries: new Map(entries.map(([key, entry]) => [key, entryOf(key, entry)])),
  };
}

function entryOf(key: string, value: unknown): Entry {
  const stored = object(value, key);
  const version = whole(stored, 'version');
  if (stored.information === null) return { version, information: null };
  const information = object(stored.information, `${key}.information`);
  const metadata = object(information.metadata, `${key}.metadata`);
  const strange = Object.values(metadata).some((item) => typeof item !== 'string');
  if (strange) throw new Unreadable(`${key}.metadata holds something other than text`);
  return {
    version,
    information: {
      ...fenceOf(information),
      address: text(information, 'address'),
      metadata: metadata as Readonly<Record<string, string>>,
    },
  };
}

function fenceOf(stored: JsonObject): Fence {
  return { fencingToken: whole(stored, 'fencingToken'), sessionId: text(stored, 'sessionId') };
}

function object(value: unknown, name: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new Unreadable(`${name} is not an object`);
}

function text(stored: JsonObject, field: string): string {
  const value = stored[field];
  if (typeof value === 'string') return value;
  throw new Unreadable(`${field} is not text`);
}

function whole(stored: JsonObject, field: string): bigint {
  const value = stored[field];
  if (typeof value === 'string' && /^\d{1,30}$/.test(value)) return BigInt(value);
  throw new Unreadable(`${field} is not a whole number as text`);
}
