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
  readonly #timers = new Map<string, () => void>();

  constructor(office: PostOffice, clock: Clock, random: Random) {
    this.#office = office;
    this.#clock = clock;
    this.#random = random;
  }

  deliver(command: TimerCommand, from: string): void {
    const key = `${from} ${command.id}`;
    this.#timers.get(key)?.();
    this.#timers.delete(key);
    if (command.type === 'timer.cancel') return;
    const scale = 'atMs' in command ? command.scale : 'waiting';
    const now = this.#now(scale);
    const atMs =
      'atMs' in command
        ? command.atMs + (command.jitterMs ?? 0) * this.#draw(command.jitterMs)
        : now + command.afterMs * (1 + command.jitter * this.#draw(command.jitter));
    this.#arm(key, from, command.id, scale, atMs);
  }

  #draw(share: number | undefined): number {
    return share === undefined || share === 0 ? 0 : this.#random.next('jitter');
  }

  #now(scale: 'deadline' | 'waiting'): number {
    return scale === 'deadline' ? this.#clock.deadlineNowMs() : this.#clock.nowMs();
  }

  #arm(key: string, from: string, id: string, scale: 'deadline' | 'waiting', atMs: number): void {
    const delay = Math.min(LONGEST_MS, Math.max(0, atMs - this.#now(scale)));
    const cancel = this.#clock.setTimer(delay, () => {
      const nowMs = this.#now(scale);
      // Node's timers may fire up to a millisecond early, and a longer wait than they can count comes in pieces.
      if (nowMs < atMs) {
        this.#arm(key, from, id, scale, atMs);
        return;
      }
      this.#timers.delete(key);
      this.#office.post('clock', from, { type: 'timer.elapsed', id, nowMs } as { type: string });
    });
    this.#timers.set(key, cancel);
  }

  /** Drops the timers of one address, or all of them. */
  cancelAll(from?: string): void {
    for (const [key, cancel] of this.#timers) {
      if (from !== undefined && !key.startsWith(`${from} `)) continue;
      cancel();
      this.#timers.delete(key);
    }
  }
}
