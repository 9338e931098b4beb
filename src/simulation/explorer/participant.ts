import type { AnyMachineSnapshot } from 'xstate';
import { allMachines } from '../../../machines/roster.ts';
import type { Call, ContainerCall, Contender, LeaseCall, Local, Message, Scope, Timer } from './model.ts';
import { componentIndex, componentName, TICKS } from './model.ts';
import { type Emitted, Stepper } from './stepper.ts';

type Machines = Record<'election' | 'driver' | 'validity' | 'register' | 'leadership', Stepper>;

interface Letter {
  readonly from: string;
  readonly to: string;
  readonly message: Message;
}

/** One participant while it handles one event: the pure twin of the runtime's post office and desks. */
class Turn {
  readonly actors: Record<string, AnyMachineSnapshot>;
  timers: Timer[];
  calls: Call[];
  readonly contenders: Contender[];
  readonly roster: boolean[];
  broken: string | null;
  readonly #queue: Letter[] = [];
  readonly #machines: Machines;

  constructor(machines: Machines, local: Local) {
    this.#machines = machines;
    this.actors = { ...local.actors };
    this.timers = [...local.timers];
    this.calls = [...local.calls];
    this.contenders = [...local.contenders];
    this.roster = [...local.roster];
    this.broken = local.broken;
  }

  post(from: string, to: string, message: Message): void {
    if (to === 'leadership:*') {
      this.roster.forEach((isIn, at) => {
        if (isIn) this.#queue.push({ from, to: `leadership:${componentName(at)}`, message });
      });
    } else this.#queue.push({ from, to, message });
  }

  drain(): void {
    for (let letter = this.#queue.shift(); letter !== undefined; letter = this.#queue.shift()) {
      this.#deliver(letter);
    }
  }

  take(address: string, step: { readonly snapshot: AnyMachineSnapshot; readonly emitted: readonly Emitted[] }): void {
    this.actors[address] = step.snapshot;
    for (const emitted of step.emitted) this.post(address, emitted.to, emitted);
  }

  #deliver({ from, to, message }: Letter): void {
    if (to === 'election') this.#keepRoster(message as Message & { component?: string });
    if (to === 'store') this.#call(message as never);
    else if (to === 'clock') this.#time(from, message as never);
    else if (to.startsWith('contender:')) this.#contend(componentIndex(to.slice(10)), message as never);
    else {
      const snapshot = this.actors[to];
      if (snapshot === undefined || snapshot.status !== 'active') this.#returnToSender(to, message);
      else this.take(to, this.#stepperOf(to).step(snapshot, message));
    }
  }

  #stepperOf(address: string): Stepper {
    return this.#machines[(address.split(':')[0] ?? address) as keyof Machines];
  }

  #keepRoster({ type, component = '' }: Message & { component?: string }): void {
    if (type === 'component.joined') this.roster[componentIndex(component)] = true;
    if (type === 'component.left') this.roster[componentIndex(component)] = false;
  }

  #returnToSender(to: string, message: Message): void {
    if (message.type !== 'granted' || !to.startsWith('leadership:')) return;
    const { session } = message as never as { session: { id: string } };
    const component = to.slice('leadership:'.length);
    const drained = { type: 'component.drained', component, sessionId: session.id, overstayed: false };
    this.post('office', 'election', drained);
  }

  #call(command: Message & Record<string, never>): void {
    const lease = command.type.startsWith('lease.');
    const request = lease ? leaseCall(command) : this.#containerCall(command);
    const to = lease ? 'driver' : 'register';
    this.calls.push({ state: 'asked', request, sentAtMs: 0, answer: null, to });
  }

  #containerCall(command: Record<string, never> & Message): ContainerCall {
    const isWrite = command.type === 'container.write';
    const c = command as never as {
      readId: number;
      keys: readonly string[];
      writeId: number;
      expectedVersion: bigint;
      fence: { fencingToken: bigint };
      puts: ReadonlyMap<string, never>;
      withdrawals: ReadonlyMap<string, string>;
    };
    return {
      port: 'container',
      kind: isWrite ? 'write' : 'read',
      id: isWrite ? c.writeId : c.readId,
      expected: isWrite ? c.expectedVersion : 0n,
      token: isWrite ? c.fence.fencingToken : 0n,
      puts: isWrite ? [...c.puts] : [],
      withdrawals: isWrite ? [...c.withdrawals] : [],
      keys: isWrite ? [] : c.keys,
      current: (this.actors.election?.context as { session: { id: string } | null } | undefined)?.session?.id ?? '',
    };
  }

  #time(from: string, command: { type: string; id: string; atMs?: number; afterMs?: number }): void {
    this.timers = this.timers.filter((timer) => timer.owner !== from || timer.id !== command.id);
    if (command.type === 'timer.cancel') return;
    this.timers.push({ owner: from, id: command.id, dueIn: Math.max(0, command.atMs ?? command.afterMs ?? 0) });
  }

  #contend(
    at: number,
    command: Message & { session?: { id: string }; sessionId?: string; confirmIds?: string[] },
  ): void {
    const now = this.contenders[at] as Contender;
    const component = componentName(at);
    switch (command.type) {
      case 'contender.start': {
        const session = command.session?.id ?? '';
        if (now.session !== '')
          this.broken = `I6: ${component} started for ${session} while it runs for ${now.session}`;
        this.contenders[at] = { session, toldToStop: false, hasConfirmed: false, open: now.open };
        this.post(`contender:${component}`, `leadership:${component}`, {
          type: 'contender.started',
          sessionId: session,
        } as Message);
        return;
      }
      case 'contender.stop':
        if (now.session === command.sessionId) this.contenders[at] = { ...now, toldToStop: true };
        return;
      case 'confirm.settled':
        this.contenders[at] = { ...now, open: now.open - (command.confirmIds?.length ?? 0) };
    }
  }
}

function leaseCall(command: Message & Record<string, never>): LeaseCall {
  const {
    type,
    sessionId = '',
    expectedVersion = null,
  } = command as never as {
    type: string;
    sessionId?: string;
    expectedVersion?: bigint | null;
  };
  return {
    port: 'lease',
    kind: type.slice('lease.'.length) as LeaseCall['kind'],
    sessionId,
    expected: expectedVersion,
  };
}

/** Makes and moves participants of one scope. */
export class Participants {
  readonly machines: Machines;
  readonly #scope: Scope;
  constructor(scope: Scope, overrides: Partial<Record<keyof Machines, unknown>> = {}) {
    this.#scope = scope;
    const machine = (name: keyof Machines, shipped: unknown): Stepper =>
      new Stepper((overrides[name] ?? shipped) as never);
    this.machines = {
      election: machine('election', allMachines.election.machine),
      driver: machine('driver', allMachines.lease.machine),
      validity: machine('validity', allMachines.validity.machine),
      register: machine('register', allMachines.container.machine),
      leadership: machine('leadership', allMachines.leadership.machine),
    };
  }

  fresh(): Local {
    const count = this.#scope.components;
    const each = <T>(value: T): T[] => Array.from({ length: count }, () => value);
    const turn = new Turn(this.machines, {
      status: 'up',
      actors: {},
      timers: [],
      calls: [],
      contenders: each({ session: '', toldToStop: false, hasConfirmed: false, open: 0 }),
      roster: each(false),
      leaseNews: false,
      entryNews: each(false),
      fenceNews: false,
      broken: null,
    });
    turn.take('election', this.machines.election.start(undefined));
    turn.take('validity', this.machines.validity.start(TICKS));
    turn.take('register', this.machines.register.start({ retryBaseMs: 1, retryCapMs: 1 }));
    const lease = { identity: 'me', ...TICKS, retryMs: 1, releaseTries: 2 };
    turn.take('driver', this.machines.driver.start(lease));
    const policy = {
      retryBaseMs: 1,
      retryCapMs: 1,
      calmMs: 1,
      stopBoundMs: 2,
      withdrawBoundMs: 2,
      restBaseMs: 1,
      restCapMs: 1,
    };
    for (let at = 0; at < count; at++) {
      const component = componentName(at);
      turn.take(`leadership:${component}`, this.machines.leadership.start({ component, policy }));
    }
    turn.drain();
    // The first watch reports everything.
    return this.#settle(turn, { status: 'up', leaseNews: true, entryNews: each(true), fenceNews: true });
  }

  /** Delivers one event and everything that follows from it inside the participant. */
  turn(local: Local, change: Partial<Local>, from: string, to: string, message: Message): Local {
    const before = { ...local, ...change };
    const turn = new Turn(this.machines, before);
    turn.post(from, to, message);
    turn.drain();
    return this.#settle(turn, before);
  }

  #settle(turn: Turn, rest: Pick<Local, 'status' | 'leaseNews' | 'entryNews' | 'fenceNews'>): Local {
    const { actors, timers, calls, contenders, roster, broken } = turn;
    const { status, leaseNews, entryNews, fenceNews } = rest;
    return { status, actors, timers, calls, contenders, roster, leaseNews, entryNews, fenceNews, broken };
  }
}
