import type { LeaseRecord } from '../../../src/ports/lease-store.ts';
import { type Broken, force, gap, onLease, recordOf, showing } from './broken.ts';

export const leaseWritingFaults: readonly Broken[] = [
  onLease('nobody has a lease in a new store', 'shows a lease that nobody took', () => (real) => ({
    read: async (call) => {
      const reading = await real.read(call);
      if (reading.outcome !== 'absent') return reading;
      const nobody = { holder: '', sessionId: '', stepDownFor: '', acquiredAt: '', renewedAt: '' };
      return { outcome: 'found', record: { ...nobody, version: 0n, fencingToken: 0n, durationMs: 0 } };
    },
  })),
  onLease(
    'everybody reads an acquisition as it was answered',
    'says times in milliseconds',
    () => (real) => showing(real, (record) => ({ ...record, acquiredAt: '1733000000000', renewedAt: '1733000000000' })),
  ),
  onLease('everybody reads an acquisition as it was answered', 'keeps the lease of each handle to itself', () => {
    const own: { record: LeaseRecord | null } = { record: null };
    return (real) => ({
      read: async (call) => {
        if (own.record === null) return real.read(call);
        return { outcome: 'found', record: { ...own.record, holder: 'somebody' } };
      },
      write: async (write, call) => {
        const result = await real.write(write, call);
        if (result.outcome === 'committed') own.record = result.record;
        return result;
      },
    });
  }),
  onLease(
    'names of holders come back as they were written',
    'cuts the holder off at 63 characters',
    () => (real) => showing(real, (record) => ({ ...record, holder: record.holder.slice(0, 63) })),
  ),
  onLease('every write moves the version up', 'renews without moving the version', () => (real) => ({
    write: async (write, call) => {
      if (write.kind !== 'renew') return real.write(write, call);
      const record = await recordOf(real);
      return record === null ? { outcome: 'conflict', record } : { outcome: 'committed', record };
    },
  })),
  onLease(
    'a renewal changes the promised duration and nothing of the session',
    'cuts the duration down to whole seconds',
    () => (real) => ({
      write: (write, call) =>
        real.write(
          'durationMs' in write ? { ...write, durationMs: Math.floor(write.durationMs / 1_000) * 1_000 } : write,
          call,
        ),
    }),
  ),
  onLease('only an acquisition changes the token', 'counts the token with every renewal', () => (real) => ({
    write: async (write, call) => {
      const found = await recordOf(real);
      if (write.kind !== 'renew' || found === null) return real.write(write, call);
      const { holder, sessionId } = found;
      return real.write({ ...write, kind: 'acquire', holder, sessionId }, call);
    },
  })),
  onLease(
    'a release keeps the token and clears the rest',
    'forgets the token of a released lease',
    () => (real) => showing(real, (record) => (record.holder === '' ? { ...record, fencingToken: 0n } : record)),
  ),
  onLease(
    'a release keeps the token and clears the rest',
    'keeps the session of a released lease',
    () => (real) => showing(real, (record) => (record.holder === '' ? { ...record, sessionId: 's-1' } : record)),
  ),
  onLease('tokens grow from session to session, released or not', 'counts anew after a release', () => {
    let from = 0n;
    return (real) =>
      showing(real, (record) => {
        if (record.holder === '') from = record.fencingToken;
        return { ...record, fencingToken: record.fencingToken - from };
      });
  }),
  onLease(
    'an acquisition takes over a lease that is held',
    'judges that a held lease cannot be taken',
    () => (real) => ({
      write: async (write, call) => {
        const record = await recordOf(real);
        const isHeld = write.kind === 'acquire' && record !== null && record.holder !== '';
        return isHeld ? { outcome: 'conflict', record } : real.write(write, call);
      },
    }),
  ),
  onLease(
    'a step-down request lasts until the session ends',
    'drops the request with the next renewal',
    () => (real) => ({
      write: async (write, call) => {
        const result = await real.write(write, call);
        if (write.kind !== 'renew' || result.outcome !== 'committed') return result;
        return { ...result, record: { ...result.record, stepDownFor: '' } };
      },
    }),
  ),
  onLease(
    'only the session that holds the lease can be asked to step down',
    'asks whoever holds the lease, not who was named',
    () => (real) => ({
      write: async (write, call) => {
        const found = await recordOf(real);
        const sessionId = found?.sessionId ?? '';
        return real.write(write.kind === 'request-step-down' ? { ...write, sessionId } : write, call);
      },
    }),
  ),
  onLease('a lease that nobody holds can only be acquired', 'renews a lease that was released', () => (real) => ({
    write: async (write, call) => {
      const found = await recordOf(real);
      const isFree = write.kind === 'renew' && found?.holder === '' && found.version === write.expectedVersion;
      return isFree
        ? { outcome: 'committed', record: { ...found, version: found.version + 1n } }
        : real.write(write, call);
    },
  })),
  onLease(
    'a release or request of an older version conflicts with the record that is there',
    'leaves the record out of a conflict',
    () => (real) => ({
      write: async (write, call) => {
        const result = await real.write(write, call);
        return result.outcome === 'conflict' ? { outcome: 'conflict', record: null } : result;
      },
    }),
  ),
];

export const leaseLockingFaults: readonly Broken[] = [
  onLease('one of many acquisitions at once is committed', 'looks first and writes later', () => (real) => ({
    write: async (write, call) => {
      const record = await recordOf(real);
      if ((record?.version ?? null) !== write.expectedVersion) return { outcome: 'conflict', record };
      await gap();
      return force(real, write, call);
    },
  })),
  onLease('one of many takeovers at once is committed', 'looks first and takes over later', () => (real) => ({
    write: async (write, call) => {
      const record = await recordOf(real);
      if (write.expectedVersion === null || record === null) return real.write(write, call);
      if (record.version !== write.expectedVersion) return { outcome: 'conflict', record };
      await gap();
      return force(real, write, call);
    },
  })),
  onLease('a late acquisition conflicts with the record that is there', 'acquires any version', () => (real) => ({
    write: async (write, call) => {
      if (write.kind !== 'acquire') return real.write(write, call);
      return real.write({ ...write, expectedVersion: (await recordOf(real))?.version ?? null }, call);
    },
  })),
  onLease(
    'a renewal after a takeover conflicts with the record of the new holder',
    'renews any version',
    () => (real) => ({
      write: async (write, call) => {
        const found = await recordOf(real);
        if (write.kind !== 'renew' || found === null) return real.write(write, call);
        return real.write({ ...write, expectedVersion: found.version }, call);
      },
    }),
  ),
  onLease('anybody may ask the holder to step down', 'takes requests from the holder only', () => (real) => {
    let acquired = false;
    return {
      write: async (write, call) => {
        if (write.kind === 'acquire') acquired = true;
        const isForeign = write.kind === 'request-step-down' && !acquired;
        return isForeign ? { outcome: 'refused', detail: 'not yours' } : real.write(write, call);
      },
    };
  }),
  onLease('a lease that was deleted by hand is gone for its holder', 'creates a deleted lease again', () => (real) => ({
    write: async (write, call) => {
      if (write.kind !== 'renew' || (await recordOf(real)) !== null) return real.write(write, call);
      const { durationMs } = write;
      return real.write({ kind: 'acquire', expectedVersion: null, holder: 'h', sessionId: 's-1', durationMs }, call);
    },
  })),
];

export const leaseWatchingFaults: readonly Broken[] = [
  onLease('a watch first reports that there is no lease', 'keeps silent until there is a lease', () => (real) => ({
    watch: (listener) => real.watch((record) => record !== null && listener(record)),
  })),
  onLease('a watch first reports that there is no lease', 'reports inside of the call', () => (real) => ({
    watch: (listener) => {
      listener(null);
      return real.watch(listener);
    },
  })),
  onLease('a watch first reports the lease that is there', 'reports only what comes later', () => (real) => ({
    watch: (listener) => {
      let isFirst = true;
      return real.watch((record) => {
        if (!isFirst) listener(record);
        isFirst = false;
      });
    },
  })),
  onLease('a watch reports what is written through its own handle', 'leaves its own writes out', () => (real) => {
    const own = new Set<bigint>();
    return {
      write: async (write, call) => {
        own.add((write.expectedVersion ?? 0n) + 1n);
        return real.write(write, call);
      },
      watch: (listener) => real.watch((record) => void (own.has(record?.version ?? 0n) || listener(record))),
    };
  }),
  onLease('a watch reports what is written through another handle', 'hears only its own handle', () => (real) => {
    const listeners = new Set<(record: LeaseRecord | null) => void>();
    return {
      write: async (write, call) => {
        const result = await real.write(write, call);
        if (result.outcome === 'committed') for (const listener of listeners) listener(result.record);
        return result;
      },
      watch: (listener) => {
        let isOn = true;
        void recordOf(real).then((record) => isOn && listener(record));
        const own = (record: LeaseRecord | null): void => listener(record);
        listeners.add(own);
        return () => {
          isOn = false;
          listeners.delete(own);
        };
      },
    };
  }),
  onLease(
    'watches never go back, and end at the newest record',
    'repeats the record before the newest',
    () => (real) => ({
      watch: (listener) => {
        let before: LeaseRecord | null = null;
        return real.watch((record) => {
          listener(record);
          if (before !== null) listener(before);
          listener(record);
          before = record;
        });
      },
    }),
  ),
  onLease('watches never go back, and end at the newest record', 'loses every tenth record', () => (real) => ({
    watch: (listener) => real.watch((record) => void ((record?.version ?? 0n) % 10n === 1n || listener(record))),
  })),
  onLease('a watch of the lease that was stopped is silent', 'cannot be stopped', () => (real) => ({
    watch: (listener) => {
      real.watch(listener);
      return () => {};
    },
  })),
  onLease('a listener may stop its own watch of the lease and others', 'stops a turn too late', () => (real) => ({
    watch: (listener) => {
      const stop = real.watch(listener);
      return () => void gap().then(stop);
    },
  })),
];
