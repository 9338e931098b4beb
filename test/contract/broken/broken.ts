import type { Capabilities } from '../../../src/contract/capabilities.ts';
import type { StoreUnderTest } from '../../../src/contract/store.ts';
import { MemoryBoard, memory } from '../../../src/drivers/memory/index.ts';
import type { BackendContext, OpenBackend } from '../../../src/ports/backend.ts';
import type { Container, ContainerState } from '../../../src/ports/container.ts';
import type {
  CallOptions,
  LeaseRecord,
  LeaseStore,
  LeaseWrite,
  LeaseWriteResult,
} from '../../../src/ports/lease-store.ts';

/** A backend with one fault, and the law that has to find it. */
export interface Broken {
  readonly fault: string;
  readonly caughtBy: string;
  readonly emptyStore: () => StoreUnderTest;
  readonly capabilities: Capabilities;
}

/** The memory backend behind a fault. Called once for each store; what it answers is called for each open handle. */
export type Sabotage<T> = (board: MemoryBoard) => (real: T, context: BackendContext) => Partial<T>;

export const CALL = { timeoutMs: 1_000 };

export const ALL: Capabilities = {
  protection: 'lease',
  survivesReopen: true,
  differences: true,
  removeLease: true,
  interrupt: true,
  foreign: true,
  sizeLimit: true,
  failingOpen: true,
};

export function onHandle(caughtBy: string, fault: string, sabotage: Sabotage<OpenBackend>): Broken {
  const emptyStore = (): StoreUnderTest => {
    const board = new MemoryBoard();
    const inner = memory({ board });
    const change = sabotage(board);
    return {
      backend: {
        name: 'broken',
        async open(context) {
          const real = await inner.open(context);
          const { place, protection, lease, register } = real;
          return { place, protection, lease, register, close: () => real.close(), ...change(real, context) };
        },
      },
      removeLease: (election) => board.election(election, () => '').lease.remove(),
    };
  };
  return { fault, caughtBy, emptyStore, capabilities: ALL };
}

export function onLease(caughtBy: string, fault: string, sabotage: Sabotage<LeaseStore>): Broken {
  return onHandle(caughtBy, fault, (board) => {
    const change = sabotage(board);
    return ({ lease }, context) => {
      const { read, write, watch } = lease;
      return { lease: { read, write, watch, ...change(lease, context) } };
    };
  });
}

export function onRegister(caughtBy: string, fault: string, sabotage: Sabotage<Container>): Broken {
  return onHandle(caughtBy, fault, (board) => {
    const change = sabotage(board);
    return ({ register }, context) => {
      const { read, write, watch } = register;
      return { register: { read, write, watch, ...change(register, context) } };
    };
  });
}

export async function recordOf(lease: LeaseStore): Promise<LeaseRecord | null> {
  const reading = await lease.read(CALL);
  return reading.outcome === 'found' ? reading.record : null;
}

/** Writes whatever the version is. */
export async function force(lease: LeaseStore, write: LeaseWrite, call: CallOptions): Promise<LeaseWriteResult> {
  for (;;) {
    const expectedVersion = (await recordOf(lease))?.version ?? null;
    const result = await lease.write({ ...write, expectedVersion } as LeaseWrite, call);
    if (result.outcome !== 'conflict') return result;
  }
}

export async function stateOf(register: Container): Promise<ContainerState> {
  const reading = await register.read(CALL);
  if (reading.outcome === 'found') return reading.state;
  throw new Error(reading.detail);
}

/** Every record that the lease shows, in answers, readings and watches, goes through `show`. */
export function showing(real: LeaseStore, show: (record: LeaseRecord) => LeaseRecord): LeaseStore {
  const shown = <T extends { readonly outcome: string }>(answer: T): T =>
    'record' in answer && answer.record !== null ? { ...answer, record: show(answer.record as LeaseRecord) } : answer;
  return {
    read: async (call) => shown(await real.read(call)),
    write: async (write, call) => shown(await real.write(write, call)),
    watch: (listener) => real.watch((record) => listener(record === null ? null : show(record))),
  };
}

/** Every state that the register shows goes through `show`. */
export function showingStates(
  real: Container,
  show: (state: ContainerState) => ContainerState,
): Pick<Container, 'read' | 'watch'> {
  return {
    read: async (options) => {
      const reading = await real.read(options);
      return reading.outcome === 'found' ? { outcome: 'found', state: show(reading.state) } : reading;
    },
    watch: (listener) => real.watch((state) => listener(show(state))),
  };
}

/** A turn of its own for whatever else wants to run. */
export async function gap(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await undefined;
}
