import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { OpenBackend } from '../../src/ports/backend.ts';
import type { LeaseRecord, LeaseStore, LeaseWrite } from '../../src/ports/lease-store.ts';
import type { Stores } from './stores.ts';

const CALL = { timeoutMs: 5_000 };
const CONTENDERS = 3;

/** Which record a write names: so many writes before the newest, none, or one that never was. */
type Age = number | 'none' | 'never';

interface LeaseStep {
  readonly kind: LeaseWrite['kind'];
  readonly handle: 0 | 1;
  /** Who writes; its newest session is the one that it names. */
  readonly contender: number;
  readonly age: Age;
  readonly durationMs: number;
}

const leaseSteps: fc.Arbitrary<LeaseStep[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'acquire' as const,
      'acquire' as const,
      'renew' as const,
      'release' as const,
      'request-step-down' as const,
    ),
    handle: fc.constantFrom(0 as const, 1 as const),
    contender: fc.nat({ max: CONTENDERS - 1 }),
    age: fc.oneof(
      { weight: 6, arbitrary: fc.constant<Age>(0) },
      { weight: 3, arbitrary: fc.nat({ max: 4 }) as fc.Arbitrary<Age> },
      { weight: 1, arbitrary: fc.constantFrom<Age>('none', 'never') },
    ),
    durationMs: fc.constantFrom(1_000, 15_000),
  }),
  { minLength: 1, maxLength: 20 },
);

type Kept = Pick<LeaseRecord, 'holder' | 'sessionId' | 'durationMs' | 'stepDownFor'>;

/** The lock as the port describes it. Tokens and versions are the store's own: they have to grow, by whatever amount. */
class Model {
  readonly versions: bigint[] = [];
  kept: Kept | null = null;
  token = 0n;
  sessions = 0;
  readonly sessionOf = new Map<number, string>();

  versionOf(age: Age): bigint | null {
    if (age === 'never') return (this.versions.at(-1) ?? 0n) + 1_000n;
    return age === 'none' ? null : (this.versions.at(-1 - age) ?? null);
  }

  /** The record after the write, but for version, token and times; null when it has to conflict. */
  after(write: LeaseWrite): Kept | null {
    if (write.expectedVersion !== (this.versions.at(-1) ?? null)) return null;
    const { kept } = this;
    if (write.kind === 'acquire') {
      const { holder, sessionId, durationMs } = write;
      return { holder, sessionId, durationMs, stepDownFor: '' };
    }
    if (kept === null || kept.holder === '') return null;
    if (write.kind === 'renew') return { ...kept, durationMs: write.durationMs };
    if (write.kind === 'release') return { ...kept, holder: '', sessionId: '', stepDownFor: '' };
    return write.sessionId === kept.sessionId ? { ...kept, stepDownFor: write.sessionId } : null;
  }

  apply(kind: LeaseWrite['kind'], kept: Kept, { version, fencingToken }: LeaseRecord): void {
    const before = this.versions.at(-1) ?? 0n;
    assert.ok(version > before || this.versions.length === 0, `the version grows from ${before}: ${version}`);
    if (kind === 'acquire') assert.ok(fencingToken > this.token, `the token grows from ${this.token}: ${fencingToken}`);
    else assert.equal(fencingToken, this.token, `the token after ${kind}`);
    this.versions.push(version);
    this.token = fencingToken;
    this.kept = kept;
  }
}

/** Any steps on two handles of one store are answered as the model says. */
export const leaseProperty = (stores: Stores) =>
  fc.asyncProperty(leaseSteps, (taken) => stores.with((handles) => agrees(handles, taken)));

async function agrees(handles: readonly [OpenBackend, OpenBackend], taken: readonly LeaseStep[]): Promise<void> {
  const model = new Model();
  const reported: (LeaseRecord | null)[] = [];
  const stop = handles[0].lease.watch((record) => reported.push(record));
  try {
    for (const step of taken) {
      const write = writeOf(model, step);
      // Renewals and others name a version that is there; "none" is for acquisitions.
      if (write !== null) await writes(handles[step.handle].lease, model, write);
      const reading = await handles[step.handle === 0 ? 1 : 0].lease.read(CALL);
      assert.equal(reading.outcome, model.kept === null ? 'absent' : 'found', 'the outcome of a reading');
      if (reading.outcome === 'found') checkRecord(reading.record, model, 'what another participant reads');
    }
    const versions = reported.map((record) => record?.version ?? 0n);
    const isOrdered = versions.every((version, at) => at === 0 || version >= (versions[at - 1] ?? 0n));
    assert.ok(isOrdered, `a watch never goes back: ${versions}`);
  } finally {
    stop();
  }
}

function writeOf(model: Model, { kind, contender, age, durationMs }: LeaseStep): LeaseWrite | null {
  const expectedVersion = model.versionOf(age);
  if (kind === 'acquire') {
    model.sessions += 1;
    const sessionId = `s-${model.sessions}`;
    model.sessionOf.set(contender, sessionId);
    return { kind, expectedVersion, holder: `holder-${contender}`, sessionId, durationMs };
  }
  if (expectedVersion === null) return null;
  if (kind === 'renew') return { kind, expectedVersion, durationMs };
  if (kind === 'release') return { kind, expectedVersion };
  return { kind, expectedVersion, sessionId: model.sessionOf.get(contender) ?? 'nobody' };
}

async function writes(lease: LeaseStore, model: Model, write: LeaseWrite): Promise<void> {
  const expected = model.after(write);
  const result = await lease.write(write, CALL);
  assert.equal(
    result.outcome,
    expected === null ? 'conflict' : 'committed',
    `${write.kind} of ${write.expectedVersion}`,
  );
  if (result.outcome === 'conflict') {
    assert.equal(result.record === null, model.kept === null, 'whether a conflict carries a record');
    if (result.record !== null) checkRecord(result.record, model, 'what a conflict carries');
  }
  if (result.outcome !== 'committed' || expected === null) return;
  model.apply(write.kind, expected, result.record);
  checkRecord(result.record, model, `what ${write.kind} is answered with`);
}

function checkRecord(record: LeaseRecord, { kept, token, versions }: Model, what: string): void {
  const { holder, sessionId, durationMs, stepDownFor, fencingToken, version } = record;
  const received = { holder, sessionId, durationMs, stepDownFor, fencingToken, version };
  assert.deepEqual(received, { ...kept, fencingToken: token, version: versions.at(-1) }, what);
}
