import { describe, expect, it } from 'vitest';
import type { LeaderSession, Tenure } from '../../src/index.ts';
import { startClientGo } from './client-go.ts';
import { describeOnKubernetes } from './describe-kubernetes.ts';
import { ELECTION, Place } from './driver/place.ts';
import type { Kubernetes } from './kubernetes/kubernetes.ts';

const TIMING = { leaseDurationMs: 4_000, renewMs: 1_000, callTimeoutMs: 500, marginMs: 1_000 };

interface Grant {
  readonly by: string;
  readonly session: LeaderSession;
  readonly atMs: number;
}

/** All grants of a test, in order. */
class Grants {
  readonly all: Grant[] = [];
  #waiting: (() => void)[] = [];

  /** Leads whenever it may, until it is told to stop. */
  lead(by: string, tenure: Tenure): void {
    tenure.lead('web', async (session) => {
      this.all.push({ by, session, atMs: performance.now() });
      for (const wake of this.#waiting.splice(0)) wake();
      await session.confirm({ address: `http://${by}` }).catch(() => {});
      if (session.signal.aborted) return;
      await new Promise((resolve) => session.signal.addEventListener('abort', resolve));
    });
  }

  async number(count: number): Promise<Grant> {
    for (;;) {
      const grant = this.all[count - 1];
      if (grant !== undefined) return grant;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}

async function ended({ session }: Grant): Promise<number> {
  if (!session.signal.aborted) await new Promise((resolve) => session.signal.addEventListener('abort', resolve));
  return performance.now();
}

async function clientGo(kubernetes: Kubernetes, place: Place, identity: string) {
  return await startClientGo({
    kubeconfig: await kubernetes.kubeconfig('tenure'),
    namespace: place.namespace,
    lease: ELECTION,
    identity,
    leaseDurationMs: 4_000,
    renewDeadlineMs: 3_000,
    retryPeriodMs: 500,
    release: true,
  });
}

await describeOnKubernetes('an election', { users: { tenure: [] }, needs: ['client-go-elector'] }, (kubernetes) => {
  async function started(name: string, place: Place, grants: Grants, way: 'direct' | 'proxied' = 'direct') {
    const { tenure, findings } = await place.participant(name, await place.backend(way), { timing: TIMING });
    grants.lead(name, tenure);
    return { tenure, findings };
  }

  describe('among participants', () => {
    it('is handed over at once when the leader closes; tokens grow, and followers see the next one', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      const participants = new Map<string, Tenure>();
      for (const name of ['a', 'b', 'c']) participants.set(name, (await started(name, place, grants)).tenure);
      const { tenure } = await place.participant('follower', await place.backend());
      const leaders = tenure.follow('web')[Symbol.asyncIterator]();
      for (let round = 1; round <= 3; round += 1) {
        const { by, session } = await grants.number(round);
        for (;;) {
          const { value } = await leaders.next();
          if (value?.sessionId === session.id) break;
        }
        if (round === 3) break;
        const closedMs = performance.now();
        await participants.get(by)?.close();
        expect((await grants.number(round + 1)).atMs - closedMs).toBeLessThan(2_000);
      }
      const tokens = grants.all.map(({ session }) => session.fencingToken);
      expect(tokens).toEqual([...tokens].sort((a, b) => (a < b ? -1 : 1)));
      expect(new Set(grants.all.map(({ by }) => by)).size).toBe(3);
    });

    it('goes to the next when the leader is cut off, and the leader has stopped before', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      await started('old', place, grants, 'proxied');
      const first = await grants.number(1);
      await started('next', place, grants);
      await place.proxy.refuse();
      const stoppedMs = await ended(first);
      const second = await grants.number(2);
      expect(second.by).toBe('next');
      expect(stoppedMs).toBeLessThan(second.atMs);
      expect(second.session.fencingToken).toBeGreaterThan(first.session.fencingToken);
    });

    it('costs nothing but the renewals of its leader while nothing happens', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      for (const name of ['a', 'b', 'c']) await started(name, place, grants, 'proxied');
      const { tenure } = await place.participant('follower', await place.backend('proxied'));
      const following = tenure.follow('web')[Symbol.asyncIterator]();
      for (;;) if ((await following.next()).value !== null) break;
      const renewals = () => place.proxy.count({ verb: 'update', resource: 'leases' });
      const begun = renewals() + 1;
      await expect.poll(renewals, { timeout: 10_000 }).toBeGreaterThanOrEqual(begun);
      const before = place.proxy.requests.length;
      await expect.poll(renewals, { timeout: 20_000 }).toBeGreaterThanOrEqual(begun + 5);
      expect(Object.keys(place.proxy.counts(before))).toEqual(['update leases']);
    });

    it('survives a restart of the API server that is shorter than the lease', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      const { tenure } = await place.participant('a', await place.backend(), {});
      grants.lead('a', tenure);
      const { session } = await grants.number(1);
      await kubernetes().restart('apiserver');
      const renewedAt = async () => ((await place.read(place.leasePath())).spec as { renewTime: string }).renewTime;
      const before = await renewedAt();
      await expect.poll(renewedAt, { timeout: 15_000, interval: 200 }).not.toBe(before);
      expect(session.isCurrent).toBe(true);
      expect(grants.all).toHaveLength(1);
    });
  });

  describe('that somebody disturbs by hand', () => {
    it.each([
      ['another holder is written into the Lease', { holderIdentity: 'thief' }],
      ['the Lease is blanked', { holderIdentity: '' }],
    ])('ends the session at once when %s', async (_, change) => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      await started('a', place, grants);
      const first = await grants.number(1);
      const renewTime = '2026-01-01T00:00:00.000000Z';
      const robbedMs = performance.now();
      await place.replace(place.leasePath(), (lease) => ({
        ...lease,
        spec: { ...(lease.spec as object), ...change, renewTime },
      }));
      // Long before the next renewal would find out.
      expect((await ended(first)) - robbedMs).toBeLessThan(900);
      const second = await grants.number(2);
      expect(second.session.fencingToken).toBeGreaterThan(first.session.fencingToken);
    });

    it('ends the session and begins another when the Lease is deleted', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      await started('a', place, grants);
      const first = await grants.number(1);
      await kubernetes().admin.call('DELETE', place.leasePath());
      await ended(first);
      expect((await grants.number(2)).session.fencingToken).toBeGreaterThan(first.session.fencingToken);
    });

    it('restores the entry of its leader, keeps the keys of others, and reports what it cannot read', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      const { tenure, findings } = await started('a', place, grants);
      const following = tenure.follow('web');
      const leaders = following[Symbol.asyncIterator]();
      const confirmed = async (): Promise<void> => {
        for (;;) if ((await leaders.next()).value?.address === 'http://a') return;
      };
      await confirmed();
      const nonsense = { 'leader.web': 'nonsense', port: '8080' };
      await place.replace(place.mapPath(), (map) => ({ ...map, data: { ...(map.data as object), ...nonsense } }));
      await confirmed();
      await kubernetes().admin.call('DELETE', place.mapPath());
      await confirmed();
      await place.replace(place.mapPath(), (map) => ({ ...map, data: { port: '8080' } }));
      await confirmed();
      const { data } = (await place.read(place.mapPath())) as { data: Record<string, string> };
      expect(data).toEqual({ port: '8080', 'leader.web': expect.stringContaining('http://a') });
      expect(findings).toContainEqual(
        expect.objectContaining({ code: 'store-unusable', detail: expect.stringMatching(/leader\.web/) }),
      );
      expect(grants.all).toHaveLength(1);
    });
  });

  describe('shared with client-go', () => {
    it('changes hands both ways, with one transition each time', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      const foreign = await clientGo(kubernetes(), place, 'foreign');
      await foreign.event('leading');
      const { tenure } = await started('ours', place, grants);
      const stoppedMs = performance.now();
      await foreign.stop();
      expect((await grants.number(1)).atMs - stoppedMs).toBeLessThan(2_000);
      const again = await clientGo(kubernetes(), place, 'foreign-2');
      await tenure.close();
      await again.event('leading');
      const { spec } = (await place.read(place.leasePath())) as { spec: Record<string, unknown> };
      expect(spec).toMatchObject({ holderIdentity: 'foreign-2', leaseTransitions: 2 });
      await again.stop();
    });

    it('is taken over from a killed one only after its lease and the grace', async () => {
      const place = await Place.of(kubernetes());
      const grants = new Grants();
      const foreign = await clientGo(kubernetes(), place, 'foreign');
      await foreign.event('leading');
      await started('ours', place, grants);
      await foreign.kill();
      const killedMs = performance.now();
      const { atMs } = await grants.number(1);
      // 4 s of lease and 3 s of grace, counted from a renewal that is at most one retry period old.
      expect(atMs - killedMs).toBeGreaterThan(6_000);
    });
  });
});
