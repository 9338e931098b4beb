import { describe, it } from 'vitest';
import type { LeaderInformation } from '../../machines/vocabulary.ts';
import { follower } from './follower.ts';
import { holds, isBroken } from './holds.ts';
import { type Follower, retrievalProperty } from './retrieval-model.ts';

describe('retrieval never goes back', () => {
  it('with late, doubled and mixed up news', () => holds(retrievalProperty(follower), 500));
});

type Register = { readonly version: bigint; readonly entry: LeaderInformation | null };

/** Followers as one writes them at first. */
const NAIVE: Readonly<Record<string, () => Follower>> = {
  'believes whatever comes last': () => ({ send: (event) => ('entry' in event ? [event.entry] : []) }),
  'looks at versions only': () => {
    let newest = -1n;
    return {
      send(event) {
        if (!('entry' in event) || event.version < newest) return [];
        newest = event.version;
        return [event.entry];
      },
    };
  },
  'looks at tokens only': () => {
    let newest = 0n;
    return {
      send(event) {
        if (!('entry' in event) || (event.entry?.fencingToken ?? newest) < newest) return [];
        newest = event.entry?.fencingToken ?? newest;
        const isSuperseded = (event.fence?.fencingToken ?? 0n) > newest;
        return [isSuperseded ? null : event.entry];
      },
    };
  },
  'forgets that it has been told of a newer fence': () => {
    let known: Register = { version: -1n, entry: null };
    return {
      send(event) {
        if (event.type === 'close' || event.version < known.version) return [];
        const entry = 'entry' in event ? event.entry : known.entry;
        known = { version: event.version, entry };
        const isSuperseded = event.fence !== null && (entry?.fencingToken ?? 0n) < event.fence.fencingToken;
        // The fence of the entry's own message counts, the one that came alone does not.
        return [event.type === 'register.changed' && isSuperseded ? null : entry];
      },
    };
  },
};

describe('the property finds a follower that', () => {
  it.each([
    ['believes whatever comes last', /goes back|although a fence/],
    ['looks at versions only', /although a fence/],
    ['looks at tokens only', /goes back|although a fence|in the end/],
    ['forgets that it has been told of a newer fence', /although a fence/],
  ] as const)('%s', async (fault, says) => {
    const naive = NAIVE[fault];
    if (naive === undefined) throw new Error(`there is no follower that ${fault}`);
    await isBroken(retrievalProperty(naive), says, 1_000);
  });
});
