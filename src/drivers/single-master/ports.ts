import type { Clock } from '../../ports/clock.ts';
import type { Container, ContainerWriteResult } from '../../ports/container.ts';
import type { LeaseRecord, LeaseStore, LeaseWrite, LeaseWriteResult } from '../../ports/lease-store.ts';
import type { Published } from './document.ts';
import type { Publication } from './publication.ts';
import { applyWrite, stateOf } from './register.ts';

type LeaseChange = { readonly after: Published | null; readonly result: LeaseWriteResult };

const NOT_HERE =
  'Without a lock only the process that leads writes what it publishes. Ask that process, for instance with a signal.';

/** A record of who leads, without a lock: every acquisition and every renewal is committed. */
export function openLease(publication: Publication, clock: Clock): LeaseStore {
  let acquired = false;
  return {
    read: async () => {
      const answer = publication.read(({ lease }) => lease);
      if (!answer.done) return { outcome: 'failed', detail: answer.detail };
      return answer.value === null ? { outcome: 'absent' } : { outcome: 'found', record: answer.value };
    },
    write: async (write) => {
      // A command line that asks for a step-down is another process. Its read and write would enclose a write of the
      // leader, and take that back.
      if (write.kind === 'request-step-down' && !acquired) return { outcome: 'refused', detail: NOT_HERE };
      if (write.kind === 'acquire') acquired = true;
      const answer = publication.change((published) => changeLease(published, write, clock.isoNow()));
      if (answer.done) return answer.value;
      return { outcome: answer.certain ? 'refused' : 'unknown', detail: answer.detail };
    },
    watch: (listener) => {
      let last: bigint | null | undefined;
      return publication.subscribe(() => {
        const answer = publication.read(({ lease }) => lease);
        if (!answer.done) return false;
        const version = answer.value?.version ?? null;
        if (version === last) return true;
        last = version;
        listener(answer.value);
        return true;
      });
    },
  };
}

function changeLease(published: Published, write: LeaseWrite, now: string): LeaseChange {
  const found = published.lease;
  const committed = (record: LeaseRecord): LeaseChange => ({
    after: { ...published, lease: record },
    result: { outcome: 'committed', record },
  });
  const version = (found?.version ?? 0n) + 1n;
  if (write.kind === 'acquire') {
    const { holder, sessionId, durationMs } = write;
    const fencingToken = (found?.fencingToken ?? 0n) + 1n;
    const times = { acquiredAt: now, renewedAt: now };
    return committed({ version, holder, sessionId, fencingToken, durationMs, stepDownFor: '', ...times });
  }
  const conflict: LeaseChange = { after: null, result: { outcome: 'conflict', record: found } };
  if (found === null || found.holder === '') return conflict;
  if (write.kind === 'renew') return committed({ ...found, version, durationMs: write.durationMs, renewedAt: now });
  if (found.version !== write.expectedVersion) return conflict;
  if (write.kind === 'release') return committed({ ...found, version, holder: '', sessionId: '', stepDownFor: '' });
  if (write.sessionId !== found.sessionId) return conflict;
  return committed({ ...found, version, stepDownFor: write.sessionId });
}

/** The register is as strict as every other backend's: fence and compare-and-set hold. */
export function openRegister(publication: Publication): Container {
  return {
    read: async ({ since, keys }) => {
      const answer = publication.read(({ register }) => stateOf(register, since, keys));
      return answer.done ? { outcome: 'found', state: answer.value } : { outcome: 'failed', detail: answer.detail };
    },
    write: async (write) => {
      const answer = publication.change<ContainerWriteResult>((published) => {
        const { after, result } = applyWrite(published.register, write);
        return { after: after === null ? null : { ...published, register: after }, result };
      });
      if (answer.done) return answer.value;
      if (!answer.certain) return { outcome: 'unknown', detail: answer.detail };
      return { outcome: 'refused', reason: 'unavailable', detail: answer.detail };
    },
    watch: (listener) => {
      let since: bigint | undefined;
      return publication.subscribe(() => {
        const answer = publication.read(({ register }) => stateOf(register, since));
        if (!answer.done) return false;
        if (answer.value.version === since) return true;
        since = answer.value.version;
        listener(answer.value);
        return true;
      });
    },
  };
}
