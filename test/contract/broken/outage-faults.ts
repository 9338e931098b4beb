import type { StoreUnderTest } from '../../../src/contract/store.ts';
import { MemoryBoard, memory } from '../../../src/drivers/memory/index.ts';
import type { BackendContext, OpenBackend } from '../../../src/ports/backend.ts';
import type { Container, ContainerWriteResult } from '../../../src/ports/container.ts';
import type { LeaseWriteResult } from '../../../src/ports/lease-store.ts';
import { ALL, type Broken, CALL, stateOf } from './broken.ts';

interface Outage {
  readonly isOn: boolean;
  /** Runs once the way is free again. */
  afterwards(run: () => Promise<unknown>): void;
}

type UnderOutage = (real: OpenBackend, outage: Outage, context: BackendContext) => Partial<OpenBackend>;

const DETAIL = 'out of reach';
const never = <T>(): Promise<T> => new Promise<T>(() => {});

function inOutage(caughtBy: string, fault: string, change: UnderOutage): Broken {
  const emptyStore = (): StoreUnderTest => {
    const inner = memory({ board: new MemoryBoard() });
    const waiting: (() => Promise<unknown>)[] = [];
    const outage = { isOn: false, afterwards: (run: () => Promise<unknown>) => void waiting.push(run) };
    return {
      backend: {
        name: 'broken',
        async open(context) {
          const real = await inner.open(context);
          const { place, protection, lease, register } = real;
          const changed = change(real, outage, context);
          return { place, protection, lease, register, close: () => real.close(), ...changed };
        },
      },
      interrupt() {
        outage.isOn = true;
        return async () => {
          outage.isOn = false;
          for (const run of waiting.splice(0)) await run();
        };
      },
    };
  };
  return { fault, caughtBy, emptyStore, capabilities: ALL };
}

/** Register writes in an outage are answered by `meanwhile`. */
function writesAnswered(register: Container, outage: Outage, meanwhile: Container['write']): Container {
  return {
    read: (options) => register.read(options),
    watch: (listener) => register.watch(listener),
    write: (write, call) => (outage.isOn ? meanwhile(write, call) : register.write(write, call)),
  };
}

const REFUSED: LeaseWriteResult & ContainerWriteResult = { outcome: 'refused', reason: 'unavailable', detail: DETAIL };
const UNKNOWN: LeaseWriteResult & ContainerWriteResult = { outcome: 'unknown', detail: DETAIL };

export const outageFaults: readonly Broken[] = [
  inOutage('calls that get no further are answered when their time is up', 'waits without end', (real, outage) => ({
    lease: { ...real.lease, write: (write, call) => (outage.isOn ? never() : real.lease.write(write, call)) },
  })),
  inOutage('calls that get no further are answered when their time is up', 'says done at once', (real, outage) => ({
    register: writesAnswered(real.register, outage, async (write) => ({
      outcome: 'committed',
      version: write.expectedVersion + 1n,
    })),
    lease: { ...real.lease, write: async (write, call) => (outage.isOn ? REFUSED : real.lease.write(write, call)) },
  })),
  inOutage('a refused write has not been done and never will be', 'says refused and writes later', (real, outage) => ({
    lease: {
      ...real.lease,
      write: async (write, call) => {
        if (!outage.isOn) return real.lease.write(write, call);
        outage.afterwards(() => real.lease.write(write, call));
        return REFUSED;
      },
    },
    register: writesAnswered(real.register, outage, async () => REFUSED),
  })),
  inOutage(
    'a refused write has not been done and never will be',
    'says refused to what it has done',
    (real, outage) => ({
      lease: { ...real.lease, write: async (write, call) => (outage.isOn ? REFUSED : real.lease.write(write, call)) },
      register: writesAnswered(real.register, outage, async (write, call) => {
        await real.register.write(write, call);
        return REFUSED;
      }),
    }),
  ),
  inOutage(
    'a write in doubt is decided by a newer version',
    'writes what was late over what is newer',
    (real, outage) => {
      let late: (() => Promise<unknown>) | null = null;
      return {
        register: {
          watch: (listener) => real.register.watch(listener),
          read: async (options) => {
            const reading = await real.register.read(options);
            return reading;
          },
          write: async (write, call) => {
            if (!outage.isOn) return real.register.write(write, call);
            late = async () => {
              const { version } = await stateOf(real.register);
              await real.register.write({ ...write, expectedVersion: version }, CALL);
            };
            const run = late;
            const stop = real.register.watch(({ version }) => {
              if (version <= write.expectedVersion + 1n) return;
              stop();
              void run();
            });
            return UNKNOWN;
          },
        },
      };
    },
  ),
  inOutage('after an outage watches go on by themselves', 'loses its watches in an outage', (real, outage) => {
    const stops = new Set<() => void>();
    return {
      register: {
        ...writesAnswered(real.register, outage, async () => {
          for (const stop of stops) stop();
          return UNKNOWN;
        }),
        watch: (listener) => {
          const stop = real.register.watch(listener);
          stops.add(stop);
          return stop;
        },
      },
    };
  }),
];

const tooLong = (write: Parameters<Container['write']>[0]): boolean =>
  [...write.puts.values()].some(({ address }) => address.length >= 100);

export const limitFaults: readonly Broken[] = [
  limited('refuses what is too large as if it were out of reach', (real) => ({
    ...real,
    write: async (write, call) => (tooLong(write) ? (REFUSED as ContainerWriteResult) : real.write(write, call)),
  })),
  limited('writes what fits and leaves out the rest', (real) => ({
    ...real,
    write: async (write, call) => {
      if (!tooLong(write)) return real.write(write, call);
      await real.write({ ...write, puts: new Map() }, call);
      return { outcome: 'refused', reason: 'too-large', detail: 'too large' };
    },
  })),
];

function limited(fault: string, change: (real: Container) => Container): Broken {
  const emptyStore = (): StoreUnderTest => {
    const inner = memory({ board: new MemoryBoard() });
    return {
      tooLargeCharacters: 100,
      backend: {
        name: 'broken',
        async open(context) {
          const real = await inner.open(context);
          const { place, protection, lease, register } = real;
          const { read, write, watch } = register;
          return { place, protection, lease, register: change({ read, write, watch }), close: () => real.close() };
        },
      },
    };
  };
  return {
    fault,
    caughtBy: 'what is too large is refused as that, and changes nothing',
    emptyStore,
    capabilities: ALL,
  };
}

/** How an open fails. */
export const openFaults: readonly Broken[] = [
  ['fails to open without a code', () => Promise.reject(new Error('EISDIR'))] as const,
  [
    'opens what it cannot use',
    (context: BackendContext) => memory({ board: new MemoryBoard() }).open(context),
  ] as const,
].map(([fault, open]) => ({
  fault,
  caughtBy: 'an open that fails says why, by a code',
  capabilities: ALL,
  emptyStore: () => ({ backend: memory({ board: new MemoryBoard() }), unusable: { name: 'broken', open } }),
}));

/** A document that it shares with others, and replaces as a whole. */
export const foreignFaults: readonly Broken[] = [
  {
    fault: 'replaces the whole document',
    caughtBy: 'what others keep in the same place is left alone',
    capabilities: ALL,
    emptyStore() {
      let document: Record<string, unknown> = {};
      const inner = memory({ board: new MemoryBoard() });
      return {
        foreign: { put: () => void Object.assign(document, { port: 8080 }), look: () => document },
        backend: {
          name: 'broken',
          async open(context) {
            const real = await inner.open(context);
            const { place, protection, lease } = real;
            const register: Container = {
              read: (options) => real.register.read(options),
              watch: (listener) => real.register.watch(listener),
              write: (write, call) => {
                document = {};
                return real.register.write(write, call);
              },
            };
            return { place, protection, lease, register, close: () => real.close() };
          },
        },
      };
    },
  },
];
