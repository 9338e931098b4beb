import { expect, it, onTestFinished } from 'vitest';
import { leases, specOf } from './answers/row.ts';
import { objectOf } from './api/api.ts';
import { type ClientGo, type ClientGoOptions, startClientGo } from './client-go.ts';
import { describeOnKubernetes } from './describe-kubernetes.ts';

const SHORT = { namespace: 'default', leaseDurationMs: 4_000, renewDeadlineMs: 2_000, retryPeriodMs: 250 };

await describeOnKubernetes('the elector of client-go', { needs: ['client-go-elector'] }, (kubernetes) => {
  const elector = async (lease: string, identity: string, more: Partial<ClientGoOptions> = {}): Promise<ClientGo> => {
    const kubeconfig = await kubernetes().kubeconfig();
    const started = await startClientGo({ ...SHORT, kubeconfig, lease, identity, ...more });
    onTestFinished(() => started.kill());
    return started;
  };
  const spec = async (lease: string) => {
    const path = leases(SHORT, lease);
    return specOf(objectOf(await kubernetes().admin.call('GET', path)));
  };

  it('leads, and gives the Lease back at SIGTERM when asked to: the next one leads at once', async () => {
    const first = await elector('released', 'a', { release: true });
    const led = await first.event('leading');
    expect(led.identity).toBe('a');
    expect(Math.abs(led.atMs - Date.now())).toBeLessThan(5_000);
    expect(await spec('released')).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 4, leaseTransitions: 0 });
    const second = await elector('released', 'b');
    expect((await second.event('observed')).leader).toBe('a');
    await first.stop();
    expect(first.events.map(({ event }) => event)).toEqual(expect.arrayContaining(['told-to-stop', 'lost']));
    const next = await second.event('leading');
    // Without a release it would have to wait for the whole duration.
    expect(next.atMs - (await first.event('lost')).atMs).toBeLessThan(SHORT.leaseDurationMs / 2);
    expect(await spec('released')).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('waits for the whole duration when the leader is killed, and a frozen leader is told when it thaws', async () => {
    const first = await elector('frozen', 'a');
    await first.event('leading');
    const second = await elector('frozen', 'b');
    await second.event('observed');
    const frozenAt = Date.now();
    first.signal('SIGSTOP');
    const next = await second.event('leading');
    expect(next.atMs - frozenAt).toBeGreaterThan(SHORT.leaseDurationMs - SHORT.retryPeriodMs * 2);
    first.signal('SIGCONT');
    await first.event('lost');
    expect(await spec('frozen')).toMatchObject({ holderIdentity: 'b' });
  });

  it('says what went wrong when it cannot even start', async () => {
    const broken = await elector('broken', 'a', { renewDeadlineMs: 5_000 });
    await expect(broken.event('leading')).rejects.toThrow(/leaseDuration must be greater than renewDeadline/);
  });
});
