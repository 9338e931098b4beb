import { createActor } from 'xstate';
import type { ArbiterCommand } from '../../../machines/arbiter.ts';
import { arbiterMachine } from '../../../machines/arbiter.ts';
import type {
  CallOptions,
  LeaseReading,
  LeaseRecord,
  LeaseStore,
  LeaseWrite,
  LeaseWriteResult,
} from '../../ports/lease-store.ts';
import { Broadcast } from './broadcast.ts';

/** The lock of one election: the arbiter machine decides, this class asks it and passes its answers on. */
export class MemoryLease implements LeaseStore {
  #arbiter = createActor(arbiterMachine).start();
  readonly #news = new Broadcast<LeaseRecord | null>();
  readonly #isoNow: () => string;
  #requests = 0;

  constructor(isoNow: () => string) {
    this.#isoNow = isoNow;
  }

  async read(_call: CallOptions): Promise<LeaseReading> {
    const { record } = this.#arbiter.getSnapshot().context;
    return record === null ? { outcome: 'absent' } : { outcome: 'found', record };
  }

  async write(write: LeaseWrite, _call: CallOptions): Promise<LeaseWriteResult> {
    const requestId = ++this.#requests;
    let answer: ArbiterCommand | null = null;
    const subscription = this.#arbiter.on('*', (emitted) => {
      if (emitted.requestId === requestId) answer = emitted;
    });
    this.#arbiter.send(eventOf(write, requestId, this.#isoNow()));
    subscription.unsubscribe();
    return this.#resultOf(answer);
  }

  watch(listener: (record: LeaseRecord | null) => void): () => void {
    return this.#news.subscribe(listener, this.#arbiter.getSnapshot().context.record);
  }

  /** As an operator would by hand: the record is gone, and with it the count of its tokens. */
  remove(): void {
    this.#arbiter = createActor(arbiterMachine).start();
    this.#news.publish(null);
  }

  #resultOf(answer: ArbiterCommand | null): LeaseWriteResult {
    if (answer === null) return { outcome: 'unknown', detail: 'the arbiter gave no answer' };
    if (answer.type === 'conflict' || answer.record === null) return { outcome: 'conflict', record: answer.record };
    this.#news.publish(answer.record);
    return { outcome: 'committed', record: answer.record };
  }
}

function eventOf(write: LeaseWrite, requestId: number, at: string) {
  const { kind, ...fields } = write;
  return { ...fields, type: kind, requestId, at } as Parameters<
    ReturnType<typeof createActor<typeof arbiterMachine>>['send']
  >[0];
}
