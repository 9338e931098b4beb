import type { Act, Action, Who } from './actions.ts';
import { actionText } from './actions.ts';
import { ELECTION, type Participant } from './participant.ts';
import type { Seat } from './seat.ts';
import type { Stage } from './stage.ts';

type Of<Name extends Act['do']> = Extract<Act, { readonly do: Name }>;

/** Does what a schedule says, when its time comes. What is not possible then (a second crash) is left out. */
export class Acts {
  readonly #stage: Stage;
  readonly #seats: readonly Seat[];
  readonly #ends = new Set<() => void>();
  #forNextLeader: Action[] = [];

  constructor(stage: Stage, seats: readonly Seat[]) {
    this.#stage = stage;
    this.#seats = seats;
  }

  /** Somebody leads: what waits for a leader strikes one after the other, each with its own lag, for as long as one does. */
  acquired(): void {
    const action = this.#forNextLeader.shift();
    if (action === undefined) return;
    this.#later(action.lagMs ?? 0, () => {
      if (this.#seatOf('leader') === null) {
        this.#forNextLeader.unshift(action);
        return;
      }
      this.perform(action);
      if (this.#seatOf('leader') !== null) this.acquired();
    });
  }

  /** Acts still wait for a leader. */
  get isWaiting(): boolean {
    return this.#forNextLeader.length > 0;
  }

  /** Whatever was still to end by itself has ended. */
  calm(): void {
    for (const cancel of this.#ends) cancel();
    this.#ends.clear();
    this.#forNextLeader = [];
  }

  perform(action: Action): void {
    const { book } = this.#stage;
    if ('who' in action && action.who === 'leader' && this.#seatOf('leader') === null) {
      this.#forNextLeader.push(action);
      return;
    }
    const isDone = this.#do(action);
    book.note('world', isDone ? actionText(action) : `(not possible: ${actionText(action)})`);
    if (isDone) book.count(action.do === 'ask-step-down' ? 'step-down' : action.do);
  }

  #do(act: Act): boolean {
    switch (act.do) {
      case 'outage':
        return this.#outage(act);
      case 'erase':
        return this.#erase(act);
      case 'ask-step-down':
        return this.#askStepDown();
    }
    const seat = this.#seatOf(act.who);
    if (act.do === 'manners') {
      seat?.setManner(act.component, act.manner);
      return seat !== null;
    }
    const participant = seat?.now ?? null;
    return seat !== null && participant !== null && this.#to(act, participant, seat);
  }

  #to(
    act: Exclude<Act, { do: 'outage' | 'erase' | 'ask-step-down' | 'manners' }>,
    one: Participant,
    seat: Seat,
  ): boolean {
    switch (act.do) {
      case 'crash':
        one.crash();
        this.#later(act.forMs, () => seat.open());
        return true;
      case 'pause':
      case 'sleep':
        return this.#standStill(act, one);
      case 'partition':
        return this.#partition(act, one);
      case 'calls':
        one.backend.link.strike({ fault: act.fault, calls: act.calls, delayMs: act.delayMs, times: act.times });
        return true;
      case 'news':
        one.backend.strikeNews({ of: act.of, fault: act.fault, delayMs: act.delayMs, times: act.times });
        return true;
      case 'clock':
        one.clock.setWallClockBy(act.byMs);
        return true;
      case 'step-down':
        if (one.tenure === null || standsStill(one)) return false;
        one.promise('step down', one.tenure.stepDown());
        return true;
      case 'leave':
        if (standsStill(one) || !one.leadings.has(act.component)) return false;
        one.leave(act.component);
        this.#later(act.forMs, () => this.#whenItRuns(one, () => one.join(act.component)));
        return true;
      case 'close':
        if (standsStill(one)) return false;
        one.close();
        this.#later(act.forMs, () => seat.open());
        return true;
    }
  }

  /** At the end of a condition; all of them end when the faults end. */
  #later(ms: number, run: () => void): void {
    const cancel = this.#stage.clock.setTimer(ms, () => {
      this.#ends.delete(cancel);
      run();
    });
    this.#ends.add(cancel);
  }

  #whenItRuns(one: Participant, run: () => void): void {
    one.backend.link.receive(run);
  }

  #seatOf(who: Who): Seat | null {
    const { server } = this.#stage;
    if (who !== 'leader') return this.#seats[who] ?? null;
    const holder = server.election(ELECTION).lease.record?.holder ?? '';
    return holder === '' ? null : (this.#seats.find(({ now }) => now?.identity === holder) ?? null);
  }

  #standStill({ do: how, forMs, timersFirst }: Of<'pause'> | Of<'sleep'>, one: Participant): boolean {
    if (standsStill(one)) return false;
    one.stopsWorking();
    if (how === 'pause') one.clock.freeze();
    else one.clock.sleep();
    this.#later(forMs, () => this.goOn(one, timersFirst));
    return true;
  }

  goOn(one: Participant, timersFirst: boolean): void {
    if (one.isDead || !standsStill(one)) return;
    this.#stage.book.note(one.name, 'runs again');
    one.backend.link.resume(timersFirst, () => {
      if (one.clock.isFrozen) one.clock.thaw();
      else one.clock.wake();
      one.goesOn();
    });
  }

  #partition({ forMs, way, holds }: Of<'partition'>, one: Participant): boolean {
    const { link } = one.backend;
    if (link.isCut) return false;
    link.cutOff({ way, holds });
    this.#later(forMs, () => link.heal());
    return true;
  }

  #outage({ forMs, how }: Of<'outage'>): boolean {
    const { server } = this.#stage;
    if (server.health !== 'well') return false;
    server.health = how;
    this.#later(forMs, () => server.restart());
    return true;
  }

  #erase({ component }: Of<'erase'>): boolean {
    return this.#stage.server.election(ELECTION).register.eraseByHand(component) !== null;
  }

  #askStepDown(): boolean {
    const { server } = this.#stage;
    const { record } = server.election(ELECTION).lease;
    if (record === null || record.holder === '') return false;
    const write = { kind: 'request-step-down', expectedVersion: record.version, sessionId: record.sessionId } as const;
    server.writeLease(ELECTION, 'operator', write, '');
    return true;
  }
}

function standsStill({ clock }: Participant): boolean {
  return clock.isFrozen || clock.isAsleep;
}
