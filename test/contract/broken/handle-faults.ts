import { MemoryBoard, memory } from '../../../src/drivers/memory/index.ts';
import type { BackendContext, OpenBackend } from '../../../src/ports/backend.ts';
import { type Broken, gap, onHandle, showing } from './broken.ts';

/** Another handle on the same board. Memory opens at once, but not synchronously. */
const openLater = async (board: MemoryBoard, context: BackendContext): Promise<OpenBackend> =>
  memory({ board }).open(context);

const never = <T>(): Promise<T> => new Promise<T>(() => {});

export const handleFaults: readonly Broken[] = [
  onHandle('a handle says where the election lives and what protects it', 'claims less than it has', () => () => ({
    protection: 'none',
  })),
  onHandle('a handle says where the election lives and what protects it', 'does not say where', () => () => ({
    place: '',
  })),
  onHandle('close settles, also twice and at once', 'hangs while it closes', () => () => ({ close: () => never() })),
  onHandle('close settles, also twice and at once', 'cannot be closed twice', () => (real) => {
    let isClosed = false;
    return {
      close: async () => {
        if (isClosed) throw new Error('closed already');
        isClosed = true;
        await real.close();
      },
    };
  }),
  onHandle('a closed handle answers', 'goes on working after its close', () => () => ({ close: async () => {} })),
  onHandle('a closed handle answers', 'never answers after its close', () => (real) => {
    let isClosed = false;
    return {
      register: { ...real.register, read: (options) => (isClosed ? never() : real.register.read(options)) },
      close: async () => {
        isClosed = true;
        await real.close();
      },
    };
  }),
  onHandle(
    'a closed handle is told nothing any more',
    'goes on watching after its close',
    (board) => (real, context) => {
      // A handle that nobody closes.
      const open = openLater(board, context);
      const watching = (watch: (opened: OpenBackend) => () => void): (() => void) => {
        let isOn = true;
        let stop = (): void => {};
        void open.then((opened) => {
          if (isOn) stop = watch(opened);
        });
        return () => {
          isOn = false;
          stop();
        };
      };
      return {
        lease: { ...real.lease, watch: (listener) => watching(({ lease }) => lease.watch(listener)) },
        register: { ...real.register, watch: (listener) => watching(({ register }) => register.watch(listener)) },
      };
    },
  ),
  onHandle('calls that are under way at a close are answered', 'drops what is under way', () => (real) => {
    let isClosed = false;
    const { read, write, watch } = real.lease;
    return {
      lease: {
        read,
        watch,
        write: async (asked, call) => {
          const wasClosed = isClosed;
          await gap();
          return isClosed && !wasClosed ? never() : write(asked, call);
        },
      },
      close: async () => {
        isClosed = true;
        await real.close();
      },
    };
  }),
  onHandle('calls that are under way at a close are answered', 'says refused to what it has done', () => (real) => {
    let isClosed = false;
    const { read, write, watch } = real.register;
    return {
      register: {
        read,
        watch,
        write: async (asked, call) => {
          const result = await write(asked, call);
          return isClosed ? { outcome: 'refused', reason: 'unavailable', detail: 'closed' } : result;
        },
      },
      close: async () => {
        isClosed = true;
        await real.close();
      },
    };
  }),
  onHandle('closing one handle leaves the others as they are', 'closes the store for everybody', () => {
    const all: OpenBackend[] = [];
    return (real) => {
      all.push(real);
      return {
        close: async () => {
          for (const one of all) await one.close();
        },
      };
    };
  }),
  onHandle('the locks of two elections are independent', 'has one lock for all elections', (board) => () => ({
    lease: board.election('all', () => '2026-01-01T00:00:00.000Z').lease,
  })),
  onHandle('the registers of two elections are independent', 'has one register for all elections', (board) => () => ({
    register: board.election('all', () => '2026-01-01T00:00:00.000Z').register,
  })),
  onHandle(
    'names of elections are told apart, up to 200 characters',
    'cuts the name off at 63 characters',
    (board) =>
      (_real, { election, clock }) =>
        board.election(election.slice(0, 63), () => clock.isoNow()),
  ),
  onHandle(
    'names of elections are told apart, up to 200 characters',
    'takes a dot for a dash',
    (board) =>
      (_real, { election, clock }) =>
        board.election(election.replaceAll('.', '-'), () => clock.isoNow()),
  ),
  onHandle('lease and register outlive their handles', 'forgets everything with its last handle', () => {
    let board = new MemoryBoard();
    let handles = 0;
    return (_real, { election, clock }) => {
      handles += 1;
      const { lease, register } = board.election(election, () => clock.isoNow());
      return {
        lease,
        register,
        close: async () => {
          handles -= 1;
          if (handles === 0) board = new MemoryBoard();
        },
      };
    };
  }),
  onHandle('tokens and versions go on growing after a reopening', 'counts tokens in the memory of the process', () => {
    let from = 0n;
    let newest = 0n;
    return (real) => ({
      lease: showing(real.lease, (record) => {
        newest = record.fencingToken;
        return { ...record, fencingToken: record.fencingToken - from };
      }),
      close: async () => {
        from = newest;
        await real.close();
      },
    });
  }),
];
