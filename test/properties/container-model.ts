import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import type { Fence, LeaderInformation } from '../../machines/vocabulary.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import type { ContainerState, ContainerWrite } from '../../src/ports/container.ts';
import type { Stores } from './stores.ts';

const CALL = { timeoutMs: 5_000 };
const KEYS = ['a', 'b', 'c'] as const;
/** Two of them share a token: a store that went back in time may hand one out twice. */
const SESSIONS: readonly Fence[] = [
  { fencingToken: 1n, sessionId: 's-1' },
  { fencingToken: 2n, sessionId: 's-2' },
  { fencingToken: 2n, sessionId: 'other' },
  { fencingToken: 3n, sessionId: 's-3' },
];

/** Which version a call names: so many writes before the newest, or one that never was. */
type Age = number | 'never';

type Step =
  | {
      readonly kind: 'write';
      readonly handle: 0 | 1;
      readonly session: number;
      readonly age: Age;
      readonly puts: readonly (readonly [string, number])[];
      readonly withdrawals: readonly (readonly [string, number])[];
    }
  | {
      readonly kind: 'read';
      readonly handle: 0 | 1;
      readonly since: Age | null;
      readonly keys: readonly string[] | null;
    };

const session = fc.nat({ max: SESSIONS.length - 1 });
const key = fc.constantFrom(...KEYS);
const handle = fc.constantFrom(0 as const, 1 as const);
const age: fc.Arbitrary<Age> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.nat({ max: 5 }) },
  { weight: 1, arbitrary: fc.constant('never' as const) },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      handle,
      session,
      age,
      puts: fc.uniqueArray(fc.tuple(key, fc.nat({ max: 3 })), { maxLength: 2, selector: ([name]) => name }),
      withdrawals: fc.uniqueArray(fc.tuple(key, session), { maxLength: 2, selector: ([name]) => name }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      handle,
      since: fc.option(age),
      keys: fc.option(fc.uniqueArray(key, { maxLength: 3 })),
    }),
  },
);

const steps = fc.array(step, { minLength: 1, maxLength: 15 });

/** A fenced map as the port describes it, in the plainest way: every committed state is kept. */
class Model {
  readonly versions = [0n];
  fence: Fence | null = null;
  entries = new Map<string, LeaderInformation>();
  /** Key → number of the write that changed it last. */
  readonly changedBy = new Map<string, number>();

  get version(): bigint {
    return this.versions.at(-1) ?? 0n;
  }

  versionOf(age: Age): bigint {
    if (age === 'never') return this.version + 1_000n;
    return this.versions.at(-1 - age) ?? 0n;
  }

  /** What a write has to be answered with, but for the new version. */
  verdictOn({ fence, expectedVersion }: ContainerWrite): 'fenced' | 'conflict' | 'committed' {
    const stored = this.fence;
    if (stored !== null && stored.fencingToken > fence.fencingToken) return 'fenced';
    if (stored?.fencingToken === fence.fencingToken && stored.sessionId !== fence.sessionId) return 'fenced';
    return expectedVersion === this.version ? 'committed' : 'conflict';
  }

  apply({ fence, puts, withdrawals }: ContainerWrite, version: bigint): void {
    assert.ok(version > this.version, `a committed write moves the version up, from ${this.version}: ${version}`);
    const isRaised = this.fence === null || fence.fencingToken >= this.fence.fencingToken;
    assert.ok(isRaised, `the fence never goes down, from ${this.fence?.fencingToken}: ${fence.fencingToken}`);
    this.fence = fence;
    for (const [name, sessionId] of withdrawals) {
      if (this.entries.get(name)?.sessionId !== sessionId) continue;
      this.entries.delete(name);
      this.changedBy.set(name, this.versions.length);
    }
    for (const [name, entry] of puts) {
      this.entries.set(name, entry);
      this.changedBy.set(name, this.versions.length);
    }
    this.versions.push(version);
  }

  /** What a reading has to show; one that says `full` may always be the whole map. */
  view(since: bigint | null, keys: readonly string[], full: boolean): Map<string, LeaderInformation | null> {
    const from = full || since === null ? null : this.versions.indexOf(since);
    const view = new Map<string, LeaderInformation | null>();
    for (const name of keys) {
      const entry = this.entries.get(name) ?? null;
      if (from === null ? entry !== null : (this.changedBy.get(name) ?? 0) > from) view.set(name, entry);
    }
    return view;
  }
}

/** Any steps on two handles of one store are answered as the model says. */
export const containerProperty = (stores: Stores) =>
  fc.asyncProperty(steps, (taken) => stores.with((handles) => agrees(handles, taken)));

async function agrees(handles: readonly [OpenBackend, OpenBackend], taken: readonly Step[]): Promise<void> {
  const model = new Model();
  const reported: ContainerState[] = [];
  const stop = handles[0].register.watch((state) => reported.push(state));
  try {
    for (const one of taken) {
      const { register } = handles[one.handle];
      if (one.kind === 'write') await writes(register, model, one);
      else await reads(register, model, one);
    }
    const last = await handles[1].register.read(CALL);
    assert.ok(last.outcome === 'found');
    same(last.state, stateOf(model, model.view(null, KEYS, true), true), 'the register in the end');
    checkReports(reported, model);
  } finally {
    stop();
  }
}

async function writes(
  register: OpenBackend['register'],
  model: Model,
  { session: index, age: named, puts, withdrawals }: Extract<Step, { kind: 'write' }>,
): Promise<void> {
  const fence = SESSIONS[index] as Fence;
  const write: ContainerWrite = {
    expectedVersion: model.versionOf(named),
    fence,
    puts: new Map(puts.map(([name, n]) => [name, { ...fence, address: `http://${n}`, metadata: {} }])),
    withdrawals: new Map(withdrawals.map(([name, of]) => [name, SESSIONS[of]?.sessionId ?? ''])),
  };
  const verdict = model.verdictOn(write);
  const result = await register.write(write, CALL);
  const received = result.outcome === 'refused' ? result.reason : result.outcome;
  assert.equal(received, verdict, `a write with token ${fence.fencingToken} over ${model.fence?.fencingToken}`);
  if (result.outcome === 'committed') model.apply(write, result.version);
  if (result.outcome !== 'conflict') return;
  same({ ...result }, { outcome: 'conflict', version: model.version, fence: model.fence }, 'what a conflict carries');
}

async function reads(
  register: OpenBackend['register'],
  model: Model,
  { since: named, keys }: Extract<Step, { kind: 'read' }>,
): Promise<void> {
  const since = named === null ? null : model.versionOf(named);
  const reading = await register.read({
    ...CALL,
    ...(since === null ? {} : { since }),
    ...(keys === null ? {} : { keys }),
  });
  assert.ok(reading.outcome === 'found');
  const { state } = reading;
  if (since === null || named === 'never') assert.ok(state.full, 'the whole map');
  same(state, stateOf(model, model.view(since, keys ?? KEYS, state.full), state.full), `a reading since ${since}`);
}

function stateOf(model: Model, changed: ContainerState['changed'], full: boolean): ContainerState {
  return { version: model.version, fence: model.fence, full, changed };
}

/** A watch may lag behind and may skip versions; what it has reported is one of the states, in order. */
function checkReports(reported: readonly ContainerState[], model: Model): void {
  let before = -1n;
  for (const { version } of reported) {
    assert.ok(version >= before, `a watch goes back from version ${before} to ${version}`);
    assert.ok(model.versions.includes(version), `a watch reports version ${version}, which never was`);
    before = version;
  }
}

function same(received: unknown, expected: unknown, what: string): void {
  assert.deepEqual(received, expected, what);
}
