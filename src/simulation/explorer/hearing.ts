import { STORE } from './cells.ts';
import type { Local } from './local.ts';
import { DOWN, DRIVER, ELECTION, LEASE_NEWS, UP } from './model.ts';
import type { Participants } from './participant.ts';
import { isGivenUp } from './parts.ts';
import type { Change, Store, Stores } from './stores.ts';
import type { VersionMap } from './versions.ts';

/** Everything a participant and its watch know is one version older. */
export function grownOlder({ cells, parts }: Participants, local: Local, map: VersionMap): Local {
  return {
    ...local,
    cells: local.cells.map((cell) => cells.mapVersions(cell, map)),
    // A stray that may only create the lease comes too late for ever.
    calls: local.calls
      .filter((call) => !isGivenUp(call) || map.key !== 'L' || call.request.call.expected !== null)
      .map((call) => parts.mapCall(call, map)),
  };
}

export const withNews = (local: Local, { news }: Change): Local =>
  local.status === DOWN ? local : { ...local, news: local.news | news };

/** The watch reports what the store holds now. */
export function hearNews(is: Participants, stores: Stores, local: Local, store: Store, isHolder: boolean): Local {
  if (local.status !== UP) return local;
  let now = local;
  if ((now.news & LEASE_NEWS) !== 0) {
    now = is.turn({ ...now, news: now.news & ~LEASE_NEWS }, STORE, DRIVER, stores.recordSeen(store, isHolder));
  }
  if (now.news === 0) return now;
  return is.turn({ ...now, news: 0 }, STORE, ELECTION, stores.registerObserved(store, now.news));
}
