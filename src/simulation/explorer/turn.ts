import type { Cell, CellStep, Cells } from './cells.ts';
import { CLOCK, CONTENDER, EVERY_LEADERSHIP, NOBODY, STORE } from './cells.ts';
import type { Delivery, Local } from './local.ts';
import type { ContainerCall, LeaseCall, Message } from './model.ts';
import { componentIndex, componentName, ELECTION, LEADERSHIP } from './model.ts';
import type { Call, Contender, Note, Parts, Request, Timer } from './parts.ts';

interface Is {
  readonly cells: Cells;
  readonly parts: Parts;
  readonly isTelling: boolean;
}

/** One participant while it handles one event: the pure twin of the runtime's post office and desks. */
export class Turn {
  readonly #is: Is;
  readonly #local: Local;
  readonly #cells: Cell[];
  readonly #contenders: Contender[];
  #timers: Timer[];
  #calls: Call[];
  #roster: number;
  #broken: string | null;
  readonly #deliveries: Delivery[] | null;
  /** Three values a letter: from, to, note. */
  readonly #queue: (number | Note)[] = [];

  constructor(is: Is, local: Local) {
    this.#is = is;
    this.#local = local;
    this.#cells = [...local.cells];
    this.#contenders = [...local.contenders];
    this.#timers = [...local.timers];
    this.#calls = [...local.calls];
    this.#roster = local.roster;
    this.#broken = local.broken;
    this.#deliveries = is.isTelling ? [] : null;
  }

  result(): Local {
    const { status, news, story } = this.#local;
    const deliveries = this.#deliveries;
    return {
      status,
      cells: this.#cells,
      timers: this.#timers,
      calls: this.#calls,
      contenders: this.#contenders,
      roster: this.#roster,
      news,
      broken: this.#broken,
      story: deliveries === null ? null : { before: story, deliveries },
    };
  }

  post(from: number, to: number, note: Note): void {
    if (to !== EVERY_LEADERSHIP) {
      this.#queue.push(from, to, note);
      return;
    }
    for (let at = 0; at < this.#contenders.length; at++) {
      if ((this.#roster & (1 << at)) !== 0) this.#queue.push(from, LEADERSHIP + at, note);
    }
  }

  drain(): void {
    for (let at = 0; at < this.#queue.length; at += 3) {
      this.#deliver(this.#queue[at] as number, this.#queue[at + 1] as number, this.#queue[at + 2] as Note);
    }
  }

  take(place: number, { cell, letters }: CellStep): void {
    this.#cells[place] = cell;
    for (const { to, note } of letters) this.post(place, to, note);
  }

  #deliver(from: number, to: number, note: Note): void {
    if (to === ELECTION) this.#keepRoster(note.message);
    const before = this.#cells[to] ?? null;
    if (to >= 0) {
      if (before === null || before.snapshot.status !== 'active') this.#returnToSender(to, note.message);
      else {
        const step = this.#is.cells.step(before, note);
        this.take(to, step);
        this.#deliveries?.push({
          from,
          to,
          note,
          before,
          after: step.cell,
          said: step.letters.map((letter) => letter.note),
        });
        return;
      }
    } else if (to === STORE) this.#call(note);
    else if (to === CLOCK) this.#time(from, note);
    else if (to <= CONTENDER) this.#contend(CONTENDER - to, note.message as never);
    if (to !== NOBODY) this.#deliveries?.push({ from, to, note, before, after: before, said: [] });
  }

  #keepRoster(message: Message): void {
    const { type, component } = message as { readonly type: string; readonly component?: string };
    if (type === 'component.joined') this.#roster |= 1 << componentIndex(component ?? '');
    if (type === 'component.left') this.#roster &= ~(1 << componentIndex(component ?? ''));
  }

  #returnToSender(to: number, message: Message): void {
    if (message.type !== 'granted' || to < LEADERSHIP) return;
    const { session } = message as never as { readonly session: { readonly id: string } };
    const component = componentName(to - LEADERSHIP);
    const drained = { type: 'component.drained', component, sessionId: session.id, overstayed: false };
    this.post(NOBODY, ELECTION, this.#is.parts.note(drained));
  }

  #call(note: Note): void {
    const isLease = note.message.type.startsWith('lease.');
    const election = this.#cells[ELECTION]?.snapshot.context as { readonly session: { id: string } | null } | undefined;
    const current = isLease ? '' : (election?.session?.id ?? '');
    this.#checkRelease(note.message as never);
    const request = note.requests.get(current) ?? this.#request(note, isLease, current);
    this.#calls.push(this.#is.parts.call('asked', request, 0, null));
  }

  #checkRelease({ type, sessionId }: { readonly type: string; readonly sessionId?: string }): void {
    if (type !== 'lease.release') return;
    const at = this.#contenders.findIndex(({ session }) => session !== '' && session === sessionId);
    if (at < 0) return;
    this.#broken = `I7: the lock of ${sessionId} is given back while the contender of ${componentName(at)} still runs`;
  }

  #request(note: Note, isLease: boolean, current: string): Request {
    const call = isLease ? leaseCall(note.message as never) : containerCall(note.message as never, current);
    const request = this.#is.parts.request(call);
    note.requests.set(current, request);
    return request;
  }

  #time(owner: number, note: Note): void {
    const named = note.timers[owner] ?? this.#timerOf(owner, note);
    const { name, number } = named;
    this.#timers = this.#timers.filter((set) => set.owner !== owner || set.name !== name || set.number !== number);
    if (note.message.type === 'timer.set') this.#timers.push(named);
  }

  #timerOf(owner: number, note: Note): Timer {
    const { id, atMs, afterMs } = note.message as never as { id: string; atMs?: number; afterMs?: number };
    const [name = '', number = ''] = id.split(':');
    const timer = this.#is.parts.timer(owner, name, number, Math.max(0, atMs ?? afterMs ?? 0));
    note.timers[owner] = timer;
    return timer;
  }

  #contend(
    at: number,
    command: Message & { session?: { id: string }; sessionId?: string; confirmIds?: string[]; outcome?: string },
  ): void {
    const now = this.#contenders[at] as Contender;
    const component = componentName(at);
    const { parts } = this.#is;
    switch (command.type) {
      case 'contender.start': {
        const session = command.session?.id ?? '';
        if (now.session !== '')
          this.#broken = `I6: ${component} started for ${session} while it runs for ${now.session}`;
        this.#contenders[at] = parts.contender({ ...parts.idle(now.open), session });
        return;
      }
      case 'contender.stop':
        if (now.session !== command.sessionId) return;
        this.#contenders[at] = parts.contender({ ...now, toldToStop: true, isSlow: false });
        return;
      case 'confirm.settled':
        this.#contenders[at] = parts.contender({
          ...now,
          open: now.open - (command.confirmIds?.length ?? 0),
          // Told that it was too large, it says it again, smaller.
          hasConfirmed: now.hasConfirmed && command.outcome !== 'publish-rejected',
        });
    }
  }
}

function leaseCall(command: { type: string; sessionId?: string; expectedVersion?: bigint | null }): LeaseCall {
  const { type, sessionId = '', expectedVersion = null } = command;
  return {
    port: 'lease',
    kind: type.slice('lease.'.length) as LeaseCall['kind'],
    sessionId,
    expected: expectedVersion,
  };
}

interface ContainerCommand {
  readonly type: string;
  readonly readId: number;
  readonly keys: readonly string[];
  readonly writeId: number;
  readonly expectedVersion: bigint;
  readonly fence: { readonly fencingToken: bigint };
  readonly puts: ReadonlyMap<string, never>;
  readonly withdrawals: ReadonlyMap<string, string>;
}

function containerCall(command: ContainerCommand, current: string): ContainerCall {
  const isWrite = command.type === 'container.write';
  return {
    port: 'container',
    kind: isWrite ? 'write' : 'read',
    id: isWrite ? command.writeId : command.readId,
    expected: isWrite ? command.expectedVersion : 0n,
    token: isWrite ? command.fence.fencingToken : 0n,
    puts: isWrite ? sorted([...command.puts]) : [],
    withdrawals: isWrite ? sorted([...command.withdrawals]) : [],
    keys: isWrite ? [] : [...command.keys].sort(),
    current,
  };
}

/** The order of the entries of one write makes no difference. */
const sorted = <T>(pairs: (readonly [string, T])[]) => pairs.sort(([a], [b]) => (a < b ? -1 : 1));
