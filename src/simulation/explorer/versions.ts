import type { AnyMachineSnapshot } from 'xstate';
import type { LeadershipContext } from '../../../machines/leadership-context.ts';
import type { LeaseContext } from '../../../machines/lease-messages.ts';
import type { ContainerCall, LeaseCall, MachineName, Message } from './model.ts';

/** How versions are rewritten; the same key, the same map. */
export interface VersionMap {
  readonly key: string;
  readonly lease: (version: bigint) => bigint;
  readonly container: (version: bigint) => bigint;
}

const same = (version: bigint): bigint => version;
const older = (version: bigint): bigint => version - 1n;

/** The lease, or the register, has been written: what was the newest is one older now. */
export const LEASE_MOVED: VersionMap = { key: 'L', lease: older, container: same };
export const REGISTER_MOVED: VersionMap = { key: 'R', lease: same, container: older };

/** Versions by rank below what the store holds now (0); `null` when they are ranks already. */
export function ranks(lease: readonly bigint[], container: readonly bigint[]): VersionMap | null {
  const [ofLease, ofContainer] = [rank(lease), rank(container)];
  if (ofLease === null && ofContainer === null) return null;
  const map = (order: readonly bigint[] | null) => (version: bigint) =>
    version >= 0n || order === null ? version : BigInt(-1 - order.indexOf(version));
  return {
    key: `${ofLease?.join() ?? ''}|${ofContainer?.join() ?? ''}`,
    lease: map(ofLease),
    container: map(ofContainer),
  };
}

function rank(negatives: readonly bigint[]): bigint[] | null {
  if (negatives.length === 0 || (negatives.length === 1 && negatives[0] === -1n)) return null;
  const order = [...new Set(negatives)].sort((a, b) => (a > b ? -1 : 1));
  return order.every((version, at) => version === BigInt(-1 - at)) ? null : order;
}

const versioned = (value: unknown): value is { readonly version: bigint } =>
  typeof value === 'object' && value !== null && typeof (value as { version?: unknown }).version === 'bigint';

export function mapContext(machine: MachineName, context: object, map: VersionMap): object {
  switch (machine) {
    case 'driver': {
      const { record, asked } = context as LeaseContext;
      return {
        ...context,
        ...(versioned(record) ? { record: { ...record, version: map.lease(record.version) } } : {}),
        asked: asked === null ? null : map.lease(asked),
      };
    }
    case 'register': {
      const { version } = context as { readonly version: bigint };
      return { ...context, version: map.container(version) };
    }
    case 'election': {
      const { registerVersion } = context as { readonly registerVersion: bigint };
      return { ...context, registerVersion: map.container(registerVersion) };
    }
    case 'leadership': {
      const { published, seen } = context as LeadershipContext;
      return {
        ...context,
        published: published && { ...published, version: map.container(published.version) },
        seen: seen && { ...seen, version: map.container(seen.version) },
      };
    }
    case 'validity':
      return context;
  }
}

/** Versions older than the newest that an actor knows, per store. */
export function negativesIn(machine: MachineName, snapshot: AnyMachineSnapshot) {
  const lease: bigint[] = [];
  const container: bigint[] = [];
  const collect = (into: bigint[]) => (version: bigint) => {
    if (version < 0n) into.push(version);
    return version;
  };
  mapContext(machine, snapshot.context, { key: '', lease: collect(lease), container: collect(container) });
  return { lease, container };
}

export function mapExpected(call: LeaseCall | ContainerCall, map: VersionMap): LeaseCall | ContainerCall {
  if (call.port === 'container') return { ...call, expected: map.container(call.expected) };
  return call.expected === null ? call : { ...call, expected: map.lease(call.expected) };
}

export function mapAnswer(message: Message, map: (version: bigint) => bigint): Message {
  const { version, record } = message as { readonly version?: bigint; readonly record?: unknown };
  return {
    ...message,
    ...(version === undefined ? {} : { version: map(version) }),
    ...(versioned(record) ? { record: { ...record, version: map(record.version) } } : {}),
  };
}

export function negativesOf(message: Message): bigint[] {
  const negatives: bigint[] = [];
  mapAnswer(message, (version) => {
    if (version < 0n) negatives.push(version);
    return version;
  });
  return negatives;
}
