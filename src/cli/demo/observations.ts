import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import { NS_PER_MS } from '../../drivers/system/monotonic.ts';
import type { ContainerState } from '../../ports/container.ts';
import type { LeaseRecord } from '../../ports/lease-store.ts';
import type { DemoComponent, FromWorker } from './messages.ts';
import type { Note, RecordedLine } from './recording.ts';
import { type Deletion, type Reign, withdrawalKey } from './verdict.ts';

interface OpenReign {
  readonly participant: string;
  readonly beganNs: bigint;
  endedNs: bigint | null;
}

/** Everything that the demo has seen: what its participants said, and what a follower found in the store. */
export class Observations {
  readonly deletions: Deletion[] = [];
  /** What the demo itself did to its participants. */
  readonly notes: Note[] = [];
  readonly entries = new Map<string, LeaderInformation>();
  lease: LeaseRecord | null = null;
  readonly #reigns = new Map<string, OpenReign>();
  readonly #withdrawals = new Set<string>();
  readonly #lines: { readonly participant: string; readonly ns: bigint; readonly line: RecordedLine['line'] }[] = [];
  readonly #origins = new Map<string, bigint>();

  hear(participant: string, message: FromWorker): void {
    const ns = BigInt(message.ns);
    if (message.kind === 'began') {
      this.#reigns.set(`${message.sessionId}/${message.component}`, { participant, beganNs: ns, endedNs: null });
    } else if (message.kind === 'ended') {
      const reign = this.#reigns.get(`${message.sessionId}/${message.component}`);
      if (reign !== undefined) reign.endedNs = ns;
    } else if (message.kind === 'trace') this.#trace(participant, ns, message.line);
  }

  died(participant: string, atNs: bigint): void {
    for (const reign of this.#reigns.values()) {
      if (reign.participant === participant) reign.endedNs ??= atNs;
    }
  }

  /** Answers what is new for followers. */
  follow(state: ContainerState): DemoComponent[] {
    const fresh: string[] = [];
    const gone = state.full ? [...this.entries.keys()].filter((component) => !state.changed.has(component)) : [];
    for (const [component, information] of state.changed) {
      if (information === null) gone.push(component);
      else {
        if (this.entries.get(component)?.sessionId !== information.sessionId) fresh.push(component);
        this.entries.set(component, information);
      }
    }
    for (const component of gone) {
      const entry = this.entries.get(component);
      if (entry !== undefined) this.deletions.push({ component, entry });
      this.entries.delete(component);
    }
    return fresh as DemoComponent[];
  }

  /** Whether any session of this participant is still at work. */
  leads(participant: string): boolean {
    return [...this.#reigns.values()].some((reign) => reign.participant === participant && reign.endedNs === null);
  }

  reigns(nowNs: bigint): Reign[] {
    return [...this.#reigns.values()].map((reign) => ({ ...reign, endedNs: reign.endedNs ?? nowNs }));
  }

  get withdrawals(): ReadonlySet<string> {
    return this.#withdrawals;
  }

  recorded(): RecordedLine[] {
    return this.#lines.map(({ participant, line }) => ({
      participant,
      line,
      originNs: this.#origins.get(participant) ?? 0n,
    }));
  }

  #trace(participant: string, ns: bigint, line: RecordedLine['line']): void {
    this.#lines.push({ participant, ns, line });
    // A line is never sent before its time, so the earliest estimate is the nearest.
    const originNs = ns - BigInt(Math.round(line.t * NS_PER_MS));
    const known = this.#origins.get(participant);
    if (known === undefined || originNs < known) this.#origins.set(participant, originNs);
    if (line.event !== 'register.withdraw' || line.session === null) return;
    const component = line.from.replace(/^leadership:/, '');
    this.#withdrawals.add(withdrawalKey(component, line.session));
  }
}
