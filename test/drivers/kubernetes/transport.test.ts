import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Api } from '../../../src/drivers/kubernetes/api.ts';
import { directAccess } from '../../../src/drivers/kubernetes/direct-access.ts';
import { HttpsWire } from '../../../src/drivers/kubernetes/https-wire.ts';
import { type KubeObject, LEASE } from '../../../src/drivers/kubernetes/objects.ts';
import { systemClock } from '../../../src/drivers/system/clock.ts';
import { hurriedClock } from './hurried-clock.ts';
import { send } from './local-api.ts';
import { acquisition, CALL, localApi, openOn } from './opened.ts';
import { status } from './stored-objects.ts';

/** A listener below HTTP. */
async function rawServer(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

async function acquireAt(url: string, timeoutMs = 5_000) {
  const { lease } = await openOn({ url });
  return await lease.write(acquisition(null), { timeoutMs });
}

describe('a write that fails', () => {
  it('is refused where nobody listens', async () => {
    const host = await rawServer(() => {});
    const gone = await localApi();
    const { url } = gone;
    await gone.stop();
    expect(await acquireAt(url)).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('ECONNREFUSED') });
    // Accepted, but TLS is never agreed on: not a byte of the request has left.
    const answer = await acquireAt(`https://${host}`, 100);
    expect(answer).toEqual({ outcome: 'refused', detail: `no connection to ${host} in time` });
  });

  it('is unknown when it was sent and the connection breaks, or nobody answers', async () => {
    const breaking = await rawServer((socket) => socket.once('data', () => socket.destroy()));
    expect((await acquireAt(`http://${breaking}`)).outcome).toBe('unknown');
    const silent = await rawServer(() => {});
    const answer = await acquireAt(`http://${silent}`, 100);
    expect(answer).toEqual({ outcome: 'unknown', detail: `${silent} did not answer in time` });
  });

  it('is refused when it has waited for a connection until its time was up, at that time', async () => {
    const silent = await rawServer(() => {});
    const { lease } = await openOn({ url: `http://${silent}` });
    const startMs = performance.now();
    const writes = Array.from({ length: 40 }, () => lease.write(acquisition(null), { timeoutMs: 100 }));
    const outcomes = (await Promise.all(writes)).map(({ outcome }) => outcome);
    expect(performance.now() - startMs).toBeLessThan(1_000);
    expect(outcomes.filter((outcome) => outcome === 'unknown')).toHaveLength(32);
    expect(outcomes.filter((outcome) => outcome === 'refused')).toHaveLength(8);
  });

  it('is unknown when the answer is cut off, or is no answer of an API server', async () => {
    const cut = await rawServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 201 Created\r\ncontent-length: 999\r\n\r\n{"kind":')),
    );
    expect((await acquireAt(`http://${cut}`)).outcome).toBe('unknown');
    const page = await localApi();
    page.intercept = (_, response) => {
      response.writeHead(200).end('<html>logged in?</html>');
      return true;
    };
    expect((await acquireAt(page.url)).outcome).toBe('unknown');
  });

  it('is unknown when the handle is closed under it', async () => {
    const silent = await rawServer(() => {});
    const opened = await openOn({ url: `http://${silent}` });
    const writing = opened.lease.write(acquisition(null), CALL);
    // Long enough for the request to leave: the connection is on this machine.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await opened.close();
    expect((await writing).outcome).toBe('unknown');
  });
});

describe('connections', () => {
  it('are used again: many calls in a row, one connection', async () => {
    const api = await localApi();
    const { lease } = await openOn(api);
    for (let n = 0; n < 20; n += 1) await lease.read(CALL);
    expect(api.connections).toBe(1);
  });

  it('that did not answer in time are not used again, nor are the idle ones beside them', async () => {
    const api = await localApi();
    const { lease } = await openOn(api);
    await Promise.all([lease.read(CALL), lease.read(CALL), lease.read(CALL)]);
    const before = api.connections;
    api.intercept = () => true;
    await lease.read({ timeoutMs: 50 });
    api.intercept = () => false;
    expect(await lease.read(CALL)).toEqual({ outcome: 'absent' });
    expect(api.connections).toBe(before + 1);
  });

  it('that were closed while idle cost a reading nothing', async () => {
    const api = await localApi();
    const { lease } = await openOn(api);
    await lease.read(CALL);
    let isFirst = true;
    api.intercept = (_, response) => {
      if (!isFirst) return false;
      isFirst = false;
      response.socket?.destroy();
      return true;
    };
    expect(await lease.read(CALL)).toEqual({ outcome: 'absent' });
  });
});

describe('a request', () => {
  it('says who asks, and has a length on every body, of a DELETE too', async () => {
    const server = await localApi();
    const created = server.leases.create({
      metadata: { name: 'billing' },
      spec: {
        leaseDurationSeconds: 1,
        acquireTime: '2026-12-01T03:04:05.000000Z',
        renewTime: '2026-12-01T03:04:05.000000Z',
      },
    }).body as KubeObject;
    const wire = new HttpsWire(directAccess({ server: server.url }, 'default'), 'tenure/test');
    onTestFinished(() => wire.close());
    const api = new Api(wire, 'default', systemClock());
    const stale = { ...created, metadata: { ...created.metadata, resourceVersion: '1' } };
    expect((await api.within(5_000, (call) => api.remove(LEASE, stale, call))).kind).toBe('conflict');
    expect(server.leases.find('billing')).toBeDefined();
    const [asked] = server.asked;
    expect(asked?.headers).toMatchObject({ 'content-length': `${asked?.body.length}`, 'user-agent': 'tenure/test' });
  });

  it('carries the version of the package as its user agent', async () => {
    const api = await localApi();
    const { lease } = await openOn(api);
    await lease.read(CALL);
    expect(api.asked[0]?.headers['user-agent']).toMatch(/^tenure\/\d+\.\d+\.\d+ \(node /);
  });

  it('is repeated once with a token that was read anew after a 401', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tenure-token-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const tokenFile = join(folder, 'token');
    writeFileSync(tokenFile, 'old\n');
    const api = await localApi();
    api.intercept = ({ headers }, response) => {
      if (headers.authorization === 'Bearer new') return false;
      writeFileSync(tokenFile, 'new\n');
      send(response, status(401, 'Unauthorized', 'Unauthorized'));
      return true;
    };
    const { lease } = await openOn(api, { cluster: { server: api.url, tokenFile } });
    expect((await lease.write(acquisition(null), CALL)).outcome).toBe('committed');
    expect(api.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  });

  it('is refused in time when a plugin that logs in hangs', async () => {
    const api = await localApi();
    const cluster = {
      ...{
        getCurrentContext: () => 'a',
        setCurrentContext: () => {},
        getContexts: () => [],
        getContextObject: () => null,
      },
      getCurrentCluster: () => ({ server: api.url }),
      applyToHTTPSOptions: () => new Promise<void>(() => {}),
    };
    const { lease } = await openOn(api, { cluster });
    const answer = await lease.write(acquisition(null), { timeoutMs: 50 });
    expect(answer).toEqual({ outcome: 'refused', detail: 'there were no credentials in time' });
    expect(api.asked).toEqual([]);
  });

  it('is refused, with the reason, when the credentials cannot be read or are refused for good', async () => {
    const api = await localApi();
    const missing = await openOn(api, { cluster: { server: api.url, tokenFile: join(tmpdir(), 'tenure-no-token') } });
    const unread = await missing.lease.write(acquisition(null), CALL);
    expect(unread).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('ENOENT') });
    api.intercept = (_, response) => {
      send(response, status(401, 'Unauthorized', 'Unauthorized'));
      return true;
    };
    const { lease } = await openOn(api);
    const refused = await lease.write(acquisition(null), CALL);
    expect(refused).toMatchObject({ outcome: 'refused', detail: expect.stringContaining('401') });
    expect(api.asked).toHaveLength(2);
  });
});

describe('an API server that asks to wait', () => {
  it('is asked again after as long as it said, where the call has the time', async () => {
    const api = await localApi();
    let refusals = 0;
    api.intercept = (_, response) => {
      if (refusals === 1) return false;
      refusals += 1;
      send(response, status(429, 'TooManyRequests', 'wait'), { 'retry-after': '1' });
      return true;
    };
    const clock = hurriedClock(20);
    const { lease } = await openOn(api, {}, { clock });
    const startMs = clock.nowMs();
    expect((await lease.write(acquisition(null), { timeoutMs: 60_000 })).outcome).toBe('committed');
    expect(clock.nowMs() - startMs).toBeGreaterThanOrEqual(1_000);
  });

  it('refuses at once where the call does not have the time, and where it does not say how long', async () => {
    const api = await localApi();
    let headers: Record<string, string> = { 'retry-after': '30' };
    api.intercept = (_, response) => {
      send(response, status(429, 'TooManyRequests', 'wait'), headers);
      return true;
    };
    const { lease } = await openOn(api);
    expect((await lease.write(acquisition(null), CALL)).outcome).toBe('refused');
    headers = {};
    expect((await lease.write(acquisition(null), CALL)).outcome).toBe('refused');
    expect(api.asked).toHaveLength(2);
  });
});

describe('a reading', () => {
  it.each([
    ['a page of a proxy', 404, '<html>404</html>'],
    ['an API server without Leases', 404, '404 page not found'],
    ['an overload', 503, ''],
    ['nonsense', 200, '{}'],
  ])('that gets %s has failed; it has not found that there is no Lease', async (_, code, body) => {
    const api = await localApi();
    api.intercept = (_asked, response) => {
      response.writeHead(code).end(body);
      return true;
    };
    const { lease } = await openOn(api);
    expect((await lease.read(CALL)).outcome).toBe('failed');
  });
});
