import type { ContainerCommand, ContainerEvent } from '../../machines/container-messages.ts';
import { containerMachine } from '../../machines/index.ts';
import type { LeaderInformation } from '../../machines/vocabulary.ts';
import * as w from './container-words.ts';
import { start } from './stepper.ts';

type Asked = Extract<ContainerCommand, { to: 'store' }>;
type WriteCommand = Extract<ContainerCommand, { type: 'container.write' }>;

const FINAL = /^(publish\.(committed|failed|dead|fenced|rejected)|withdraw\.)/;
const keyOf = (one: { component: string; attempt: number }): string => `${one.component}/${one.attempt}`;

/** A store that keeps its contract, and a network that answers late, loses answers and delivers lost writes later. */
export class RegisterWorld {
  readonly rig = start(containerMachine, {});
  readonly asked: string[] = [];
  readonly finals: string[] = [];
  /** Answers that were not true: what they said and about what. */
  readonly lies: string[] = [];
  readonly #applied = new Set<string>();
  /** Answered "never": by address, as each publish carries one of its own. */
  readonly #never = new Set<string>();
  #version = 4n;
  #fence = { fencingToken: 0n, sessionId: '' };
  readonly #entries = new Map<string, LeaderInformation>();
  #calls: Asked[] = [];
  #floating: WriteCommand[] = [];
  #timers: string[] = [];
  #session = w.k1;
  #attempts = 0;

  constructor() {
    this.#send(w.open(w.k1, 0n));
  }

  act(draw: number): void {
    const rest = Math.floor(draw / 8);
    const component = `c${rest % 3}`;
    switch (draw % 8) {
      case 0:
      case 1:
        this.#ask(w.publish(component, ++this.#attempts, this.#session, `at-${this.#attempts}`));
        break;
      case 2:
        this.#ask(w.withdraw(component, ++this.#attempts, this.#session));
        break;
      case 3:
      case 4:
        this.#answer(rest % 9);
        break;
      case 5:
        this.#fire();
        break;
      case 6:
        this.#arrive();
        break;
      default:
        if (rest % 12 === 0) this.#nextSession();
    }
  }

  windDown(): void {
    for (let round = 0; round < 200 && (this.#calls.length > 0 || this.#timers.length > 0); round++) {
      this.#answer(0);
      this.#fire();
    }
  }

  letEverythingArrive(): void {
    while (this.#floating.length > 0) this.#arrive();
  }

  #nextSession(): void {
    const fencingToken = this.#session.fencingToken + 10n;
    this.#session = { id: `k${fencingToken}`, fencingToken };
    this.#send(w.open(this.#session, this.#version));
  }

  #ask(event: ContainerEvent): void {
    if ('attempt' in event) this.asked.push(keyOf(event));
    this.#send(event);
  }

  #fire(): void {
    const id = this.#timers.shift();
    if (id !== undefined) this.#send(w.elapsed(id));
  }

  /** A write that was thought lost arrives at the store after all. */
  #arrive(): void {
    const write = this.#floating.shift();
    if (write !== undefined) this.#apply(write);
  }

  #answer(how: number): void {
    const call = this.#calls.shift();
    if (call === undefined) return;
    if (call.type === 'container.read') {
      this.#send(how === 1 ? w.readFailed(call.readId) : this.#read(call.readId, call.keys));
    } else this.#send(this.#outcomeOf(call, how));
  }

  #read(readId: number, keys: readonly string[]): ContainerEvent {
    const entries = keys.map((key) => [key, this.#entries.get(key) ?? null] as const);
    return w.found(readId, this.#version, entries, this.#fenceAsSession());
  }

  #outcomeOf(write: WriteCommand, how: number): ContainerEvent {
    if (how === 1) return w.refused(write.writeId);
    if (how === 2) return w.refused(write.writeId, write.puts.size > 0 ? 'too-large' : 'unavailable');
    if (how === 3) this.#floating.push(write);
    const result = how === 3 || how === 5 ? null : this.#apply(write);
    return how >= 3 && how <= 5 ? w.unknown(write.writeId) : (result ?? w.unknown(write.writeId));
  }

  #fenceAsSession() {
    return { id: this.#fence.sessionId, fencingToken: this.#fence.fencingToken };
  }

  #apply(write: WriteCommand): ContainerEvent {
    const current = this.#fenceAsSession();
    const { fence, writeId, puts, withdrawals } = write;
    const isFenced =
      this.#fence.fencingToken > fence.fencingToken ||
      (this.#fence.fencingToken === fence.fencingToken && this.#fence.sessionId !== fence.sessionId);
    if (isFenced) return w.fencedBy(writeId, current);
    if (write.expectedVersion !== this.#version) return w.conflict(writeId, this.#version, current);
    this.#version += 1n;
    this.#fence = fence;
    for (const [key, entry] of puts) this.#entries.set(key, entry);
    for (const [key, id] of withdrawals) if (this.#entries.get(key)?.sessionId === id) this.#entries.delete(key);
    for (const { address } of puts.values()) {
      this.#applied.add(address);
      if (this.#never.has(address)) this.lies.push(`${address} was applied after "never"`);
    }
    return w.committed(writeId, this.#version);
  }

  #send(event: ContainerEvent): void {
    for (const command of this.rig.send(event)) {
      if (command.to === 'store') this.#calls.push(command);
      else if (command.type === 'timer.set') this.#timers = [...this.#timers, command.id];
      else if (command.type === 'timer.cancel') this.#timers = this.#timers.filter((id) => id !== command.id);
      else if (FINAL.test(command.type) && 'attempt' in command) {
        const component = command.to.slice('leadership:'.length);
        this.finals.push(keyOf({ component, attempt: command.attempt }));
        this.#judge(command.type, component, command.attempt);
      }
    }
  }

  #judge(answer: string, component: string, attempt: number): void {
    const address = `at-${attempt}`;
    const isApplied = this.#applied.has(address);
    // Joined in one write with a later operation on the same key, it is part of the past as soon as it is written.
    const isShadowed = this.asked.some((one) => one.startsWith(`${component}/`) && Number(one.split('/')[1]) > attempt);
    if (answer === 'publish.committed' && !isApplied && !isShadowed) this.lies.push(`${address} is not there`);
    if (!/publish\.(failed|dead|rejected)/.test(answer)) return;
    this.#never.add(address);
    if (isApplied) this.lies.push(`${address} was applied before "${answer}"`);
  }
}
