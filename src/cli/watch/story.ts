import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import { sameInformation } from '../../../machines/vocabulary.ts';
import type { ContainerState } from '../../ports/container.ts';

/** One change that a follower sees; with `--json` one document a line. */
export interface WatchChange {
  readonly component: string;
  /** `superseded`: a newer session has fenced the register and has not confirmed yet. */
  readonly state: 'confirmed' | 'superseded' | 'withdrawn';
  /** Identity of the leader, as far as the lease has told it. */
  readonly holder: string | null;
  readonly sessionId: string;
  readonly fencingToken: bigint;
  readonly address: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Milliseconds since the watch began. */
  readonly atMs: number;
  /** How long the component had no confirmed leader before this confirmation. */
  readonly gapMs: number | null;
}

interface Known {
  readonly information: LeaderInformation;
  readonly state: WatchChange['state'];
  /** When the component stopped being confirmed. */
  readonly lostAtMs: number | null;
}

/** Turns states of the register into the changes that happened between them. */
export class WatchStory {
  readonly #known = new Map<string, Known>();
  readonly #holders = new Map<string, string>();

  /** The lease says who owns a session; entries of the register do not. */
  learn(sessionId: string, holder: string): void {
    if (sessionId !== '') this.#holders.set(sessionId, holder);
  }

  read(state: ContainerState, atMs: number): WatchChange[] {
    const changes: WatchChange[] = [];
    const withdrawn = [...this.#known.keys()].filter((component) => state.full && !state.changed.has(component));
    for (const [component, information] of state.changed) {
      if (information === null) withdrawn.push(component);
      else changes.push(...this.#entry(component, information, state.fence?.fencingToken ?? null, atMs));
    }
    for (const component of withdrawn) changes.push(...this.#lose(component, 'withdrawn', atMs, null));
    if (state.fence !== null) {
      for (const [component, { information }] of this.#known) {
        if (information.fencingToken >= state.fence.fencingToken) continue;
        changes.push(...this.#lose(component, 'superseded', atMs, state.fence.fencingToken));
      }
    }
    return changes;
  }

  /** Components that are confirmed now, with the session that confirmed them. */
  confirmed(): ReadonlyMap<string, string> {
    const all = [...this.#known].filter(([, { state }]) => state === 'confirmed');
    return new Map(all.map(([component, { information }]) => [component, information.sessionId]));
  }

  #entry(component: string, information: LeaderInformation, fence: bigint | null, atMs: number): WatchChange[] {
    if (fence !== null && information.fencingToken < fence) {
      // An entry of an older session, seen for the first time: the loop over the fence tells it.
      if (!this.#known.has(component)) this.#known.set(component, { information, state: 'confirmed', lostAtMs: null });
      return [];
    }
    const before = this.#known.get(component);
    if (before?.state === 'confirmed' && sameInformation(before.information, information)) return [];
    this.#known.set(component, { information, state: 'confirmed', lostAtMs: null });
    const lostAtMs = before?.lostAtMs ?? null;
    return [this.#change(component, 'confirmed', information, atMs, lostAtMs === null ? null : atMs - lostAtMs)];
  }

  #lose(component: string, state: 'superseded' | 'withdrawn', atMs: number, byToken: bigint | null): WatchChange[] {
    const before = this.#known.get(component);
    if (before === undefined || before.state === state || before.state === 'withdrawn') return [];
    this.#known.set(component, { ...before, state, lostAtMs: before.lostAtMs ?? atMs });
    const change = this.#change(component, state, before.information, atMs, null);
    return [byToken === null ? change : { ...change, fencingToken: byToken }];
  }

  #change(
    component: string,
    state: WatchChange['state'],
    information: LeaderInformation,
    atMs: number,
    gapMs: number | null,
  ): WatchChange {
    const { sessionId, fencingToken, address, metadata } = information;
    const holder = this.#holders.get(sessionId) ?? null;
    return { component, state, holder, sessionId, fencingToken, address, metadata, atMs, gapMs };
  }
}
