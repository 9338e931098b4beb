import type { AnyStateMachine } from 'xstate';
import {
  containerMachine,
  electionMachine,
  leadershipMachine,
  leaseMachine,
  validityMachine,
} from '../../machines/index.ts';
import type { Session } from '../../machines/vocabulary.ts';
import type { Rig } from './stepper.ts';
import { start } from './stepper.ts';

export type Message = { readonly type: string; readonly to: string } & Readonly<Record<string, unknown>>;
export type Heard = (from: string, message: Message) => void;

/**
 * All machines of one participant around one queue, as the runtime connects them. What leaves them for store, clock,
 * contenders and shell goes to `outside`.
 */
export class Participant {
  readonly name: string;
  readonly components: readonly string[];
  readonly rigs = new Map<string, Rig<AnyStateMachine>>();
  readonly #roster = new Set<string>();
  readonly #queue: { from: string; message: Message }[] = [];
  readonly #outside: Heard;
  #busy = false;

  constructor(name: string, components: readonly string[], outside: Heard) {
    this.name = name;
    this.components = components;
    this.#outside = outside;
    this.#host('election', start(electionMachine));
    this.#host('validity', start(validityMachine, { leaseDurationMs: 15_000, marginMs: 2_000 }));
    this.#host('register', start(containerMachine, {}));
    const timing = { leaseDurationMs: 15_000, marginMs: 2_000, renewMs: 5_000, retryMs: 500, releaseTries: 3 };
    this.#host('driver', start(leaseMachine, { identity: name, ...timing }));
  }

  /** Starts the components; apart from the constructor, because they speak as soon as they exist. */
  start(): void {
    for (const component of this.components) {
      this.#host(`leadership:${component}`, start(leadershipMachine, { component }));
    }
    this.#drain();
  }

  #host(address: string, rig: Rig<never> | Rig<AnyStateMachine> | unknown): void {
    const hosted = rig as Rig<AnyStateMachine>;
    this.rigs.set(address, hosted);
    for (const message of hosted.said) this.#route(address, message as unknown as Message);
  }

  post(message: Message): void {
    this.#route('outside', message);
    this.#drain();
  }

  stateOf(address: string): string {
    return this.rigs.get(address)?.state ?? 'none';
  }

  get session(): Session | null {
    return this.rigs.get('election')?.context.session ?? null;
  }

  #route(from: string, message: Message): void {
    if (message.to !== 'leadership:*') this.#queue.push({ from, message });
    else for (const to of this.#roster) this.#queue.push({ from, message: { ...message, to } });
  }

  #drain(): void {
    if (this.#busy) return;
    this.#busy = true;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) this.#deliver(next);
    this.#busy = false;
  }

  #deliver({ from, message }: { from: string; message: Message }): void {
    const rig = this.rigs.get(message.to);
    const component = `leadership:${String(message.component)}`;
    if (message.to === 'election' && message.type === 'component.joined') this.#roster.add(component);
    if (message.to === 'election' && message.type === 'component.left') this.#roster.delete(component);
    this.#outside(from, message);
    if (rig === undefined) return;
    if (message.type === 'granted' && rig.state === 'closed') this.#answerGrant(message);
    for (const said of rig.send(message as never)) this.#route(message.to, said as unknown as Message);
  }

  /** A grant for a component that has gone meanwhile is drained by the shell. */
  #answerGrant({ to, session }: Message): void {
    const component = to.slice('leadership:'.length);
    const sessionId = (session as Session).id;
    this.#route('shell', { type: 'component.drained', to: 'election', component, sessionId, overstayed: false });
  }
}
