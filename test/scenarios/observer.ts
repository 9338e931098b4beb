import type { ContainerWrite } from '../../src/ports/container.ts';
import type { StoreObserver } from '../../src/simulation/faulty-backend.ts';
import type { World } from './world.ts';

/** What a participant really did to the store, as observations for the invariants. */
export function observedBackend(world: World, participant: string): StoreObserver {
  const current = new Map<ContainerWrite, string>();
  const { observations } = world;
  return {
    leaseWritten(write, result) {
      if (write.kind !== 'acquire' || result.outcome !== 'committed') return;
      const { sessionId, fencingToken: token } = result.record;
      observations.push({ kind: 'lease.acquired', participant, sessionId, token });
    },
    containerWriteLeaves(write) {
      current.set(write, world.sessionOf(participant) ?? 'none');
    },
    containerWritten(write, { before, after }) {
      for (const [component, { sessionId }] of write.puts) {
        const currentSessionId = current.get(write) ?? 'none';
        observations.push({ kind: 'entry.written', participant, component, sessionId, currentSessionId });
      }
      for (const [component, entry] of before.changed) {
        if (entry === null || after.changed.has(component)) continue;
        const withdrawnBy = write.withdrawals.get(component) ?? null;
        observations.push({ kind: 'entry.deleted', component, sessionId: entry.sessionId, withdrawnBy });
      }
    },
  };
}
