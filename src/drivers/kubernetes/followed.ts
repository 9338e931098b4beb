import type { Random } from '../../ports/random.ts';
import { type Api, type Call, pause } from './api.ts';
import { Latest, type Sighting } from './latest.ts';
import type { Kind, KubeObject } from './objects.ts';
import { type WatchEnd, watchOnce } from './watch-connection.ts';

export type Found =
  | { readonly kind: 'found'; readonly object: KubeObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly detail: string };

export interface FollowedOptions {
  readonly api: Api;
  readonly kind: Kind;
  readonly name: string;
  readonly random: Random;
  /** How long a healthy watch of this object can be silent; `spacingMs` lay between its last two changes. */
  readonly quietMs: (object: KubeObject | null | undefined, spacingMs: number | null) => number;
  readonly report: (detail: string) => void;
}

/** A connection that has lasted so long was a good one: the next may be tried at once. */
const STEADY_MS = 5_000;
const BACK_OFF_MS = 250;
const LONGEST_BACK_OFF_MS = 10_000;
const LOOK_MS = 2_000;
/** Where watching is forbidden: readings as far apart as client-go's, and how often the right is asked for again. */
const POLL_MS = 2_000;
const ASK_AGAIN_MS = 300_000;

const CHANCE = 'kubernetes watch';

/** One object that is read, and watched for as long as anybody listens: one connection for all of them. */
export class Followed {
  readonly #o: FollowedOptions;
  readonly #latest: Latest;
  #watching: AbortController | null = null;
  #changedAtMs: number | null = null;
  #spacingMs: number | null = null;
  #hasReported = false;

  constructor(options: FollowedOptions) {
    this.#o = options;
    const { kind, name, report } = options;
    this.#latest = new Latest(() =>
      report(`the ${kind.kind} ${name} has an older version than before: the cluster's store was restored from a copy`),
    );
  }

  /** As far as known without asking. */
  get known(): KubeObject | null | undefined {
    return this.#latest.object;
  }

  /** An answer to a write of ours. */
  see(object: KubeObject): void {
    this.#latest.see(object);
  }

  async look(call: Call): Promise<Found> {
    const { api, kind, name } = this.#o;
    const mark = this.#latest.mark();
    const answer = await api.get(kind, name, call);
    if (answer.kind === 'done') {
      this.#latest.read(answer.object, mark);
      return { kind: 'found', object: answer.object };
    }
    if (answer.kind !== 'missing') return { kind: 'failed', detail: answer.detail };
    this.#latest.read(null, mark);
    return { kind: 'absent' };
  }

  /** `isAnew`: changes may have been missed since the listener was told before. */
  subscribe(listener: (sighting: Sighting, isAnew: boolean) => void): () => void {
    if (this.#o.api.isClosed) return () => {};
    const unsubscribe = this.#latest.subscribe(listener);
    if (this.#watching === null) {
      this.#watching = new AbortController();
      void this.#follow(this.#watching.signal);
    }
    return () => {
      unsubscribe();
      if (!this.#latest.isFollowed) this.#stop();
    };
  }

  close(): void {
    this.#latest.clear();
    this.#stop();
  }

  #stop(): void {
    this.#watching?.abort();
    this.#watching = null;
    this.#latest.lose();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock } = this.#o.api;
    let failures = 0;
    while (!signal.aborted) {
      const beganMs = clock.nowMs();
      const end = await this.#watch(signal);
      if (signal.aborted) return;
      this.#latest.lose();
      const isSteady = clock.nowMs() - beganMs >= STEADY_MS;
      failures = isSteady ? 0 : failures + 1;
      if (end.kind === 'forbidden') await this.#poll(end, signal);
      // Also an orderly end counts as a failure when it comes at once: a proxy that answers 200 and nothing would be asked
      // as fast as it answers.
      else if (end.kind !== 'orderly' || !isSteady) await this.#rest(end, failures, signal);
    }
  }

  async #watch(signal: AbortSignal): Promise<WatchEnd> {
    const { api, kind, name, random, quietMs } = this.#o;
    return await watchOnce({
      api,
      kind,
      name,
      signal,
      timeoutSeconds: 300 + Math.floor(random.next(CHANCE) * 300),
      quietMs: () => quietMs(this.known, this.#spacingMs),
      news: {
        opened: () => {
          this.#latest.resume();
          // The watch says nothing of an object that is not there.
          void this.#glance(signal);
        },
        changed: (object) => {
          this.#measure();
          this.#latest.see(object);
        },
        deleted: (version) => this.#latest.seeDeleted(version),
      },
    });
  }

  #measure(): void {
    const nowMs = this.#o.api.clock.nowMs();
    if (this.#changedAtMs !== null) this.#spacingMs = nowMs - this.#changedAtMs;
    this.#changedAtMs = nowMs;
  }

  /** Full jitter: when an API server restarts, all its watches end in the same moment. */
  async #rest(end: WatchEnd, failures: number, signal: AbortSignal): Promise<void> {
    const { api, random } = this.#o;
    if (end.kind === 'unauthorized') await api.renewCredentials();
    const longestMs = Math.min(LONGEST_BACK_OFF_MS, BACK_OFF_MS * 2 ** Math.min(failures, 20));
    const restMs = Math.max(end.retryAfterMs, random.next(CHANCE) * longestMs);
    // Readings may get through where a watch does not.
    await Promise.all([pause(api.clock, restMs, signal), this.#glance(signal)]);
  }

  async #poll(end: WatchEnd, signal: AbortSignal): Promise<void> {
    const { api, kind, name, random, report } = this.#o;
    if (!this.#hasReported)
      report(`the ${kind.kind} ${name} is read every few seconds instead of watched: ${end.detail}`);
    this.#hasReported = true;
    const endMs = api.clock.nowMs() + ASK_AGAIN_MS;
    while (!signal.aborted && api.clock.nowMs() < endMs) {
      await this.#glance(signal);
      await pause(api.clock, POLL_MS * (1 + 1.2 * random.next(CHANCE)), signal);
    }
  }

  async #glance(signal: AbortSignal): Promise<void> {
    if (!signal.aborted) await this.#o.api.within(LOOK_MS, (call) => this.look(call));
  }
}
