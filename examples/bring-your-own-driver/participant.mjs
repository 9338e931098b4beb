// @ts-check
import { randomUUID } from 'node:crypto';
import { leadershipMachine, strict } from 'tenure/machines';
import { createActor } from 'xstate';

/** @typedef {import('tenure/machines').LeadershipCommand} Command */
/** @typedef {import('tenure/machines').Session} Session */
/**
 * What leads. It may confirm where it can be reached, and has to end when the signal aborts.
 * @typedef {(session: Session, signal: AbortSignal, confirm: (address: string) => void) => Promise<void>} Work
 */

export class Participant {
  #name;
  #lock;
  #register;
  #work;
  #actor;
  /** @type {Map<string, NodeJS.Timeout>} */
  #timers = new Map();
  /** @type {Session | null} */
  #session = null;
  #abort = new AbortController();
  #stopAsking = () => {};
  #onClosed = () => {};

  /** @param {{ name: string, lock: import('./store.mjs').Lock, register: import('./store.mjs').Register, work: Work }} options */
  constructor({ name, lock, register, work }) {
    this.#name = name;
    this.#lock = lock;
    this.#register = register;
    this.#work = work;
    const machine = strict(leadershipMachine, (snapshot, event) => {
      throw new Error(`${name}: ${event.type} is not declared in ${JSON.stringify(snapshot.value)}`);
    });
    this.#actor = createActor(machine, { input: { component: 'restserver' } });
    // Each command comes after the step that emitted it; an answer that is sent meanwhile waits in the actor's mailbox.
    this.#actor.on('*', (command) => this.#carryOut(command));
    this.#actor.start();
  }

  /** Tells the work to stop; the lock is given back once it has. */
  stepDown() {
    const { id: sessionId } = this.#session ?? { id: '' };
    this.#actor.send({ type: 'revoked', sessionId, reason: 'stepped-down' });
  }

  /** @returns {Promise<void>} */
  close() {
    return new Promise((resolve) => {
      this.#onClosed = resolve;
      this.#actor.send({ type: 'close' });
    });
  }

  /** @param {Command} command */
  #carryOut(command) {
    switch (command.type) {
      case 'component.joined':
        return this.#ask();
      case 'component.left':
        return this.#stopAsking();
      case 'component.drained':
        return this.#giveBack();
      case 'contender.start':
        return void this.#start(command.session);
      case 'contender.stop':
        return this.#abort.abort(command.reason);
      case 'register.publish':
        return void this.#publish(command);
      case 'register.read-back':
        return void this.#readBack(command);
      case 'register.withdraw':
        return void this.#withdraw(command);
      case 'timer.set':
        return this.#setTimer(command);
      case 'timer.cancel':
        return this.#cancelTimer(command.id);
      case 'leadership.closed':
        return this.#onClosed();
      case 'finding':
        return console.log(`${this.#name}: ${command.code}: ${command.detail}`);
      default:
        // Progress that this shell has nobody to tell of: confirm.settled, contender.suspended, …
        return;
    }
  }

  #ask() {
    this.#stopAsking = this.#lock.ask((fencingToken) => {
      this.#session = { id: randomUUID(), fencingToken };
      this.#actor.send({ type: 'granted', session: this.#session });
    });
  }

  /** The work of the session has settled: only now may somebody else start. */
  #giveBack() {
    this.#session = null;
    this.#ask();
    this.#lock.release();
  }

  /** @param {Session} session */
  async #start(session) {
    const sessionId = session.id;
    this.#abort = new AbortController();
    this.#actor.send({ type: 'contender.started', sessionId });
    let confirms = 0;
    /** @type {'returned' | 'failed'} */
    let outcome = 'returned';
    try {
      await this.#work(session, this.#abort.signal, (address) => {
        confirms += 1;
        const confirmId = `${sessionId}/${confirms}`;
        this.#actor.send({ type: 'contender.confirm', sessionId, confirmId, reachable: { address, metadata: {} } });
      });
    } catch (error) {
      outcome = 'failed';
      console.error(error);
    }
    this.#actor.send({ type: 'contender.settled', sessionId, outcome });
  }

  /** @param {Extract<Command, { type: 'register.publish' }>} command */
  async #publish({ attempt, entry }) {
    const answer = { sessionId: entry.sessionId, attempt };
    try {
      const result = await this.#register.write(entry.fencingToken, entry);
      if (result.outcome === 'fenced') this.#actor.send({ type: 'publish.fenced', ...answer });
      else this.#actor.send({ type: 'publish.committed', ...answer, version: result.version });
    } catch (error) {
      console.log(`${this.#name}: not known whether the entry was written (${/** @type {Error} */ (error).message})`);
      this.#actor.send({ type: 'publish.unknown', ...answer });
    }
  }

  /**
   * The final answer after an unknown one. Here a write whose answer got lost was applied before or never will be; with a
   * store where it may still be on its way, first make it impossible (raise the version that it expects), then answer.
   * @param {Extract<Command, { type: 'register.read-back' }>} command
   */
  async #readBack({ sessionId, attempt }) {
    const { entry, version } = await this.#register.read();
    const isThere = entry?.sessionId === sessionId;
    console.log(`${this.#name}: read back, the entry is ${isThere ? 'there' : 'not there'}`);
    if (isThere) this.#actor.send({ type: 'publish.committed', sessionId, attempt, version });
    else this.#actor.send({ type: 'publish.dead', sessionId, attempt });
  }

  /** @param {Extract<Command, { type: 'register.withdraw' }>} command */
  async #withdraw({ sessionId, attempt }) {
    const answer = { sessionId, attempt };
    try {
      const { entry } = await this.#register.read();
      // Only an entry of this very session may be deleted.
      const isOurs = entry?.sessionId === sessionId;
      const result = isOurs ? await this.#register.write(entry.fencingToken, null) : null;
      this.#actor.send({ type: result?.outcome === 'fenced' ? 'withdraw.fenced' : 'withdraw.committed', ...answer });
    } catch {
      // Deleting once more is harmless, so an unknown outcome needs no name of its own: the machine tries again.
      this.#actor.send({ type: 'withdraw.failed', ...answer });
    }
  }

  /** @param {Extract<Command, { type: 'timer.set' }>} command */
  #setTimer(command) {
    this.#cancelTimer(command.id);
    if (!('afterMs' in command)) throw new Error('the leadership machine sets no timers at an absolute time');
    const { id, afterMs, jitter } = command;
    const elapsed = () => this.#actor.send({ type: 'timer.elapsed', id, nowMs: performance.now() });
    this.#timers.set(id, setTimeout(elapsed, afterMs * (1 + jitter * Math.random())));
  }

  /** @param {string} id */
  #cancelTimer(id) {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }
}
