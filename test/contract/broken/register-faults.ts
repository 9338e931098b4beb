import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import type { Container, ContainerWrite } from '../../../src/ports/container.ts';
import { type Broken, gap, onRegister, showingStates, stateOf } from './broken.ts';

type Changed = ReadonlyMap<string, LeaderInformation | null>;

/** Writes go through `change`, which may look at what is stored. */
const writing =
  (change: (write: ContainerWrite, stored: Awaited<ReturnType<typeof stateOf>>) => ContainerWrite) =>
  () =>
  (real: Container): Partial<Container> => ({
    write: async (write, call) => real.write(change(write, await stateOf(real)), call),
  });

const changedTo = (
  changed: Changed,
  change: (entries: [string, LeaderInformation | null][]) => typeof entries,
): Changed => new Map(change([...changed]));

export const registerWritingFaults: readonly Broken[] = [
  onRegister(
    'a new register is empty, at version 0 and without a fence',
    'begins with a fence',
    () => (real) =>
      showingStates(real, (state) => ({ ...state, fence: state.fence ?? { fencingToken: 0n, sessionId: '' } })),
  ),
  onRegister(
    'everybody reads entries as they were written, whatever characters they hold',
    'keeps texts as UTF-8',
    () => (real) =>
      showingStates(real, (state) => ({
        ...state,
        changed: changedTo(state.changed, (all) =>
          all.map(([key, entry]) => [key, entry && { ...entry, address: Buffer.from(entry.address).toString() }]),
        ),
      })),
  ),
  onRegister(
    'every name of a component is a key of its own',
    'keeps entries in a plain object',
    writing((write) => {
      const object: Record<string, LeaderInformation> = {};
      for (const [key, entry] of write.puts) object[key] = entry;
      return { ...write, puts: new Map(Object.entries(object)) };
    }),
  ),
  onRegister(
    'every name of a component is a key of its own',
    'takes one spelling of a letter for the other',
    writing((write) => ({
      ...write,
      puts: new Map([...write.puts].map(([key, entry]) => [key.normalize('NFC'), entry])),
    })),
  ),
  onRegister(
    'a put replaces its own key and leaves the others',
    'replaces the whole map',
    writing((write, { changed }) => {
      const others = [...changed].filter(([key]) => write.puts.size > 0 && !write.puts.has(key));
      return { ...write, withdrawals: new Map(others.map(([key, entry]) => [key, entry?.sessionId ?? ''])) };
    }),
  ),
  onRegister(
    'a write of another version conflicts, says what is there, and changes nothing',
    'takes older versions',
    writing((write, { version }) => ({
      ...write,
      expectedVersion: write.expectedVersion === version + 7n ? write.expectedVersion : version,
    })),
  ),
  onRegister('one of many writes of one version is committed', 'looks first and writes later', () => (real) => ({
    write: async (write, call) => {
      const { version, fence } = await stateOf(real);
      if (version !== write.expectedVersion) return { outcome: 'conflict', version, fence };
      await gap();
      for (;;) {
        const result = await real.write({ ...write, expectedVersion: (await stateOf(real)).version }, call);
        if (result.outcome !== 'conflict') return result;
      }
    },
  })),
  onRegister(
    'every committed write moves the version up, one that changes nothing too',
    'takes a touch for nothing',
    () => (real) => ({
      write: async (write, call) => {
        const { version } = await stateOf(real);
        const isTouch = write.puts.size === 0 && write.withdrawals.size === 0 && version > 0n;
        return isTouch ? { outcome: 'committed', version } : real.write(write, call);
      },
    }),
  ),
  onRegister(
    'a touch makes a write that is still on its way impossible',
    'compares the versions of the keys only',
    () => (real) => ({
      write: async (write, call) => {
        const { version } = await stateOf(real);
        const since = await real.read({ ...call, since: write.expectedVersion });
        const isFree = since.outcome === 'found' && ![...write.puts.keys()].some((key) => since.state.changed.has(key));
        return real.write({ ...write, expectedVersion: isFree ? version : write.expectedVersion }, call);
      },
    }),
  ),
  onRegister(
    'only an entry of the named session is withdrawn',
    'withdraws without comparing the session',
    writing((write, { changed }) => ({
      ...write,
      withdrawals: new Map([...write.withdrawals.keys()].map((key) => [key, changed.get(key)?.sessionId ?? ''])),
    })),
  ),
  onRegister('a withdrawn entry is gone, and can be put again', 'never forgets what was withdrawn', () => {
    const gone = new Set<string>();
    return (real) => ({
      write: (write, call) => {
        for (const key of write.withdrawals.keys()) gone.add(key);
        return real.write({ ...write, puts: new Map([...write.puts].filter(([key]) => !gone.has(key))) }, call);
      },
    });
  }),
  onRegister(
    'withdrawals of a write come before its puts',
    'withdraws after it has put',
    writing((write) => ({ ...write, puts: new Map([...write.puts].filter(([key]) => !write.withdrawals.has(key))) })),
  ),
  onRegister('a write is seen whole or not at all', 'writes key by key', () => (real) => ({
    write: async (write, call) => {
      let result = await real.write({ ...write, puts: new Map() }, call);
      for (const put of write.puts) {
        if (result.outcome !== 'committed') return result;
        const { fence } = write;
        const one = { fence, puts: new Map([put]), withdrawals: new Map(), expectedVersion: result.version };
        result = await real.write(one, call);
      }
      return result;
    },
  })),
];

export const registerFenceFaults: readonly Broken[] = [
  onRegister('a write of a newer session raises the fence', 'keeps the first fence', () => (real) => {
    let first: Awaited<ReturnType<typeof stateOf>>['fence'] = null;
    return showingStates(real, (state) => {
      first ??= { fencingToken: 1n, sessionId: 's-1' };
      return { ...state, fence: state.fence && first };
    });
  }),
  onRegister(
    'an older token is refused, and changes nothing',
    'does not check the fence',
    writing((write, { fence }) => ({
      ...write,
      fence: fence !== null && fence.fencingToken > write.fence.fencingToken ? fence : write.fence,
    })),
  ),
  onRegister(
    'the same token of another session is refused',
    'compares tokens only',
    writing((write, { fence }) => ({
      ...write,
      fence: fence !== null && fence.fencingToken === write.fence.fencingToken ? fence : write.fence,
    })),
  ),
  onRegister('a session is not fenced off by itself', 'wants a higher token for every write', () => (real) => ({
    write: async (write, call) => {
      const { fence, version } = await stateOf(real);
      const isHigher = fence === null || write.fence.fencingToken > fence.fencingToken || version === 0n;
      return isHigher ? real.write(write, call) : { outcome: 'refused', reason: 'fenced', detail: 'not higher' };
    },
  })),
  onRegister('fenced is said before conflict', 'looks at the version first', () => (real) => ({
    write: async (write, call) => {
      const { version, fence } = await stateOf(real);
      return write.expectedVersion === version ? real.write(write, call) : { outcome: 'conflict', version, fence };
    },
  })),
  onRegister(
    'a conflict does not raise the fence',
    'raises the fence before it looks at the version',
    () => (real) => ({
      write: async (write, call) => {
        const result = await real.write(write, call);
        if (result.outcome === 'conflict') {
          await real.write(
            { ...write, expectedVersion: result.version, puts: new Map(), withdrawals: new Map() },
            call,
          );
        }
        return result;
      },
    }),
  ),
  onRegister('a refusal that names a fence names the stored one', 'names the fence of the writer', () => (real) => ({
    write: async (write, call) => {
      const result = await real.write(write, call);
      const isFenced = result.outcome === 'refused' && result.reason === 'fenced';
      return isFenced ? { ...result, fence: write.fence } : result;
    },
  })),
  onRegister('a refusal that names a fence names the stored one', 'refuses without a word', () => (real) => ({
    write: async (write, call) => {
      const result = await real.write(write, call);
      return result.outcome === 'refused' ? { ...result, detail: '' } : result;
    },
  })),
  onRegister('the fence outlives the last entry', 'drops the fence with the last entry', () => (real) => ({
    ...showingStates(real, (state) => (state.full && state.changed.size === 0 ? { ...state, fence: null } : state)),
    write: async (write, call) => {
      const { changed, fence } = await stateOf(real);
      return real.write({ ...write, fence: (changed.size === 0 ? fence : null) ?? write.fence }, call);
    },
  })),
  onRegister(
    'tokens are compared as whole numbers, beyond 2^53 and by value',
    'compares tokens as doubles',
    writing((write, { fence }) => {
      const isSame = fence !== null && Number(fence.fencingToken) === Number(write.fence.fencingToken);
      return { ...write, fence: isSame && fence.sessionId === write.fence.sessionId ? fence : write.fence };
    }),
  ),
  onRegister(
    'tokens are compared as whole numbers, beyond 2^53 and by value',
    'compares tokens as texts',
    () => (real) => ({
      write: async (write, call) => {
        const { fence } = await stateOf(real);
        const isBelow = fence !== null && `${write.fence.fencingToken}` < `${fence.fencingToken}`;
        return isBelow ? { outcome: 'refused', reason: 'fenced', detail: 'below' } : real.write(write, call);
      },
    }),
  ),
];
