import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createdLease, leases, nameOf, specOf, versionOf, withSpec } from './answers/row.ts';
import { type KubernetesObject, objectOf } from './api/api.ts';
import type { ApiClient } from './api/api-client.ts';
import { describeOnKubernetes } from './describe-kubernetes.ts';
import { faults } from './proxy/faults.ts';
import { FaultProxy } from './proxy.ts';

const SILENCE_MS = 300;
let names = 0;

await describeOnKubernetes('the fault proxy before the real API server', {}, (kubernetes) => {
  let proxy: FaultProxy;
  /** Through the proxy. */
  let client: ApiClient;
  /** Straight to the server. */
  const asked = () => ({
    api: kubernetes().admin,
    namespace: 'default',
    missingNamespace: 'nowhere',
    powerlessToken: '',
    silenceMs: SILENCE_MS,
    name: () => `proxied-${++names}`,
  });
  const path = (lease: KubernetesObject): string => leases(asked(), nameOf(lease));
  const watchPath = (lease: KubernetesObject): string =>
    `${leases(asked())}?watch=1&fieldSelector=metadata.name%3D${nameOf(lease)}`;
  const holder = async (lease: KubernetesObject): Promise<unknown> =>
    specOf(objectOf(await kubernetes().admin.call('GET', path(lease)))).holderIdentity;
  const take = (lease: KubernetesObject, holderIdentity: string, signal?: AbortSignal) =>
    client.call('PUT', path(lease), { body: withSpec(lease, { holderIdentity }), ...(signal && { signal }) });

  beforeEach(async () => {
    const { authority } = kubernetes().credentials;
    proxy = await FaultProxy.start({ target: kubernetes().url, authority });
    client = kubernetes().client({ user: 'admin' }, proxy.url);
  });
  afterEach(() => proxy.close());

  it('passes calls and watches unchanged, on the connections that the client uses, and counts them', async () => {
    const lease = await createdLease(asked());
    const watch = await client.watch(watchPath(lease));
    expect(await watch.next(5_000)).toMatchObject({ type: 'ADDED', object: { metadata: lease.metadata } });
    const taken = objectOf(await take(lease, 'b'));
    expect(await watch.next(5_000)).toMatchObject({ type: 'MODIFIED', object: { metadata: taken.metadata } });
    expect(objectOf(await client.call('GET', path(lease)))).toEqual(taken);
    const removed = await client.call('DELETE', path(lease), {
      body: { preconditions: { resourceVersion: versionOf(lease) } },
    });
    expect(removed.status).toBe(409);
    expect(proxy.counts()).toEqual({ 'watch leases': 1, 'update leases': 1, 'get leases': 1, 'delete leases': 1 });
    expect(proxy.count({ verb: 'watch', name: nameOf(lease), namespace: 'default' })).toBe(1);
    expect(proxy.connections).toEqual({ open: 2, opened: 2 });
    watch.close();
  });

  it('ends the watch at the server when the client goes', async () => {
    const lease = await createdLease(asked());
    const ended = async () => (await kubernetes().metrics()).count({ verb: 'WATCH', resource: 'leases' });
    const before = await ended();
    const watch = await client.watch(watchPath(lease));
    expect(await watch.next(5_000)).toMatchObject({ type: 'ADDED' });
    watch.close();
    await expect.poll(ended, { timeout: 10_000 }).toBe(before + 1);
  });

  it('cuts a request before the server sees it, as often as asked', async () => {
    const lease = await createdLease(asked());
    const rule = proxy.on({ verb: 'update', name: nameOf(lease) }, faults.cut(), 1);
    await expect(take(lease, 'b')).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await holder(lease)).toBe('a');
    expect(rule.hits).toHaveLength(1);
    expect((await take(lease, 'c')).status).toBe(200);
  });

  it('holds a request until it is released, though its client has given up: the late PUT of one that was replaced', async () => {
    const lease = await createdLease(asked());
    const rule = proxy.on({ verb: 'update', resource: 'leases' }, faults.hold(), 1);
    const aborted = new AbortController();
    const late = take(lease, 'late', aborted.signal);
    await rule.met();
    aborted.abort();
    await expect(late).rejects.toThrow(/abort/);
    expect(await holder(lease)).toBe('a');
    rule.release();
    await expect.poll(() => holder(lease)).toBe('late');
  });

  it('lets the server act and holds the reply, or drops it', async () => {
    const lease = await createdLease(asked());
    const held = proxy.on({ verb: 'update' }, faults.holdReply(), 1);
    let isAnswered = false;
    const answer = take(lease, 'b').then((value) => {
      isAnswered = true;
      return value;
    });
    await expect.poll(() => holder(lease)).toBe('b');
    expect(isAnswered).toBe(false);
    held.release();
    const second = objectOf(await answer);
    proxy.on({ verb: 'update' }, faults.dropReply(), 1);
    await expect(take(second, 'c')).rejects.toThrow(/socket hang up|ECONNRESET/);
    expect(await holder(lease)).toBe('c');
  });

  it.each([
    [409, 'Conflict'],
    [410, 'Expired'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
  ])('answers %i %s itself', async (code, reason) => {
    const lease = await createdLease(asked());
    proxy.on({ verb: 'update' }, faults.answer(code, { retryAfter: 7 }), 1);
    const answer = await take(lease, 'b');
    expect(answer).toMatchObject({ status: code, body: { kind: 'Status', code, reason } });
    expect(answer.headers['retry-after']).toBe('7');
    expect(await holder(lease)).toBe('a');
  });

  it('lets a reply trickle', async () => {
    const lease = await createdLease(asked());
    const bytes = Buffer.byteLength(JSON.stringify(lease));
    proxy.on({ verb: 'get' }, faults.trickle(100, 20), 1);
    const began = performance.now();
    expect(objectOf(await client.call('GET', path(lease)))).toEqual(lease);
    expect(performance.now() - began).toBeGreaterThan(Math.floor(bytes / 100) * 20 * 0.8);
  });

  it('makes a watch silent from the start or after some events, while it stays open', async () => {
    const lease = await createdLease(asked());
    proxy.on({ verb: 'watch' }, faults.silentWatch(), 1);
    proxy.on({ verb: 'watch' }, faults.silentWatch(1), 1);
    const deaf = await client.watch(watchPath(lease));
    const once = await client.watch(watchPath(lease));
    expect([deaf.status, once.status]).toEqual([200, 200]);
    expect(await once.next(5_000)).toMatchObject({ type: 'ADDED' });
    await take(lease, 'b');
    expect(await once.next(SILENCE_MS)).toBe('silence');
    expect(await deaf.next(0)).toBe('silence');
  });

  it('puts an ERROR into a watch of 200, ends one empty, cuts one', async () => {
    const lease = await createdLease(asked());
    proxy.on({ verb: 'watch' }, faults.errorInWatch(), 1);
    proxy.on({ verb: 'watch' }, faults.emptyWatch(), 1);
    proxy.on({ verb: 'watch' }, faults.cutWatch(1), 1);
    const failed = await client.watch(watchPath(lease));
    const error = await failed.next(5_000);
    expect(error).toMatchObject({ type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } });
    expect(await failed.next(5_000)).toBe('end');
    const empty = await client.watch(watchPath(lease));
    expect([empty.status, await empty.next(5_000)]).toEqual([200, 'end']);
    const cut = await client.watch(watchPath(lease));
    expect(await cut.next(5_000)).toMatchObject({ type: 'ADDED' });
    expect(await cut.next(5_000)).toBe('end');
    // No rule is left.
    const watch = await client.watch(watchPath(lease));
    expect(await watch.next(5_000)).toMatchObject({ type: 'ADDED' });
  });

  it('deadens the connections that are open, while a new one works', async () => {
    const lease = await createdLease(asked());
    const watch = await client.watch(watchPath(lease));
    expect(await watch.next(5_000)).toMatchObject({ type: 'ADDED' });
    await client.call('GET', path(lease));
    proxy.deadenConnections();
    const unheard = take(lease, 'unheard', AbortSignal.timeout(SILENCE_MS));
    await expect(unheard).rejects.toThrow(/abort/);
    expect(await holder(lease)).toBe('a');
    const fresh = kubernetes().client({ user: 'admin' }, proxy.url);
    expect((await fresh.call('PUT', path(lease), { body: withSpec(lease, { holderIdentity: 'b' }) })).status).toBe(200);
    expect(await watch.next(SILENCE_MS)).toBe('silence');
  });

  it('refuses at once, whatever the clients are about to do: a connection without a handshake does not hold it up', async () => {
    const half = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    await once(half, 'connect');
    // Answered after the other one was accepted.
    await client.call('GET', '/version');
    const ended = once(half, 'close');
    // Cut by the proxy: an error for some, an end for others.
    half.on('error', () => {});
    half.resume();
    await proxy.refuse();
    await ended;
    await expect(client.call('GET', '/version')).rejects.toThrow(/ECONNREFUSED/);
    await proxy.accept();
    expect((await client.call('GET', '/version')).status).toBe(200);
  });

  it('cuts connections, refuses new ones, and accepts them again at the same place', async () => {
    const lease = await createdLease(asked());
    const watch = await client.watch(watchPath(lease));
    expect(await watch.next(5_000)).toMatchObject({ type: 'ADDED' });
    await proxy.refuse();
    expect(await watch.next(5_000)).toBe('end');
    await expect(client.call('GET', path(lease))).rejects.toThrow(/ECONNREFUSED/);
    await proxy.accept();
    expect((await client.call('GET', path(lease))).status).toBe(200);
    const again = await client.watch(watchPath(lease));
    expect(await again.next(5_000)).toMatchObject({ type: 'ADDED' });
    proxy.cutConnections();
    expect(await again.next(5_000)).toBe('end');
    expect((await client.call('GET', path(lease))).status).toBe(200);
  });
});
