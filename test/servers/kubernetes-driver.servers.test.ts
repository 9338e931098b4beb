import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findAccess } from '../../src/drivers/kubernetes/find-access.ts';
import { HttpsWire } from '../../src/drivers/kubernetes/https-wire.ts';
import { openElection } from '../../src/drivers/kubernetes/open.ts';
import { systemClock } from '../../src/drivers/system/clock.ts';
import { systemRandom } from '../../src/drivers/system/random.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import type { ContainerWrite } from '../../src/ports/container.ts';
import type { LeaseRecord } from '../../src/ports/lease-store.ts';
import { describeOnKubernetes } from './describe-kubernetes.ts';
import { CALL, ELECTION, Place } from './driver/place.ts';
import { namespace, rightsOf } from './driver/rights.ts';
import { faults } from './proxy/faults.ts';

const DURATION_MS = 15_000;
/** For calls that the proxy keeps for a while. */
const LONG = { timeoutMs: 15_000 };

function acquisition(expectedVersion: bigint | null, sessionId: string) {
  return {
    kind: 'acquire',
    expectedVersion,
    holder: `holder of ${sessionId}`,
    sessionId,
    durationMs: DURATION_MS,
  } as const;
}

function renewal(expectedVersion: bigint) {
  return { kind: 'renew', expectedVersion, durationMs: DURATION_MS } as const;
}

async function acquire({ lease }: OpenBackend, version: bigint | null, sessionId: string): Promise<LeaseRecord> {
  const result = await lease.write(acquisition(version, sessionId), CALL);
  if (result.outcome !== 'committed') throw new Error(`expected committed, received ${JSON.stringify(result.outcome)}`);
  return result.record;
}

function putting(record: LeaseRecord, expectedVersion: bigint, address = 'http://a'): ContainerWrite {
  const fence = { fencingToken: record.fencingToken, sessionId: record.sessionId };
  const puts = new Map([['web', { ...fence, address, metadata: {} }]]);
  return { expectedVersion, fence, puts, withdrawals: new Map() };
}

/** Waits for what a watch reports. */
async function seen({ lease }: OpenBackend, wanted: (record: LeaseRecord | null) => boolean): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = lease.watch((record) => {
      if (!wanted(record)) return;
      stop();
      resolve();
    });
  });
}

const users = { tenure: [], poller: [], nobody: [] };

await describeOnKubernetes('tenure/kubernetes on a real API server', { users }, (kubernetes) => {
  describe('what is written', () => {
    it('has all five fields, six digits, and costs one request for each renewal', async () => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend('proxied'));
      let { version } = await acquire(backend, null, 's-1');
      const spec = (await place.read(place.leasePath())).spec as Record<string, unknown>;
      expect(spec).toEqual({
        holderIdentity: 'holder of s-1',
        leaseDurationSeconds: 15,
        acquireTime: expect.stringMatching(/\.\d{6}Z$/),
        renewTime: spec.acquireTime,
        leaseTransitions: 0,
      });
      const before = place.proxy.requests.length;
      for (let n = 0; n < 5; n += 1) {
        const result = await backend.lease.write(renewal(version), CALL);
        if (result.outcome !== 'committed') throw new Error(result.outcome);
        version = result.record.version;
      }
      expect(place.proxy.counts(before)).toEqual({ 'update leases': 5 });
      expect(place.proxy.connections.opened).toBe(1);
    });

    it('of a register is as large as the server allows, and not one byte more is sent', async () => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend('proxied'));
      const record = await acquire(backend, null, 's-1');
      const first = await backend.register.write(putting(record, 0n, ''), CALL);
      if (first.outcome !== 'committed') throw new Error(first.outcome);
      const { data } = (await place.read(place.mapPath())) as { data: Record<string, string> };
      const left = 1_048_576 - Buffer.byteLength(data['leader.web'] ?? '');
      const before = place.proxy.count({ verb: 'update' });
      const over = await backend.register.write(putting(record, first.version, 'x'.repeat(left + 1)), CALL);
      expect(over).toMatchObject({ outcome: 'refused', reason: 'too-large' });
      expect(place.proxy.count({ verb: 'update' })).toBe(before);
      const full = await backend.register.write(putting(record, first.version, 'x'.repeat(left)), CALL);
      expect(full.outcome).toBe('committed');
    });

    it('is refused by a ConfigMap that somebody made immutable', async () => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend());
      const record = await acquire(backend, null, 's-1');
      await backend.register.write(putting(record, 0n), CALL);
      const map = await place.replace(place.mapPath(), (object) => ({ ...object, immutable: true }));
      const version = BigInt(map.metadata?.resourceVersion ?? 0);
      const answer = await backend.register.write(putting(record, version, 'http://b'), CALL);
      expect(answer).toMatchObject({
        outcome: 'refused',
        reason: 'unavailable',
        detail: expect.stringMatching(/immutable/),
      });
    });
  });

  describe('a deposed leader', () => {
    it('whose renewal is held past the takeover changes nothing', async () => {
      const place = await Place.of(kubernetes());
      const old = await place.open(await place.backend('proxied'));
      const next = await place.open(await place.backend());
      const { version } = await acquire(old, null, 's-1');
      const held = place.proxy.on({ verb: 'update', resource: 'leases' }, faults.hold(), 1);
      const renewing = old.lease.write(renewal(version), LONG);
      await held.met();
      const taken = await acquire(next, version, 's-2');
      held.end();
      expect(await renewing).toEqual({ outcome: 'conflict', record: taken });
      expect(await next.lease.read(CALL)).toEqual({ outcome: 'found', record: taken });
    });

    it('whose write of the register is held past the next fence learns that it is fenced', async () => {
      const place = await Place.of(kubernetes());
      const old = await place.open(await place.backend('proxied'));
      const next = await place.open(await place.backend());
      const first = await acquire(old, null, 's-1');
      const opened = await old.register.write(putting(first, 0n), CALL);
      if (opened.outcome !== 'committed') throw new Error(opened.outcome);
      const held = place.proxy.on({ verb: 'update', resource: 'configmaps' }, faults.hold(), 1);
      const writing = old.register.write(putting(first, opened.version, 'http://late'), LONG);
      await held.met();
      const second = await acquire(next, first.version, 's-2');
      const raised = { ...putting(second, opened.version), puts: new Map() };
      expect((await next.register.write(raised, CALL)).outcome).toBe('committed');
      held.end();
      const fence = { fencingToken: second.fencingToken, sessionId: 's-2' };
      expect(await writing).toMatchObject({ outcome: 'refused', reason: 'fenced', fence });
    });

    it('does not bring a deleted Lease back, nor takes one that was created again for its own', async () => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend());
      const { version } = await acquire(backend, null, 's-1');
      const copy = await place.read(place.leasePath());
      await kubernetes().admin.call('DELETE', place.leasePath());
      expect(await backend.lease.write(renewal(version), CALL)).toEqual({ outcome: 'conflict', record: null });
      const { uid: _, resourceVersion: __, ...metadata } = copy.metadata ?? {};
      const body = { ...copy, metadata };
      await kubernetes().admin.call('POST', place.leasePath('').replace(/\/$/, ''), { body });
      const again = await backend.lease.write(renewal(version), CALL);
      expect(again).toMatchObject({ outcome: 'conflict', record: { holder: 'holder of s-1', sessionId: '' } });
    });
  });

  describe('an answer that is not the usual one', () => {
    it.each([
      [429, 'refused'],
      [503, 'refused'],
      [403, 'refused'],
      [500, 'unknown'],
      [504, 'unknown'],
    ])('%i leaves a write %s', async (code, outcome) => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend('proxied'));
      const { version } = await acquire(backend, null, 's-1');
      place.proxy.on({ verb: 'update' }, faults.answer(code), 1);
      expect((await backend.lease.write(renewal(version), CALL)).outcome).toBe(outcome);
      expect((await backend.lease.write(renewal(version), CALL)).outcome).toBe('committed');
    });

    it('429 with Retry-After is waited for within the call', async () => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend('proxied'));
      const { version } = await acquire(backend, null, 's-1');
      place.proxy.on({ verb: 'update' }, faults.answer(429, { retryAfter: 1 }), 1);
      const startMs = performance.now();
      expect((await backend.lease.write(renewal(version), LONG)).outcome).toBe('committed');
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(1_000);
    });

    it('that is lost after the write was made leaves it unknown, and the next reading shows it', async () => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend('proxied'));
      place.proxy.on({ verb: 'create' }, faults.dropReply(), 1);
      expect((await backend.lease.write(acquisition(null, 's-1'), CALL)).outcome).toBe('unknown');
      expect(await backend.lease.read(CALL)).toMatchObject({ outcome: 'found', record: { sessionId: 's-1' } });
    });

    it('never comes on dead connections; after one time-out new ones are used', async () => {
      const place = await Place.of(kubernetes());
      const backend = await place.open(await place.backend('proxied'));
      const { version } = await acquire(backend, null, 's-1');
      await Promise.all([backend.lease.read(CALL), backend.lease.read(CALL), backend.lease.read(CALL)]);
      place.proxy.deadenConnections();
      expect((await backend.lease.write(renewal(version), { timeoutMs: 300 })).outcome).toBe('unknown');
      expect((await backend.lease.write(renewal(version), CALL)).outcome).toBe('committed');
    });
  });

  describe('a watch', () => {
    it.each([
      ['was told that its version is too old', faults.errorInWatch(410)],
      ['was ended at once, some times', faults.emptyWatch()],
      ['was cut off', faults.cutWatch(1)],
      ['was answered with 410', faults.answer(410)],
      ['was answered with 500', faults.answer(500)],
    ])('goes on after it %s', async (_, fault) => {
      const place = await Place.of(kubernetes());
      const watching = await place.open(await place.backend('proxied'));
      const other = await place.open(await place.backend());
      const disturbed = place.proxy.on({ verb: 'watch' }, fault, 2);
      const acquired = seen(watching, (record) => record?.sessionId === 's-1');
      await disturbed.met(2);
      await acquire(other, null, 's-1');
      await acquired;
    });

    it('goes on after a restart of the API server', async () => {
      const place = await Place.of(kubernetes());
      const watching = await place.open(await place.backend());
      const other = await place.open(await place.backend());
      const { version } = await acquire(other, null, 's-1');
      const taken = seen(watching, (record) => record?.sessionId === 's-2');
      await seen(watching, (record) => record?.sessionId === 's-1');
      await kubernetes().restart('apiserver');
      await acquire(other, version, 's-2');
      await taken;
    });

    it('is a reading every few seconds where watching is forbidden, and that is reported', async () => {
      const place = await Place.of(kubernetes());
      await kubernetes().apply(rightsOf('poller', ['get', 'create', 'update']));
      const watching = await place.open(await place.backend('direct', 'poller'));
      const acquired = seen(watching, (record) => record?.sessionId === 's-1');
      await seen(watching, (record) => record === null);
      await acquire(await place.open(await place.backend()), null, 's-1');
      await acquired;
      expect(watching.findings).toEqual([
        { code: 'backend-unavailable', detail: expect.stringMatching(/cannot watch/) },
      ]);
    });
  });

  describe('without', () => {
    it('rights nothing is read or written, and the words say which are missing', async () => {
      const place = await Place.of(kubernetes());
      const { lease } = await place.open(await place.backend('direct', 'nobody'));
      const detail = expect.stringMatching(/403.*nobody.*leases.*get, create, update and watch/);
      expect(await lease.read(CALL)).toEqual({ outcome: 'failed', detail });
      expect(await lease.write(acquisition(null, 's-1'), CALL)).toEqual({ outcome: 'refused', detail });
    });

    it('its namespace only the creation says so', async () => {
      const place = await Place.of(kubernetes());
      const kubeconfig = await kubernetes().kubeconfig('admin', { namespace: 'nowhere' });
      const access = await findAccess({ kubeconfig }, { env: {}, serviceAccountFolder: '' });
      const { lease } = await place.open(backendOver(new HttpsWire(access, 'tenure/test'), 'nowhere'));
      expect(await lease.read(CALL)).toEqual({ outcome: 'absent' });
      const detail = expect.stringContaining('namespaces "nowhere" not found');
      expect(await lease.write(acquisition(null, 's-1'), CALL)).toEqual({ outcome: 'refused', detail });
    });
  });

  describe('who one is', () => {
    it('can be said by a client certificate', async () => {
      const kubeconfig = await kubernetes().kubeconfig('admin', { byCertificate: true, namespace: 'default' });
      const access = await findAccess({ kubeconfig }, { env: {}, serviceAccountFolder: '' });
      const place = await Place.of(kubernetes());
      const backend = await place.open(backendOver(new HttpsWire(access, 'tenure/test'), place.namespace));
      expect((await acquire(backend, null, 's-1')).holder).toBe('holder of s-1');
    });

    it('is said by the service account in a pod, without a kubeconfig', async () => {
      await kubernetes().apply([namespace('pods')]);
      const { root, environment } = await kubernetes().serviceAccount('pods', 'elector');
      const around = {
        env: environment,
        serviceAccountFolder: join(root, 'var/run/secrets/kubernetes.io/serviceaccount'),
      };
      const access = await findAccess({}, around);
      expect(access.namespace).toBe('pods');
      const place = await Place.of(kubernetes());
      const { lease } = await place.open(backendOver(new HttpsWire(access, 'tenure/test'), 'pods'));
      const reading = await lease.read(CALL);
      // Known by name, though without rights: the token in the pod's file was accepted.
      expect(reading).toMatchObject({
        outcome: 'failed',
        detail: expect.stringMatching(/403.*system:serviceaccount:pods:elector/),
      });
    });
  });
});

function backendOver(wire: HttpsWire, place: string) {
  onTestFinished(() => wire.close());
  const context = { election: ELECTION, identity: 'p', clock: systemClock(), random: systemRandom() };
  const options = { wire, namespace: place, server: 'test', foreignGraceMs: 0, onClose: () => {} };
  return { name: 'kubernetes', open: async () => openElection(options, context) };
}
