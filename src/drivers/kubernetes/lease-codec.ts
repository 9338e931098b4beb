import type { LeaseRecord, LeaseWrite } from '../../ports/lease-store.ts';
import { microTime, renewalTime } from './micro-time.ts';
import { annotated, annotationsOf, isRecord, type KubeObject, LEASE, versionOf } from './objects.ts';

const NOTE = {
  /** The holder, once more: an elector of another kind changes the field and leaves this alone. */
  holder: 'tenure/holder',
  session: 'tenure/session',
  token: 'tenure/fencing-token',
  stepDown: 'tenure/step-down',
} as const;

/** What a holder of another kind is given when its record does not say how long it holds. */
const ASSUMED_MS = 15_000;

/** What a Lease is read with. */
export interface LeaseReader {
  /** Added to the promise of a holder that is not Tenure: client-go may lead for so long after its lease has run out. */
  readonly foreignGraceMs: number;
  /** The newest acquisition of this process. */
  readonly own: OwnAcquisition | null;
}

export interface OwnAcquisition {
  readonly sessionId: string;
  readonly uid: string;
  readonly fencingToken: bigint;
}

export function recordOf(object: KubeObject, { foreignGraceMs, own }: LeaseReader): LeaseRecord {
  const spec = specOf(object);
  const notes = annotationsOf(object);
  const holder = text(spec.holderIdentity);
  const isTenure = holder !== '' && notes[NOTE.holder] === holder;
  const named = isTenure ? (notes[NOTE.session] ?? '') : '';
  const isOwn = own !== null && own.sessionId === named;
  // A Lease that was deleted and created again from a copy is another Lease: our session ended with the first one.
  const sessionId = isOwn && own.uid !== object.metadata.uid ? '' : named;
  const version = versionOf(object);
  return {
    version,
    holder,
    sessionId,
    fencingToken: isOwn ? own.fencingToken : (tokenOf(object) ?? (isTenure ? version : 0n)),
    durationMs: durationOf(spec, holder) + (holder === '' || isTenure ? 0 : foreignGraceMs),
    stepDownFor: sessionId !== '' && notes[NOTE.stepDown] === sessionId ? sessionId : '',
    acquiredAt: text(spec.acquireTime),
    renewedAt: text(spec.renewTime),
  };
}

/** Why nobody but the API server's own controller may give this Lease to somebody; null where everybody may compete. */
export function coordination(object: KubeObject): string | null {
  const { strategy } = specOf(object);
  return typeof strategy === 'string' && strategy !== '' ? strategy : null;
}

type Acquire = Extract<LeaseWrite, { kind: 'acquire' }>;

/** The Lease as an acquisition creates it. */
export function firstLease(name: string, namespace: string, write: Acquire, now: string): KubeObject {
  const { apiVersion, kind } = LEASE;
  return acquired({ apiVersion, kind, metadata: { name, namespace } }, write, now);
}

export function acquired(object: KubeObject, write: Acquire, now: string): KubeObject {
  const spec = specOf(object);
  const at = microTime(now);
  const isFirst = object.metadata.uid === undefined;
  const transitions = typeof spec.leaseTransitions === 'number' ? spec.leaseTransitions : 0;
  const changesHolder = text(spec.holderIdentity) !== write.holder;
  // Without a note of its own the token is the version of this very write, which nobody knows before it is made.
  const notes = {
    [NOTE.holder]: write.holder,
    [NOTE.session]: write.sessionId,
    [NOTE.token]: null,
    [NOTE.stepDown]: null,
  };
  return withSpec(annotated(object, notes), {
    holderIdentity: write.holder,
    leaseDurationSeconds: seconds(write.durationMs),
    acquireTime: at,
    renewTime: at,
    leaseTransitions: isFirst ? 0 : transitions + (changesHolder ? 1 : 0),
  });
}

export function renewed(object: KubeObject, record: LeaseRecord, durationMs: number, now: string): KubeObject {
  return withSpec(noting(object, record, {}), {
    leaseDurationSeconds: seconds(durationMs),
    renewTime: renewalTime(record.renewedAt, now),
  });
}

/** As client-go releases, so that it finds the Lease free: nobody, for a second, transitions kept. */
export function released(object: KubeObject, record: LeaseRecord, now: string): KubeObject {
  const at = microTime(now);
  const gone = { [NOTE.holder]: null, [NOTE.session]: null, [NOTE.stepDown]: null };
  return withSpec(noting(object, record, gone), {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: at,
    renewTime: at,
  });
}

export function askedToStepDown(object: KubeObject, record: LeaseRecord): KubeObject {
  return noting(object, record, { [NOTE.stepDown]: record.sessionId });
}

function noting(object: KubeObject, record: LeaseRecord, notes: Readonly<Record<string, string | null>>): KubeObject {
  return annotated(object, { [NOTE.token]: record.fencingToken === 0n ? null : `${record.fencingToken}`, ...notes });
}

function withSpec(object: KubeObject, changes: Readonly<Record<string, unknown>>): KubeObject {
  return { ...object, spec: { ...specOf(object), ...changes } };
}

function specOf(object: KubeObject): Readonly<Record<string, unknown>> {
  return isRecord(object.spec) ? object.spec : {};
}

function tokenOf(object: KubeObject): bigint | null {
  const noted = annotationsOf(object)[NOTE.token];
  return noted !== undefined && /^\d{1,39}$/.test(noted) ? BigInt(noted) : null;
}

function durationOf({ leaseDurationSeconds }: Readonly<Record<string, unknown>>, holder: string): number {
  if (typeof leaseDurationSeconds === 'number') return leaseDurationSeconds * 1000;
  return holder === '' ? 0 : ASSUMED_MS;
}

/** Whole seconds, rounded up: a shorter promise would let others take over before our own deadline. */
function seconds(durationMs: number): number {
  return Math.ceil(durationMs / 1000);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
