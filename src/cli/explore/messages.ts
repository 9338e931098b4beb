import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import type { Told, ToldDelivery } from '../../simulation/explorer/index.ts';

interface Fields {
  readonly type: string;
  readonly session?: { readonly id: string };
  readonly sessionId?: string;
  readonly entry?: LeaderInformation | null;
  readonly record?: { readonly holder: string; readonly sessionId: string } | null;
  readonly puts?: ReadonlyMap<string, LeaderInformation>;
  readonly withdrawals?: ReadonlyMap<string, string>;
  readonly changed?: ReadonlyMap<string, LeaderInformation | null>;
  readonly id?: string;
}

const entryText = (entry: LeaderInformation | null): string =>
  entry === null ? 'none' : entry.address === '' ? 'empty' : entry.sessionId;

/** `granted s1`, `register.changed (entry: stale)`, `container.write (c0 = s1)`. */
export function messageText({ message }: ToldDelivery): string {
  const { type, session, sessionId, entry, record, puts, withdrawals, changed, id } = message as Fields;
  const name = session?.id ?? sessionId ?? '';
  if (type === 'timer.elapsed') return `timer ${id?.split(':')[0] ?? ''}`;
  if (entry !== undefined) return `${type} (entry: ${entryText(entry)})`;
  if (changed !== undefined)
    return withFacts(
      type,
      [...changed].map(([key, value]) => `${key} = ${entryText(value)}`),
    );
  if (puts !== undefined) {
    const writes = [...puts].map(([key, value]) => `${key} = ${entryText(value)}`);
    return withFacts(type, [...writes, ...[...(withdrawals ?? [])].map(([key, by]) => `${by} withdraws ${key}`)]);
  }
  if (name !== '') return `${type} ${name}`;
  if (record === undefined) return type;
  return `${type} (${record === null ? 'none' : record.holder === '' ? 'free' : `held, ${record.sessionId}`})`;
}

const withFacts = (type: string, facts: readonly string[]): string =>
  facts.length === 0 ? type : `${type} (${facts.join(', ')})`;

/** What a step changed in the store; `''` when it changed nothing. */
export function storeText(before: Told['store'] | null, after: Told['store']): string {
  const facts: string[] = [];
  const { lease, fence, entries } = after;
  const was = before?.lease ?? null;
  if (lease !== null && (lease.token !== was?.token || lease.held !== was.held)) {
    facts.push(lease.held ? `lease: token ${lease.token}` : 'lease: free');
  }
  if (before === null) return facts.join(', ');
  if (fence !== before.fence) facts.push(`fence: token ${fence}`);
  entries.forEach((token, at) => {
    if (token === before.entries[at]) return;
    facts.push(`entry of c${at}: ${token === 0 ? 'gone' : token < 0 ? 'an old one' : `s${token}`}`);
  });
  return facts.join(', ');
}
