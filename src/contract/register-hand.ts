import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';
import type {
  Container,
  ContainerReading,
  ContainerState,
  ContainerWrite,
  ContainerWriteResult,
} from '../ports/container.ts';
import type { Bound } from './bound.ts';
import { fails } from './expect.ts';
import { answer, CALL } from './lease-hand.ts';
import { Watching } from './watching.ts';

export const FIRST: Fence = { fencingToken: 1n, sessionId: 's-1' };
export const SECOND: Fence = { fencingToken: 2n, sessionId: 's-2' };

export interface Asked {
  readonly since?: bigint;
  readonly keys?: readonly string[];
}

/** The calls of a `Container` as laws make them. Those that are named for a write fail unless it is committed. */
export interface RegisterHand {
  read(asked?: Asked, timeoutMs?: number): Promise<ContainerReading>;
  /** What a reading finds. */
  state(asked?: Asked): Promise<ContainerState>;
  /** A write of the session `FIRST` at version 0 that changes nothing, but for what is given. */
  write(change: Partial<ContainerWrite>, timeoutMs?: number): Promise<ContainerWriteResult>;
  commit(change: Partial<ContainerWrite>): Promise<bigint>;
  /** An entry of `fence` at each key; answers the new version. */
  put(expectedVersion: bigint, keys: readonly string[], fence?: Fence, address?: string): Promise<bigint>;
  withdraw(expectedVersion: bigint, keys: readonly string[], fence?: Fence): Promise<bigint>;
  watch(onItem?: (state: ContainerState) => void): Watching<ContainerState>;
}

export function information(fence: Fence, address = 'http://127.0.0.1:1'): LeaderInformation {
  return { ...fence, address, metadata: { zone: 'a' } };
}

export function entries(keys: readonly string[], fence: Fence, address?: string): Map<string, LeaderInformation> {
  return new Map(keys.map((key) => [key, information(fence, address)]));
}

export function registerHand(register: Container, bound: Bound): RegisterHand {
  const read = (asked: Asked = {}, timeoutMs = CALL.timeoutMs): Promise<ContainerReading> =>
    bound.within(
      'the answer to register read',
      answer(() => register.read({ ...asked, timeoutMs })),
    );
  const write = (change: Partial<ContainerWrite>, timeoutMs = CALL.timeoutMs): Promise<ContainerWriteResult> => {
    const whole = { expectedVersion: 0n, fence: FIRST, puts: new Map(), withdrawals: new Map(), ...change };
    return bound.within(
      'the answer to register write',
      answer(() => register.write(whole, { timeoutMs })),
    );
  };
  const commit = async (change: Partial<ContainerWrite>): Promise<bigint> => {
    const result = await write(change);
    if (result.outcome === 'committed') return result.version;
    return fails('the answer to a write of the newest version by a session that may write', 'committed', result);
  };
  return {
    read,
    write,
    commit,
    async state(asked) {
      const reading = await read(asked);
      if (reading.outcome === 'found') return reading.state;
      return fails('reading the register', 'a state', reading);
    },
    put: (expectedVersion, keys, fence = FIRST, address) =>
      commit({ expectedVersion, fence, puts: entries(keys, fence, address) }),
    withdraw: (expectedVersion, keys, fence = FIRST) =>
      commit({ expectedVersion, fence, withdrawals: new Map(keys.map((key) => [key, fence.sessionId])) }),
    watch: (onItem) =>
      new Watching((listener: (state: ContainerState) => void) => register.watch(listener), bound, onItem),
  };
}

/** A follower's copy, made of what a register reports. */
export class Mirror {
  version = 0n;
  entries = new Map<string, LeaderInformation>();

  apply(reported: ContainerState): void {
    if (reported.full) this.entries = new Map();
    for (const [key, entry] of reported.changed) {
      if (entry === null) this.entries.delete(key);
      else this.entries.set(key, entry);
    }
    this.version = reported.version;
  }
}
