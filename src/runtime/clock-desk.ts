import type { TimerCommand } from '../../machines/vocabulary.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { PostOffice, Recipient } from './post-office.ts';

const LONGEST_MS = 2 ** 31 - 1;

/** Answers `timer.set` with `timer.elapsed`, never before its time. Timers belong to the address that set them. */
export class ClockDesk implements Recipient {
  readonly #office: PostOffice;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #lookMs: number;
  /** By address, then by id. */
  readonly #timers = new Map<string, Map<string, () => void>>();

  /**
   * `lookMs`: timers stand still while the machine sleeps, deadlines do not, and nobody tells that a machine has slept. So
   * the time is looked at that often where a deadline is waited for:
   *
   *   deadline in 13 s … the machine sleeps for 4 s and goes on … a single timer would fire 4 s after the deadline, and
   *   another participant is granted 2 s after it
   */
  constructor(office: PostOffice, clock: Clock, random: Random, lookMs: number) {
    this.#office = office;
    this.#clock = clock;
    this.#random = random;
    this.#lookMs = lookMs;
  }

  deliver(command: TimerCommand, from: string): void {
    this.#cancel(from, command.id);
    if (command.type === 'timer.cancel') return;
    const scale = 'atMs' in command ? command.scale : 'waiting';
    const now = this.#now(scale);
    const atMs =
      'atMs' in command
        ? command.atMs + (command.jitterMs ?? 0) * this.#draw(command.jitterMs)
        : now + command.afterMs * (1 + command.jitter * this.#draw(command.jitter));
    this.#arm(from, command.id, scale, atMs);
  }

  #draw(share: number | undefined): number {
    return share === undefined || share === 0 ? 0 : this.#random.next('jitter');
  }

  #now(scale: 'deadline' | 'waiting'): number {
    return scale === 'deadline' ? this.#clock.deadlineNowMs() : this.#clock.nowMs();
  }

  #arm(from: string, id: string, scale: 'deadline' | 'waiting', atMs: number): void {
    const longest = scale === 'deadline' ? this.#lookMs : LONGEST_MS;
    const delay = Math.min(longest, Math.max(0, atMs - this.#now(scale)));
    const cancel = this.#clock.setTimer(delay, () => {
      const nowMs = this.#now(scale);
      // Node's timers may fire up to a millisecond early, and a longer wait than they can count comes in pieces.
      if (nowMs < atMs) {
        this.#arm(from, id, scale, atMs);
        return;
      }
      this.#forget(from, id);
      this.#office.post('clock', from, { type: 'timer.elapsed', id, nowMs } as { type: string });
    });
    const own = this.#timers.get(from) ?? new Map<string, () => void>();
    own.set(id, cancel);
    this.#timers.set(from, own);
  }

  #cancel(from: string, id: string): void {
    this.#timers.get(from)?.get(id)?.();
    this.#forget(from, id);
  }

  #forget(from: string, id: string): void {
    const own = this.#timers.get(from);
    if (own?.delete(id) === true && own.size === 0) this.#timers.delete(from);
  }

  /** Drops the timers of one address, at a cost that does not grow with those of others; or all of them. */
  cancelAll(from?: string): void {
    const addresses = from === undefined ? [...this.#timers.keys()] : [from];
    for (const address of addresses) {
      for (const cancel of this.#timers.get(address)?.values() ?? []) cancel();
      this.#timers.delete(address);
    }
  }
}
