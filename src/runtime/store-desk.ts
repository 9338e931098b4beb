import type { ContainerCommand } from '../../machines/container-messages.ts';
import type { LeaseCommand } from '../../machines/lease-messages.ts';
import type { Clock } from '../ports/clock.ts';
import type { Container, ContainerReading, ContainerWrite, ContainerWriteResult } from '../ports/container.ts';
import type { LeaseReading, LeaseStore, LeaseWrite, LeaseWriteResult } from '../ports/lease-store.ts';
import type { Random } from '../ports/random.ts';
import type { PostOffice, Recipient } from './post-office.ts';

type StoreCommand = Extract<LeaseCommand | ContainerCommand, { to: 'store' }>;

interface Times {
  /** Both on the deadline scale. */
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** On the waiting scale. */
  readonly nowMs: number;
}

export interface StoreDeskOptions {
  readonly office: PostOffice;
  readonly lease: LeaseStore;
  readonly register: Container;
  readonly clock: Clock;
  readonly random: Random;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly callTimeoutMs: number;
  /** An answer has come and is about to be told. */
  readonly onAnswer: () => void;
  /** A write leaves; whether it arrives is not known yet. */
  readonly onRegisterWrite: (write: Pick<ContainerWrite, 'puts' | 'withdrawals'>) => void;
  /** A port that threw, or that did not keep to its time-out. */
  readonly onTrouble: (detail: string, cause: unknown) => void;
}

/** Carries out commands at the ports of the backend and posts the answers. It never decides. */
export class StoreDesk implements Recipient {
  readonly #o: StoreDeskOptions;
  #closed = false;

  constructor(options: StoreDeskOptions) {
    this.#o = options;
  }

  deliver(command: StoreCommand): void {
    switch (command.type) {
      case 'lease.read':
        this.#readLease();
        return;
      case 'lease.acquire':
        this.#acquire(command.expectedVersion);
        return;
      case 'lease.renew':
        this.#renew(command.sessionId, command.expectedVersion);
        return;
      case 'lease.release':
        this.#release(command.sessionId, command.expectedVersion);
        return;
      case 'container.read':
        this.#readContainer(command.readId, command.keys);
        return;
      case 'container.write':
        this.#writeContainer(command);
        return;
    }
  }

  /** No answer is posted from now on. */
  close(): void {
    this.#closed = true;
  }

  #answer(to: string, message: { readonly type: string }): void {
    if (this.#closed) return;
    this.#o.onAnswer();
    this.#o.office.post('store', to, message);
  }

  /**
   * A port has its own time-out; this one is for a port that breaks its word. Without it a machine would wait for an
   * answer for ever: Flink led beside its successor for 28 s because its deadline waited for a call.
   */
  #ask<T>(call: () => Promise<T>, onLate: (detail: string) => T, then: (answer: T) => void): void {
    let open = true;
    const settle = (answer: T): void => {
      if (!open) return;
      open = false;
      cancel();
      then(answer);
    };
    const cancel = this.#o.clock.setTimer(this.#o.callTimeoutMs * 1.5, () => {
      this.#o.onTrouble(`the backend did not answer within ${this.#o.callTimeoutMs * 1.5} ms`, null);
      settle(onLate('no answer'));
    });
    const fail = (thrown: unknown): void => {
      this.#o.onTrouble(`the backend threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`, thrown);
      settle(onLate('threw'));
    };
    try {
      call().then(settle, fail);
    } catch (thrown) {
      fail(thrown);
    }
  }

  get #call(): { timeoutMs: number } {
    return { timeoutMs: this.#o.callTimeoutMs };
  }

  #readLease(): void {
    this.#ask<LeaseReading>(
      () => this.#o.lease.read(this.#call),
      (detail) => ({ outcome: 'failed', detail }),
      (reading) => {
        if (reading.outcome === 'failed') this.#answer('driver', { type: 'read.failed' });
        else
          this.#answer(
            'driver',
            recordSeen(reading.outcome === 'found' ? reading.record : null, this.#o.clock.nowMs()),
          );
      },
    );
  }

  #writeLease(write: LeaseWrite, then: (result: LeaseWriteResult, times: Times) => void): void {
    // Validity counts from here: the store may apply the write at once and answer much later.
    const sentAtMs = this.#o.clock.deadlineNowMs();
    this.#ask<LeaseWriteResult>(
      () => this.#o.lease.write(write, this.#call),
      (detail) => ({ outcome: 'unknown', detail }),
      (result) => {
        const { clock } = this.#o;
        then(result, { sentAtMs, answeredAtMs: clock.deadlineNowMs(), nowMs: clock.nowMs() });
      },
    );
  }

  #acquire(expectedVersion: bigint | null): void {
    const sessionId = this.#o.random.uuid();
    const { identity: holder, leaseDurationMs: durationMs } = this.#o;
    this.#writeLease({ kind: 'acquire', expectedVersion, holder, sessionId, durationMs }, (result, times) => {
      if (result.outcome === 'committed') {
        const session = { id: sessionId, fencingToken: result.record.fencingToken };
        this.#answer('driver', { type: 'acquire.committed', record: result.record, session, ...times } as never);
      } else this.#answer('driver', answerOf('acquire', result, times.nowMs));
    });
  }

  #renew(sessionId: string, expectedVersion: bigint): void {
    const durationMs = this.#o.leaseDurationMs;
    this.#writeLease({ kind: 'renew', expectedVersion, durationMs }, (result, times) => {
      if (result.outcome === 'committed') {
        this.#answer('driver', { type: 'renew.committed', sessionId, record: result.record, ...times } as never);
      } else this.#answer('driver', { ...answerOf('renew', result, times.nowMs), sessionId } as never);
    });
  }

  #release(sessionId: string, expectedVersion: bigint): void {
    this.#writeLease({ kind: 'release', expectedVersion }, (result, times) => {
      if (result.outcome === 'committed') {
        const { record } = result;
        this.#answer('driver', { type: 'release.committed', sessionId, record, nowMs: times.nowMs } as never);
      } else this.#answer('driver', { ...answerOf('release', result, times.nowMs), sessionId } as never);
    });
  }

  #readContainer(readId: number, keys: readonly string[]): void {
    this.#ask<ContainerReading>(
      () => this.#o.register.read({ ...this.#call, keys }),
      (detail) => ({ outcome: 'failed', detail }),
      (reading) => {
        if (reading.outcome === 'failed') this.#answer('register', { type: 'read.failed', readId } as never);
        else {
          const { version, fence, changed } = reading.state;
          this.#answer('register', { type: 'read.found', readId, version, fence, entries: changed } as never);
        }
      },
    );
  }

  #writeContainer(command: Extract<StoreCommand, { type: 'container.write' }>): void {
    const { writeId, expectedVersion, fence, puts, withdrawals } = command;
    this.#o.onRegisterWrite({ puts, withdrawals });
    this.#ask<ContainerWriteResult>(
      () => this.#o.register.write({ expectedVersion, fence, puts, withdrawals }, this.#call),
      (detail) => ({ outcome: 'unknown', detail }),
      (result) => this.#answer('register', { ...containerAnswer(result), writeId } as never),
    );
  }
}

function recordSeen(record: unknown, nowMs: number): { readonly type: string } {
  return { type: 'record.seen', record, nowMs } as { type: string };
}

function answerOf(
  what: 'acquire' | 'renew' | 'release',
  result: Exclude<LeaseWriteResult, { outcome: 'committed' }>,
  nowMs: number,
): { readonly type: string } {
  if (result.outcome === 'conflict') {
    return { type: `${what}.conflict`, record: result.record, nowMs } as { type: string };
  }
  return { type: `${what}.${result.outcome}` };
}

function containerAnswer(result: ContainerWriteResult): { readonly type: string } {
  switch (result.outcome) {
    case 'committed':
      return { type: 'write.committed', version: result.version } as { type: string };
    case 'conflict':
      return { type: 'write.conflict', version: result.version, fence: result.fence } as { type: string };
    case 'unknown':
      return { type: 'write.unknown' };
    case 'refused':
      if (result.reason === 'fenced') {
        return { type: 'write.fenced', fence: result.fence ?? null } as { type: string };
      }
      return { type: 'write.refused', reason: result.reason } as { type: string };
  }
}
