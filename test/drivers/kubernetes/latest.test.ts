import { describe, expect, it } from 'vitest';
import { Latest } from '../../../src/drivers/kubernetes/latest.ts';
import type { KubeObject } from '../../../src/drivers/kubernetes/objects.ts';

function object(version: number): KubeObject {
  const metadata = { name: 'a', namespace: 'default', uid: 'u', resourceVersion: `${version}` };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

function followed() {
  const told: string[] = [];
  let goneBack = 0;
  const latest = new Latest(() => {
    goneBack += 1;
  });
  const listen = (name = ''): (() => void) =>
    latest.subscribe((sighting, isAnew) => {
      told.push(`${name}${sighting.object === null ? 'none' : 'some'}@${sighting.version}${isAnew ? '!' : ''}`);
    });
  const news = async (): Promise<string[]> => {
    await Promise.resolve();
    return told.splice(0);
  };
  return { latest, listen, news, goneBack: () => goneBack };
}

describe('the newest sighting', () => {
  it('is told in a turn of its own, once, and never an older one', async () => {
    const { latest, listen, news } = followed();
    listen();
    latest.see(object(5));
    expect(await news()).toEqual(['some@5!']);
    latest.see(object(5));
    latest.see(object(4));
    expect(await news()).toEqual([]);
    latest.see(object(6));
    latest.see(object(7));
    expect(await news()).toEqual(['some@7']);
  });

  it('is told to who comes later, but only while it is current', async () => {
    const { latest, listen, news } = followed();
    listen('a ');
    latest.see(object(5));
    await news();
    listen('b ');
    expect(await news()).toEqual(['b some@5!']);
    latest.lose();
    listen('c ');
    expect(await news()).toEqual([]);
    latest.read(object(5), latest.mark());
    expect(await news()).toEqual(['c some@5!']);
  });

  it('is not told to who has stopped, be it in the same turn', async () => {
    const { latest, listen, news } = followed();
    const stop = listen();
    latest.see(object(5));
    stop();
    expect(await news()).toEqual([]);
  });

  it('may hide changes after a gap, and says so once', async () => {
    const { latest, listen, news } = followed();
    listen();
    latest.see(object(5));
    await news();
    latest.lose();
    latest.resume();
    latest.read(object(5), latest.mark());
    expect(await news()).toEqual([]);
    latest.see(object(6));
    expect(await news()).toEqual(['some@6!']);
    latest.see(object(7));
    expect(await news()).toEqual(['some@7']);
  });
});

describe('an absence', () => {
  it('that was never anything else has version 0', async () => {
    const { latest, listen, news } = followed();
    listen();
    latest.read(null, latest.mark());
    expect(await news()).toEqual(['none@0!']);
  });

  it('that a reading found is above the last version and below the next one', async () => {
    const { latest, listen, news } = followed();
    listen();
    latest.see(object(5));
    await news();
    latest.read(null, latest.mark());
    expect(await news()).toEqual(['none@6']);
    latest.see(object(8));
    expect(await news()).toEqual(['some@8']);
  });

  it('that a reading found is nothing when the object was created while it was under way', async () => {
    const { latest, listen, news } = followed();
    listen();
    const mark = latest.mark();
    latest.see(object(5));
    latest.read(null, mark);
    expect(await news()).toEqual(['some@5!']);
    expect(latest.object).toEqual(object(5));
  });

  it('is not undone by a reading that left before the deletion, nor made by a deletion of long ago', async () => {
    const { latest, listen, news } = followed();
    listen();
    latest.see(object(5));
    await news();
    const mark = latest.mark();
    latest.seeDeleted(7n);
    latest.read(object(5), mark);
    expect(await news()).toEqual(['none@7']);
    latest.see(object(9));
    latest.seeDeleted(8n);
    expect(await news()).toEqual(['some@9']);
  });
});

describe('an older version', () => {
  it('from a reading with nothing seen in between means that the store was restored', async () => {
    const { latest, listen, news, goneBack } = followed();
    listen();
    latest.see(object(50));
    await news();
    latest.read(object(7), latest.mark());
    expect(goneBack()).toBe(1);
    latest.see(object(8));
    expect(await news()).toEqual(['some@8']);
    expect(latest.object).toEqual(object(8));
  });
});
