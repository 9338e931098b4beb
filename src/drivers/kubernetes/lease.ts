import type {
  CallOptions,
  LeaseReading,
  LeaseRecord,
  LeaseStore,
  LeaseWrite,
  LeaseWriteResult,
} from '../../ports/lease-store.ts';
import type { Answer, Api, Call } from './api.ts';
import type { Followed } from './followed.ts';
import {
  acquired,
  askedToStepDown,
  coordination,
  firstLease,
  type LeaseReader,
  type OwnAcquisition,
  recordOf,
  released,
  renewed,
} from './lease-codec.ts';
import { type KubeObject, LEASE, versionOf } from './objects.ts';

export interface LeaseOptions {
  readonly api: Api;
  readonly followed: Followed;
  readonly name: string;
  readonly foreignGraceMs: number;
}

type Found =
  | { readonly kind: 'found'; readonly object: KubeObject }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly detail: string };

/** The lock of one election as a Lease. Every write names the uid and the version of the object that it replaces. */
export class KubernetesLease implements LeaseStore {
  readonly #api: Api;
  readonly #followed: Followed;
  readonly #name: string;
  readonly #foreignGraceMs: number;
  #own: OwnAcquisition | null = null;

  constructor({ api, followed, name, foreignGraceMs }: LeaseOptions) {
    this.#api = api;
    this.#followed = followed;
    this.#name = name;
    this.#foreignGraceMs = foreignGraceMs;
  }

  read({ timeoutMs }: CallOptions): Promise<LeaseReading> {
    return this.#api.within(timeoutMs, async (call) => {
      const found = await this.#followed.look(call);
      if (found.kind === 'found') return { outcome: 'found', record: this.#record(found.object) };
      return found.kind === 'absent' ? { outcome: 'absent' } : { outcome: 'failed', detail: found.detail };
    });
  }

  write(write: LeaseWrite, { timeoutMs }: CallOptions): Promise<LeaseWriteResult> {
    return this.#api.within(timeoutMs, async (call) => {
      const { expectedVersion } = write;
      if (write.kind === 'acquire' && expectedVersion === null) return await this.#create(write, call);
      const found = await this.#replaced(expectedVersion, call);
      if (found.kind === 'failed') return { outcome: 'refused', detail: found.detail };
      if (found.kind === 'absent') return { outcome: 'conflict', record: null };
      const record = this.#record(found.object);
      if (record.version !== expectedVersion || !fits(write, record)) return { outcome: 'conflict', record };
      return await this.#replace(found.object, record, write, call);
    });
  }

  watch(listener: (record: LeaseRecord | null) => void): () => void {
    return this.#followed.subscribe(({ object }) => listener(object === null ? null : this.#record(object)));
  }

  get #reader(): LeaseReader {
    return { foreignGraceMs: this.#foreignGraceMs, own: this.#own };
  }

  #record(object: KubeObject): LeaseRecord {
    return recordOf(object, this.#reader);
  }

  /** The object of that version: the one known already where it is that one, so that a renewal costs one request. */
  async #replaced(version: bigint | null, call: Call): Promise<Found> {
    const { known } = this.#followed;
    if (known && versionOf(known) === version) return { kind: 'found', object: known };
    return await this.#followed.look(call);
  }

  async #create(write: Extract<LeaseWrite, { kind: 'acquire' }>, call: Call): Promise<LeaseWriteResult> {
    const { namespace, clock } = this.#api;
    const answer = await this.#api.create(LEASE, firstLease(this.#name, namespace, write, clock.isoNow()), call);
    if (answer.kind === 'done') return this.#committed(answer.object, write);
    // Only the creation itself is told that the namespace does not exist: reading and watching there look like no Lease.
    if (answer.kind === 'missing') return { outcome: 'refused', detail: answer.detail };
    return await this.#notDone(answer, call);
  }

  async #replace(object: KubeObject, record: LeaseRecord, write: LeaseWrite, call: Call): Promise<LeaseWriteResult> {
    const strategy = coordination(object);
    if (write.kind === 'acquire' && strategy !== null) {
      const detail = `the Lease ${this.#name} is coordinated (${strategy}): the API server chooses its holder`;
      return { outcome: 'refused', detail };
    }
    const answer = await this.#api.replace(LEASE, changed(object, record, write, this.#api.clock.isoNow()), call);
    if (answer.kind !== 'done') return await this.#notDone(answer, call);
    if (answer.code === 201) return await this.#created(answer.object, call);
    // An answer with the version that was there before: nothing has been written, so nobody else saw a heartbeat.
    if (versionOf(answer.object) === record.version) {
      return { outcome: 'refused', detail: `the ${write.kind} changed nothing` };
    }
    return this.#committed(answer.object, write);
  }

  #committed(object: KubeObject, write: LeaseWrite): LeaseWriteResult {
    if (write.kind === 'acquire') {
      const { uid = '' } = object.metadata;
      this.#own = { sessionId: write.sessionId, uid, fencingToken: versionOf(object) };
    }
    this.#followed.see(object);
    return { outcome: 'committed', record: this.#record(object) };
  }

  /**
   * A write that replaces has created: the Lease was gone, and with it the session. What came of it names a holder that
   * does not hold, so it goes again; left behind it would only have to run out.
   */
  async #created(object: KubeObject, call: Call): Promise<LeaseWriteResult> {
    await this.#api.remove(LEASE, object, call);
    return { outcome: 'conflict', record: null };
  }

  /** A conflict is told with what is there instead; where that cannot be read, the write is still certainly not done. */
  async #notDone(answer: Exclude<Answer, { kind: 'done' }>, call: Call): Promise<LeaseWriteResult> {
    if (answer.kind === 'unknown') return { outcome: 'unknown', detail: answer.detail };
    if (answer.kind !== 'conflict' && answer.kind !== 'missing') return { outcome: 'refused', detail: answer.detail };
    const found = await this.#followed.look(call);
    if (found.kind === 'failed') return { outcome: 'refused', detail: `${answer.detail}; ${found.detail}` };
    return { outcome: 'conflict', record: found.kind === 'absent' ? null : this.#record(found.object) };
  }
}

/** Nobody but a session of Tenure can renew, give back or be asked: a free Lease and another kind of holder have none. */
function fits(write: LeaseWrite, record: LeaseRecord): boolean {
  if (write.kind === 'acquire') return true;
  if (record.sessionId === '') return false;
  return write.kind !== 'request-step-down' || write.sessionId === record.sessionId;
}

function changed(object: KubeObject, record: LeaseRecord, write: LeaseWrite, now: string): KubeObject {
  switch (write.kind) {
    case 'acquire':
      return acquired(object, write, now);
    case 'renew':
      return renewed(object, record, write.durationMs, now);
    case 'release':
      return released(object, record, now);
    case 'request-step-down':
      return askedToStepDown(object, record);
  }
}
