import type { Fence, LeaderInformation } from '../../../machines/vocabulary.ts';
import { entryKey, isEntryKey } from './names.ts';
import { annotationsOf, isRecord, type KubeObject } from './objects.ts';

export const FENCE_NOTE = 'tenure/fence';

/** Moves with each write, so that one that changes nothing else is stored too. */
export const WRITES_NOTE = 'tenure/writes';

/** The server's limit for the sum of all values; keys do not count. */
export const LARGEST_BYTES = 1_048_576;

interface Entry {
  readonly component: string;
  readonly information: LeaderInformation;
}

/** What Tenure finds in a ConfigMap. */
export interface Content {
  readonly fence: Fence | null;
  readonly entries: ReadonlyMap<string, LeaderInformation>;
}

export const NOTHING: Content = { fence: null, entries: new Map() };

/** Reads one ConfigMap again and again: a value that has not changed is the same entry object as before. */
export class ContentReader {
  readonly #onPoison: (key: string, reason: string) => void;
  #known = new Map<string, { readonly value: string; readonly entry: Entry | null }>();
  #last: { readonly object: KubeObject; readonly content: Content } | null = null;

  /** `onPoison`: a value under one of our keys is not one of ours. It is told once, and counts as no entry. */
  constructor(onPoison: (key: string, reason: string) => void) {
    this.#onPoison = onPoison;
  }

  read(object: KubeObject | null): Content {
    if (object === null) return NOTHING;
    if (this.#last?.object === object) return this.#last.content;
    const known = new Map<string, { readonly value: string; readonly entry: Entry | null }>();
    const entries = new Map<string, LeaderInformation>();
    for (const [key, value] of Object.entries(dataOf(object))) {
      if (!isEntryKey(key)) continue;
      const before = this.#known.get(key);
      const entry = before?.value === value ? before.entry : this.#decode(key, value);
      known.set(key, { value, entry });
      if (entry !== null) entries.set(entry.component, entry.information);
    }
    this.#known = known;
    const content = { fence: this.#fenceOf(object), entries };
    this.#last = { object, content };
    return content;
  }

  #decode(key: string, value: string): Entry | null {
    const entry = decodeEntry(key, value);
    if (typeof entry !== 'string') return entry;
    this.#onPoison(key, entry);
    return null;
  }

  #fenceOf(object: KubeObject): Fence | null {
    const note = annotationsOf(object)[FENCE_NOTE];
    const fence = note === undefined ? null : decodeFence(note);
    if (fence === null && note !== undefined) this.#onPoison(FENCE_NOTE, 'it is no fence');
    return fence;
  }
}

export function encodeFence({ fencingToken, sessionId }: Fence): string {
  return JSON.stringify({ fencingToken: `${fencingToken}`, sessionId });
}

function decodeFence(note: string): Fence | null {
  const stored = parse(note);
  if (!isRecord(stored)) return null;
  const { fencingToken, sessionId } = stored;
  if (typeof sessionId !== 'string' || !isWhole(fencingToken)) return null;
  return { fencingToken: BigInt(fencingToken), sessionId };
}

/** The name of the component is in the value as well: not every name can be a key. */
export function encodeEntry(component: string, information: LeaderInformation): string {
  const { sessionId, fencingToken, address, metadata } = information;
  return JSON.stringify({ component, sessionId, fencingToken: `${fencingToken}`, address, metadata });
}

/** The entry, or why the value is none. */
export function decodeEntry(key: string, value: string): Entry | string {
  const stored = parse(value);
  if (!isRecord(stored)) return 'it is no JSON object';
  const { component, sessionId, fencingToken, address, metadata } = stored;
  if (typeof component !== 'string' || entryKey(component) !== key) return 'it names another component than its key';
  if (typeof sessionId !== 'string' || sessionId === '') return 'it names no session';
  if (!isWhole(fencingToken)) return 'its fencing token is no whole number';
  if (typeof address !== 'string') return 'its address is no text';
  if (!isRecord(metadata) || Object.values(metadata).some((item) => typeof item !== 'string')) {
    return 'its metadata is not made of texts';
  }
  const texts = metadata as Readonly<Record<string, string>>;
  return { component, information: { sessionId, fencingToken: BigInt(fencingToken), address, metadata: texts } };
}

export function dataOf(object: KubeObject): Readonly<Record<string, string>> {
  return isRecord(object.data) ? (object.data as Readonly<Record<string, string>>) : {};
}

/** As the server counts it: values in UTF-8, binary ones decoded, those of others too. */
export function sizeOf(object: KubeObject): number {
  const binary = isRecord(object.binaryData) ? Object.values(object.binaryData) : [];
  const texts = Object.values(dataOf(object)).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  return binary.reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), 'base64'), texts);
}

function isWhole(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,39}$/.test(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
