import { describe, expect, it } from 'vitest';
import type { BackendContext } from '../../../src/ports/backend.ts';
import type { LeaseRecord } from '../../../src/ports/lease-store.ts';
import { type Recording, record } from '../place.ts';
import { hurriedClock } from './hurried-clock.ts';
import { type LocalApi, send } from './local-api.ts';
import { acquisition, CALL, localApi, openOn } from './opened.ts';
import { type Stored, status } from './stored-objects.ts';

/** A second passes in 50 ms. */
const HURRY = 20;

async function watched(hurry = HURRY, context: Partial<BackendContext> = {}) {
  const api = await localApi();
  const { lease, findings } = await openOn(api, {}, { clock: hurriedClock(hurry), ...context });
  const other = (await openOn(api)).lease;
  const watching: Recording<LeaseRecord | null> = record(lease.watch.bind(lease));
  await watching.until((items) => items.length > 0);
  return { api, lease, other, findings, watching };
}

/** The watch reports what is written from now on. */
async function goesOn(watching: Recording<LeaseRecord | null>, api: LocalApi): Promise<void> {
  const { lease } = await openOn(api);
  const reading = await lease.read(CALL);
  const version = reading.outcome === 'found' ? reading.record.version : null;
  const written = await lease.write(acquisition(version, `s-${api.asked.length}`), CALL);
  if (written.outcome !== 'committed') throw new Error(`expected committed, received ${written.outcome}`);
  await watching.until((items) => items.at(-1)?.version === written.record.version);
}

function watchesAsked(api: LocalApi): number {
  return api.methods().filter((method) => method === 'WATCH').length;
}

describe('a watch asks', () => {
  it('for one object by name, without a version, with bookmarks and a time limit', async () => {
    const { api, watching } = await watched();
    watching.stop();
    const asked = api.asked.find(({ query }) => query.has('watch'));
    const { timeoutSeconds, ...query } = Object.fromEntries(asked?.query ?? []);
    expect(query).toEqual({ watch: 'true', fieldSelector: 'metadata.name=billing', allowWatchBookmarks: 'true' });
    expect(Number(timeoutSeconds)).toBeGreaterThanOrEqual(300);
    expect(Number(timeoutSeconds)).toBeLessThan(600);
  });

  it('once for all who listen, and ends with the last of them', async () => {
    const { api, lease, watching } = await watched();
    const second = record(lease.watch.bind(lease));
    await second.until((items) => items.length > 0);
    expect(watchesAsked(api)).toBe(1);
    watching.stop();
    await goesOn(second, api);
    second.stop();
    await expect.poll(() => api.watches).toBe(0);
  });
});

describe('a watch goes on by itself after', () => {
  it.each([
    ['a broken connection', (api: LocalApi) => api.cutWatches()],
    ['an orderly end', (api: LocalApi) => api.endWatches()],
    [
      'an ERROR in a 200',
      (api: LocalApi) => {
        const object = status(410, 'Expired', 'too old resource version').body;
        api.sendToWatches(`${JSON.stringify({ type: 'ERROR', object })}\n`);
      },
    ],
    ['a line that is no event', (api: LocalApi) => api.sendToWatches('<html>\n')],
    [
      'an event that was cut in the middle',
      (api: LocalApi) => {
        api.sendToWatches('{"type":"MOD');
        api.endWatches();
      },
    ],
  ])('%s', async (_, disturb) => {
    const { api, watching } = await watched();
    disturb(api);
    await goesOn(watching, api);
    watching.stop();
  });

  it.each([410, 429, 500, 503])('answers with %i', async (code) => {
    const { api, watching } = await watched();
    let answers = 0;
    api.intercept = ({ query }, response) => {
      if (!query.has('watch') || answers === 3) return false;
      answers += 1;
      send(response, status(code, 'Whatever', 'not now'));
      return true;
    };
    api.cutWatches();
    await goesOn(watching, api);
    await expect.poll(() => answers, { timeout: 10_000 }).toBe(3);
    await expect.poll(() => api.watches).toBe(1);
    await goesOn(watching, api);
    watching.stop();
  });

  it('a silence in which nothing comes, not even a bookmark', async () => {
    const { api, watching } = await watched(100);
    let silenced = 0;
    api.intercept = ({ query }, response) => {
      if (!query.has('watch') || silenced === 1) return false;
      silenced += 1;
      response.writeHead(200).flushHeaders();
      return true;
    };
    api.cutWatches();
    await expect.poll(() => silenced).toBe(1);
    // 150 s of the hurried clock later.
    await expect.poll(() => api.watches, { timeout: 15_000, interval: 100 }).toBe(1);
    await goesOn(watching, api);
    watching.stop();
  });

  it('an answer that never begins', async () => {
    const { api, watching } = await watched();
    let held = 0;
    api.intercept = ({ query }) => query.has('watch') && ++held === 1;
    api.cutWatches();
    await expect.poll(() => held, { timeout: 10_000 }).toBeGreaterThan(1);
    await goesOn(watching, api);
    watching.stop();
  });
});

describe('a watch notices what happened while it was down:', () => {
  it('a deletion, of which the next watch says nothing', async () => {
    const { api, other, watching } = await watched();
    await other.write(acquisition(null), CALL);
    await watching.until((items) => items.at(-1)?.sessionId === 's-1');
    api.cutWatches();
    api.leases.remove('billing');
    await watching.until((items) => items.at(-1) === null);
    watching.stop();
  });

  it('nothing where nothing happened: the same version is not told again', async () => {
    const { api, other, watching } = await watched();
    await other.write(acquisition(null), CALL);
    await watching.until((items) => items.at(-1)?.sessionId === 's-1');
    const before = watching.items.length;
    api.cutWatches();
    await expect.poll(() => watchesAsked(api)).toBe(2);
    await expect.poll(() => api.watches).toBe(1);
    await goesOn(watching, api);
    watching.stop();
    expect(watching.items).toHaveLength(before + 1);
  });
});

describe('a watch does not', () => {
  it('tell of other objects, whatever the server sends', async () => {
    const { api, watching } = await watched();
    const object = { metadata: { name: 'other', uid: 'u', resourceVersion: '999999' }, spec: {} } satisfies Stored;
    api.sendToWatches(`${JSON.stringify({ type: 'ADDED', object })}\n`);
    await goesOn(watching, api);
    watching.stop();
    expect(watching.items.map((item) => item?.version ?? 0n)).not.toContain(999999n);
  });

  it('ask as fast as somebody answers 200 and nothing', async () => {
    const random = { uuid: () => '', next: () => 0.5 };
    const { api, watching } = await watched(HURRY, { random });
    api.intercept = ({ query }, response) => {
      if (!query.has('watch')) return false;
      response.writeHead(200).end();
      return true;
    };
    api.cutWatches();
    const startMs = performance.now();
    await expect.poll(() => watchesAsked(api), { timeout: 15_000 }).toBeGreaterThan(8);
    watching.stop();
    // Half of 0.5, 1, 2, 4, 8 and three times 10 s.
    expect((performance.now() - startMs) * HURRY).toBeGreaterThan(20_000);
  });
});

describe('without the right to watch', () => {
  it('the object is read every few seconds, and that is reported once', async () => {
    const api = await localApi();
    api.intercept = ({ query }, response) => {
      if (!query.has('watch')) return false;
      send(response, status(403, 'Forbidden', 'leases is forbidden: cannot watch'));
      return true;
    };
    const { lease, findings } = await openOn(api, {}, { clock: hurriedClock(HURRY) });
    const watching = record(lease.watch.bind(lease));
    await goesOn(watching, api);
    await goesOn(watching, api);
    watching.stop();
    expect(findings.map(({ detail }) => detail)).toEqual([expect.stringContaining('cannot watch')]);
    expect(watchesAsked(api)).toBe(1);
  });
});
