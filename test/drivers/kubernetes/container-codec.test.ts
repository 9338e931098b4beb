import { describe, expect, it } from 'vitest';
import { ContentReader, encodeEntry, encodeFence, sizeOf } from '../../../src/drivers/kubernetes/container-codec.ts';
import { entryKey, leaseName, registerName } from '../../../src/drivers/kubernetes/names.ts';
import type { KubeObject } from '../../../src/drivers/kubernetes/objects.ts';

const INFORMATION = { sessionId: 's-1', fencingToken: 2n ** 60n + 1n, address: 'http://a', metadata: { zone: 'b' } };

function map(data: Record<string, string>, annotations: Record<string, string> = {}): KubeObject {
  const metadata = { name: 'billing-leaders', namespace: 'default', uid: 'u', resourceVersion: '1', annotations };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}

function reading() {
  const poison: string[] = [];
  return { poison, reader: new ContentReader((key, reason) => poison.push(`${key}: ${reason}`)) };
}

describe('the content of a register', () => {
  it('comes back as it was written', () => {
    const { reader, poison } = reading();
    const fence = { fencingToken: 2n ** 60n, sessionId: 's-1' };
    const data = { 'leader.web': encodeEntry('web', INFORMATION) };
    const content = reader.read(map(data, { 'tenure/fence': encodeFence(fence) }));
    expect(content).toEqual({ fence, entries: new Map([['web', INFORMATION]]) });
    expect(poison).toEqual([]);
  });

  it('never has a key of somebody else in it', () => {
    const { reader, poison } = reading();
    expect(reader.read(map({ port: '8080', web: encodeEntry('web', INFORMATION) })).entries.size).toBe(0);
    expect(poison).toEqual([]);
  });

  it('is the same object for a value that has not changed', () => {
    const { reader } = reading();
    const a = encodeEntry('a', INFORMATION);
    const before = reader.read(map({ 'leader.a': a, 'leader.b': encodeEntry('b', INFORMATION) }));
    const after = reader.read(map({ 'leader.a': a, 'leader.b': encodeEntry('b', { ...INFORMATION, address: 'c' }) }));
    expect(after.entries.get('a')).toBe(before.entries.get('a'));
    expect(after.entries.get('b')).not.toBe(before.entries.get('b'));
  });

  const good = JSON.parse(encodeEntry('web', INFORMATION)) as Record<string, unknown>;
  it.each([
    ['no JSON', '{', 'it is no JSON object'],
    ['a list', '[]', 'it is no JSON object'],
    ['another name', JSON.stringify({ ...good, component: 'other' }), 'it names another component than its key'],
    ['no session', JSON.stringify({ ...good, sessionId: '' }), 'it names no session'],
    ['a token that is a number', JSON.stringify({ ...good, fencingToken: 7 }), 'its fencing token is no whole number'],
    ['no address', JSON.stringify({ ...good, address: null }), 'its address is no text'],
    ['metadata of numbers', JSON.stringify({ ...good, metadata: { a: 1 } }), 'its metadata is not made of texts'],
  ])('leaves out and reports once a value that is %s', (_, value, reason) => {
    const { reader, poison } = reading();
    const other = encodeEntry('other', INFORMATION);
    for (let n = 0; n < 3; n += 1) {
      const { entries } = reader.read(map({ 'leader.web': value, 'leader.other': other }));
      expect([...entries.keys()]).toEqual(['other']);
    }
    expect(poison).toEqual([`leader.web: ${reason}`]);
  });

  it('has no fence where the note is damaged, and says so', () => {
    const { reader, poison } = reading();
    expect(reader.read(map({}, { 'tenure/fence': '{"fencingToken":-1}' })).fence).toBeNull();
    expect(poison).toEqual(['tenure/fence: it is no fence']);
  });

  it('is as large as the server counts: values in UTF-8, binary ones decoded, keys not', () => {
    const object = { ...map({ key: 'é' }), binaryData: { other: Buffer.alloc(30).toString('base64') } };
    expect(sizeOf(object)).toBe(32);
  });
});

describe('names', () => {
  it.each(['billing', 'a.b', '0', 'a-b.c', 'x'.repeat(200)])('of election %s stay as they are', (election) => {
    expect([leaseName(election), registerName(election)]).toEqual([election, `${election}-leaders`]);
  });

  it.each(['a..b', 'a-', 'a.-b', `${'x'.repeat(199)}.`])(
    'of election %s become names that the server takes',
    (election) => {
      expect(leaseName(election)).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
      expect(registerName(election).length).toBeLessThanOrEqual(253);
    },
  );

  it('of elections that differ are different', () => {
    const elections = ['a..b', 'a.-b', 'a-b', 'a-.b', 'a--b', 'a-', 'a', 'a.', '0'];
    expect(new Set(elections.map(leaseName)).size).toBe(elections.length);
  });

  it.each(['web', '..', '.', '..a', 'a b', '漢'.repeat(200), 'x'.repeat(200)])(
    'of component %s make a valid key',
    (name) => {
      expect(entryKey(name)).toMatch(/^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/);
    },
  );
});
