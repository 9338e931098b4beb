import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { RetrievalEvent } from '../../machines/retrieval.ts';
import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';

/** What one follower is made of: takes news, answers the leaders that it tells of because of them. */
export interface Follower {
  send(event: RetrievalEvent): readonly (LeaderInformation | null)[];
}

type Act = 'next-session' | 'confirm' | 'update' | 'withdraw' | 'touch';

/** The register at one version, as far as it is about the followed component. */
interface Moment {
  readonly version: bigint;
  readonly fence: Fence | null;
  readonly entry: LeaderInformation | null;
}

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.constantFrom<Act>('next-session', 'confirm', 'update', 'withdraw', 'touch'),
  { minLength: 1, maxLength: 12 },
);

/** Which moment the news is of (as a share of the history), and which of the two messages it is. */
const news = fc.array(fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }), isFence: fc.boolean() }), {
  maxLength: 25,
});

/** The history of a register: whatever sessions that follow one another may do in it. */
function historyOf(taken: readonly Act[]): readonly Moment[] {
  let now: Moment = { version: 0n, fence: null, entry: null };
  const history = [now];
  for (const act of taken) {
    const token = now.fence?.fencingToken ?? 0n;
    const fence = act === 'next-session' || token === 0n ? fenceOf(token + 1n) : now.fence;
    now = { version: now.version + 1n, fence, entry: entryAfter(act, now.entry, fence as Fence) };
    history.push(now);
  }
  return history;
}

function entryAfter(act: Act, entry: LeaderInformation | null, fence: Fence): LeaderInformation | null {
  const isOwn = entry?.sessionId === fence.sessionId;
  if (act === 'confirm') return { ...fence, address: 'http://first', metadata: {} };
  if (act === 'update' && isOwn) return { ...entry, address: `${entry.address}'` };
  // An older session's entry may be withdrawn late, before the newer one has written its fence, or be left behind.
  return act === 'withdraw' && isOwn ? null : entry;
}

function fenceOf(fencingToken: bigint): Fence {
  return { fencingToken, sessionId: `s${fencingToken}` };
}

function eventOf({ version, fence, entry }: Moment, isFence: boolean): RetrievalEvent {
  if (isFence && fence !== null) return { type: 'fence.changed', version, fence };
  return { type: 'register.changed', version, entry, fence };
}

/** However late, doubled or mixed up the news comes: what a follower tells never goes back, and ends at what is so. */
export const retrievalProperty = (follow: () => Follower) =>
  fc.property(acts, news, (taken, delivered) => {
    const history = historyOf(taken);
    const follower = follow();
    const seen: Seen = { newestFence: 0n, newestLeader: 0n, newestTold: 0n };
    const deliver = (moment: Moment, isFence: boolean): readonly (LeaderInformation | null)[] => {
      seen.newestFence = highest(seen.newestFence, moment.fence?.fencingToken ?? 0n);
      const told = follower.send(eventOf(moment, isFence));
      for (const leader of told) check(leader, moment.version, seen);
      return told;
    };
    const told: (LeaderInformation | null)[] = [];
    for (const { share, isFence } of delivered) {
      const moment = history[Math.min(history.length - 1, Math.floor(share * history.length))] as Moment;
      told.push(...deliver(moment, isFence));
    }
    const last = history.at(-1) as Moment;
    told.push(...deliver(last, false));
    assert.deepEqual(told.at(-1), leaderOf(last), 'what a follower has told in the end');
  });

interface Seen {
  newestFence: bigint;
  newestLeader: bigint;
  /** Version of the newest news that made the follower tell something. */
  newestTold: bigint;
}

function check(leader: LeaderInformation | null, version: bigint, seen: Seen): void {
  assert.ok(version >= seen.newestTold, `goes back from version ${seen.newestTold} to ${version}`);
  seen.newestTold = version;
  if (leader === null) return;
  const { fencingToken: token } = leader;
  assert.ok(token >= seen.newestLeader, `goes back from the leader with token ${seen.newestLeader} to ${token}`);
  assert.ok(token >= seen.newestFence, `tells of token ${token} although a fence with ${seen.newestFence} was seen`);
  seen.newestLeader = token;
}

function leaderOf({ entry, fence }: Moment): LeaderInformation | null {
  return entry !== null && fence !== null && entry.fencingToken < fence.fencingToken ? null : entry;
}

function highest(a: bigint, b: bigint): bigint {
  if (a > b) return a;
  return b;
}
