import { leadershipMachine } from '../../machines/index.ts';
import type { Observation } from '../../machines/invariants.ts';
import type { LeadershipCommand, LeadershipEvent } from '../../machines/leadership-messages.ts';
import type { Session } from '../../machines/vocabulary.ts';
import * as w from './leadership-words.ts';
import { start } from './stepper.ts';

type Write = Extract<LeadershipCommand, { type: 'register.publish' | 'register.withdraw' }>;

/** Election, contender, register and clock around one leadership: each keeps its contract, in any order. */
export class Environment {
  readonly rig = start(leadershipMachine, { component: 'web' });
  readonly trace: Observation[] = [];
  /** Both directions, in order. */
  readonly log: (LeadershipCommand | LeadershipEvent)[] = [];
  readonly confirmIds: string[] = [];
  readonly grants: string[] = [];
  /** Sessions whose contender still ran when the component closed. */
  readonly abandoned: string[] = [];
  #sessions = 0;
  #version = 1n;
  /** What the election has told this component last; `null` after a revoke. */
  #leading: Session | null = null;
  /** The session of the election; a component that rests is out of it for a while. */
  #current: Session | null = null;
  #standing = true;
  #running: Session | null = null;
  #told = false;
  #undrained: string | null = null;
  #writes: { readonly write: Write; doubtful: boolean }[] = [];
  #timers = new Set<string>();

  constructor() {
    for (const command of this.rig.said) this.#hear(command);
  }

  act(draw: number): void {
    if (this.rig.state === 'closed') return;
    const possible = this.#possible();
    possible[draw % possible.length]?.(Math.floor(draw / possible.length));
  }

  /** Faults end: every write is answered, the component is closed, its contender settles (or never does). */
  windDown(): void {
    this.#send(w.close);
    for (let round = 0; round < 50 && this.rig.state !== 'closed'; round++) {
      if (this.#running !== null && this.#told) this.#settle('returned');
      for (const { write } of [...this.#writes]) this.#answer(write, 'committed');
      this.#fire([...this.#timers].find((id) => id.startsWith('retry')));
    }
    if (this.#running !== null) this.abandoned.push(this.#running.id);
  }

  #possible(): ((draw: number) => void)[] {
    const [first] = this.#writes;
    return [
      (draw) => this.#grant(draw),
      ...(this.#leading === null ? [] : this.#newsOf(this.#leading)),
      ...(this.#running === null ? [] : this.#doingsOf(this.#running)),
      ...(first === undefined
        ? []
        : [(draw: number) => this.#answerSomehow(draw), () => this.#answer(first.write, 'committed')]),
      (draw) => this.#fire([...this.#timers][draw % Math.max(1, this.#timers.size)]),
      (draw) => draw % 20 === 0 && this.#send(w.close),
    ];
  }

  #newsOf(leading: Session): ((draw: number) => void)[] {
    return [
      (draw) => draw % 2 === 0 && this.#revoke(leading),
      (draw) => this.#send(draw % 2 === 0 ? w.suspended(leading) : w.resumed(leading)),
      (draw) => this.#change(leading, draw),
    ];
  }

  #doingsOf(running: Session): ((draw: number) => void)[] {
    return [
      () => this.#send(w.started(running)),
      (draw) => this.#confirm(running, draw),
      (draw) => this.#confirm(running, draw),
      (draw) => (draw % 4 === 0 || this.#told) && this.#settle(draw % 3 === 0 ? 'failed' : 'returned'),
    ];
  }

  /** Mostly a new session after a revoke; also one without, the same again, and the same again after a rest. */
  #grant(draw: number): void {
    if (!this.#standing || (this.#leading !== null && draw % 4 !== 0)) return;
    const isSame = this.#current !== null && draw % 3 === 0;
    if (!isSame) this.#sessions += 1;
    const fresh = { id: `s${this.#sessions}`, fencingToken: BigInt(this.#sessions * 10) };
    const session = isSame ? (this.#current ?? fresh) : fresh;
    this.#leading = session;
    this.#current = session;
    this.grants.push(session.id);
    this.#send(w.granted(session));
  }

  #revoke(session: Session): void {
    this.#leading = null;
    this.#current = null;
    this.#send(w.revoked(session));
  }

  #change(session: Session, draw: number): void {
    this.#version += BigInt(draw % 3);
    const usurper = { ...w.newer, fencingToken: 1_000_000n };
    const entry = [null, w.foreign, w.entryOf(session)][draw % 3] ?? null;
    this.#send(w.changed(this.#version, draw % 12 === 11 ? usurper : entry));
  }

  #confirm(session: Session, draw: number): void {
    const id = `c${this.confirmIds.length + 1}`;
    this.confirmIds.push(id);
    this.trace.push({ kind: 'promise.opened', id });
    this.#send(w.confirm(session, id, ['a', 'a', 'b', 'c'][draw % 4] ?? 'a'));
  }

  #settle(outcome: 'returned' | 'failed'): void {
    const session = this.#running;
    if (session === null) return;
    this.#running = null;
    this.trace.push({ kind: 'contender.settled', ...this.#of(session.id) });
    this.#send(w.settled(session, outcome));
  }

  #answerSomehow(draw: number): void {
    const [first] = this.#writes;
    if (first === undefined) return;
    const { write } = first;
    if (write.type === 'register.withdraw') {
      this.#answer(write, (['committed', 'failed', 'fenced'] as const)[draw % 3] ?? 'committed');
    } else if (!first.doubtful && draw % 2 === 0) {
      first.doubtful = true;
      this.#send(w.publish('unknown', { id: write.entry.sessionId, fencingToken: 0n }, write.attempt));
    } else {
      const kinds = [
        'committed',
        'failed',
        'dead',
        'rejected',
        'committed',
        'failed',
        'dead',
        'rejected',
        'fenced',
      ] as const;
      this.#answer(write, kinds[draw % 9] ?? 'committed');
    }
  }

  #answer(write: Write, answer: 'committed' | 'failed' | 'dead' | 'rejected' | 'fenced'): void {
    this.#writes = this.#writes.filter((one) => one.write !== write);
    const session = {
      id: write.type === 'register.publish' ? write.entry.sessionId : write.sessionId,
      fencingToken: 0n,
    };
    if (write.type === 'register.withdraw') {
      this.#send(w.withdraw(answer === 'committed' || answer === 'fenced' ? answer : 'failed', session, write.attempt));
    } else if (answer === 'committed') this.#send(w.committed(session, write.attempt, ++this.#version));
    else this.#send(w.publish(answer, session, write.attempt));
  }

  #fire(id: string | undefined): void {
    if (id !== undefined && this.#timers.delete(id)) this.#send(w.elapsed(id));
  }

  #send(event: LeadershipEvent): void {
    if (this.rig.state === 'closed') return;
    this.log.push(event);
    for (const command of this.rig.send(event)) this.#hear(command);
  }

  #of(sessionId: string): { participant: string; component: string; sessionId: string } {
    return { participant: 'here', component: 'web', sessionId };
  }

  #hear(command: LeadershipCommand): void {
    this.log.push(command);
    if (command.type === 'contender.start') {
      this.#running = command.session;
      this.#told = false;
      this.#undrained = command.session.id;
      this.trace.push({ kind: 'granted', ...this.#of(command.session.id) });
      this.trace.push({ kind: 'contender.started', ...this.#of(command.session.id) });
    }
    if (command.type === 'contender.stop') this.#told = true;
    if (command.type === 'component.drained' && this.#running === null && command.sessionId === this.#undrained) {
      this.#undrained = null;
      this.trace.push({ kind: 'revoked', ...this.#of(command.sessionId) });
    }
    if (command.type === 'confirm.settled') {
      for (const id of command.confirmIds) this.trace.push({ kind: 'promise.settled', id });
    }
    if (command.type === 'register.publish' || command.type === 'register.withdraw') {
      this.#writes.push({ write: command, doubtful: false });
    }
    if (command.type === 'session.fenced') {
      this.#leading = null;
      this.#current = null;
    }
    if (command.type === 'component.joined') this.#standing = true;
    if (command.type === 'component.left') {
      this.#standing = false;
      this.#leading = null;
    }
    if (command.type === 'timer.set') this.#timers.add(command.id);
    if (command.type === 'timer.cancel') this.#timers.delete(command.id);
  }
}
