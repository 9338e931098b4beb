import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../ports/clock.ts';
import { type Deadline, leftMs } from './deadline.ts';
import type { ChildEnd, FromGuard, ToGuard } from './messages.ts';
import { groupIsAlive, signalGroup } from './process-group.ts';

type Start = Extract<ToGuard, { kind: 'start' }>;

/** Node's timers stand still while the machine sleeps, so the wall clock is looked at this often. */
const LOOK_EVERY_MS = 100;
/** There is no event for the end of a grandchild. */
const SWEEP_EVERY_MS = 20;
/** What survives SIGKILL for so long is a zombie that nobody reaps. */
const GIVE_UP_SWEEPING_MS = 500;

/**
 * The command in a process group of its own, stopped before a deadline that moves with every renewal. Lives in the
 * guard process. Nothing in here waits for anybody: a full pipe or a frozen wrapper cannot keep it from killing.
 */
export class GuardedGroup {
  readonly #start: Start;
  readonly #clock: Clock;
  readonly #tell: (message: FromGuard) => void;
  readonly #child: ChildProcess;
  #deadline: Deadline;
  #why: ChildEnd['why'] = 'own';
  #killAtMs: number | null = null;
  #killedAtMs: number | null = null;
  #exit: { readonly code: number | null; readonly signal: NodeJS.Signals | null } | null = null;
  #cancelLook: () => void = () => {};

  constructor(start: Start, clock: Clock, tell: (message: FromGuard) => void) {
    this.#start = start;
    this.#clock = clock;
    this.#tell = tell;
    this.#deadline = start.deadline;
    this.#child = spawn(start.command, start.args, { stdio: 'inherit', detached: true, env: { ...start.env } });
    this.#child.once('error', (error: NodeJS.ErrnoException) => {
      if (this.#child.pid === undefined) tell({ kind: 'not-spawned', reason: error.code ?? '', detail: error.message });
    });
    this.#child.once('exit', (code, signal) => {
      this.#exit = { code, signal };
      this.#look();
    });
    if (this.#child.pid === undefined) return;
    tell({ kind: 'spawned', pid: this.#child.pid });
    this.#look();
  }

  get hasChild(): boolean {
    return this.#child.pid !== undefined;
  }

  moveDeadline(deadline: Deadline): void {
    this.#deadline = deadline;
  }

  signal(signal: NodeJS.Signals): void {
    if (this.#child.pid !== undefined && this.#exit === null) signalGroup(this.#child.pid, signal);
  }

  /** Asks with `signal`, kills after the grace or just before the deadline, whichever comes first. */
  stop(signal: NodeJS.Signals, graceMs: number, why: ChildEnd['why']): void {
    if (this.#exit !== null) return;
    this.#ask(signal, graceMs, why);
    this.#look();
  }

  #ask(signal: NodeJS.Signals, graceMs: number, why: ChildEnd['why']): void {
    if (this.#killAtMs === null) this.#why = why;
    this.signal(signal);
    this.#killAtMs = Math.min(this.#killAtMs ?? Number.POSITIVE_INFINITY, this.#clock.deadlineNowMs() + graceMs);
  }

  #look(): void {
    this.#cancelLook();
    const pid = this.#child.pid;
    if (pid === undefined) return;
    const left = leftMs(this.#deadline, this.#clock);
    const nowMs = this.#clock.deadlineNowMs();
    if (this.#exit === null) this.#askBeforeDeadline(left);
    else if (!groupIsAlive(pid) || this.#hasSweptLongEnough(nowMs)) {
      this.#tell({ kind: 'ended', ...this.#exit, why: this.#why });
      return;
    } else this.#askLeftovers(pid, nowMs);
    const untilKill = Math.min(this.#untilDeadlineKill(left), (this.#killAtMs ?? Number.POSITIVE_INFINITY) - nowMs);
    if (untilKill <= 0) this.#kill(pid, left, nowMs);
    const longest = this.#exit === null ? LOOK_EVERY_MS : SWEEP_EVERY_MS;
    const untilAsk = this.#killAtMs === null ? this.#untilDeadlineKill(left) - this.#start.graceMs : longest;
    const delayMs = untilKill > 0 ? Math.min(untilKill, Math.max(0, untilAsk), longest) : longest;
    this.#cancelLook = this.#clock.setTimer(delayMs, () => this.#look());
  }

  #untilDeadlineKill(left: number): number {
    return left - this.#start.killLeadMs;
  }

  #askBeforeDeadline(left: number): void {
    const { graceMs } = this.#start;
    if (this.#killAtMs !== null || this.#untilDeadlineKill(left) > graceMs) return;
    this.#ask('SIGTERM', graceMs, 'deadline');
    this.#tell({ kind: 'stopping', leftMs: left });
  }

  /** The command has ended and left others of its group behind: they worked under the lease as well. */
  #askLeftovers(pid: number, nowMs: number): void {
    if (this.#killAtMs !== null) return;
    signalGroup(pid, 'SIGTERM');
    this.#killAtMs = nowMs + this.#start.graceMs;
  }

  #hasSweptLongEnough(nowMs: number): boolean {
    return this.#killedAtMs !== null && nowMs - this.#killedAtMs > GIVE_UP_SWEEPING_MS;
  }

  #kill(pid: number, left: number, nowMs: number): void {
    signalGroup(pid, 'SIGKILL');
    if (this.#killedAtMs !== null) return;
    this.#killedAtMs = nowMs;
    this.#tell({ kind: 'killed', leftMs: left });
  }
}
