import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeaderInformation } from '../machines/vocabulary.ts';
import { sqlite } from '../src/drivers/sqlite/index.ts';
import { systemClock } from '../src/drivers/system/clock.ts';
import { systemRandom } from '../src/drivers/system/random.ts';
import type { OpenBackend } from '../src/ports/backend.ts';
import type { Container } from '../src/ports/container.ts';
import type { Crowd } from './crowd.ts';
import { componentName, openCrowd } from './crowd.ts';
import type { Side } from './rounds.ts';
import { interleave, ratios } from './rounds.ts';
import type { Row } from './row.ts';

const SIZES = { few: 10, many: 1_000, most: 10_000 } as const;
/** Changes go to this many components in turn at every size, so that the processor's cache is as warm at each. */
const CHANGING = 10;
const ROUNDS = 40;
const CALL = { timeoutMs: 5_000 };

/** One changed entry at a time, from the listener of the store's watch to the leadership actor that it belongs to. */
export async function measureFanOut(): Promise<readonly Row[]> {
  const crowds = await Promise.all(Object.values(SIZES).map((size) => openCrowd(size)));
  const [few, many, most] = crowds;
  if (few === undefined || many === undefined || most === undefined) throw new Error('three sizes are needed');
  await Promise.all(crowds.map((crowd) => crowd.confirmed()));
  const measured = interleave({ few: changes(few), many: changes(many), most: changes(most) }, ROUNDS);
  const what = (size: number) => `one changed entry among ${size.toLocaleString('en-US')} components`;
  const micro = (values: readonly number[]) => values.map((value) => value / 1e3);
  return [
    { what: what(SIZES.few), unit: 'µs', values: micro(measured.few) },
    { what: what(SIZES.many), unit: 'µs', values: micro(measured.many) },
    { what: what(SIZES.most), unit: 'µs', values: micro(measured.most) },
    // "Independent of n" leaves room for a heap that is a thousand times as large, not for a second look at anything.
    { what: '  10,000 against 10', unit: '×', values: ratios(measured.most, measured.few), atMost: 1.5 },
    ...(await measureSqliteDifference()),
  ];
}

function changes({ observe, sessions, leadings }: Crowd): Side {
  const session = sessions.values().next().value;
  if (session === undefined) throw new Error('nobody leads');
  const fence = { fencingToken: session.fencingToken, sessionId: session.id };
  // Above every version that the store itself has reached.
  let version = 1_000_000n;
  return (count) => {
    for (let at = 0; at < count; at += 1) {
      version += 1n;
      const entry = { ...fence, address: 'http://127.0.0.1:8080', metadata: { change: `${version}` } };
      const changed = new Map([[componentName(Number(version) % CHANGING), entry]]);
      observe({ version, fence, full: false, changed });
    }
    const last = leadings[Number(version) % CHANGING]?.actor.getSnapshot().context.seen?.version;
    if (last !== version) throw new Error(`the leadership actor saw version ${last}, not ${version}`);
  };
}

/** The same question to the SQLite driver: reading what changed since a version, while the register holds n entries. */
async function measureSqliteDifference(): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tenure-bench-'));
  const few = await filledRegister(join(folder, 'few.db'), SIZES.few);
  const most = await filledRegister(join(folder, 'most.db'), SIZES.most);
  const values = { few: [] as number[], most: [] as number[] };
  for (let round = -ROUNDS; round < ROUNDS; round += 1) {
    const took = { few: await readOneChange(few.register), most: await readOneChange(most.register) };
    // The rounds below zero warm up.
    if (round < 0) continue;
    values.few.push(took.few);
    values.most.push(took.most);
  }
  await Promise.all([few.close(), most.close()]);
  await rm(folder, { recursive: true });
  const what = (size: number) => `SQLite: reading one change among ${size.toLocaleString('en-US')} entries`;
  return [
    { what: what(SIZES.few), unit: 'µs', values: values.few },
    { what: what(SIZES.most), unit: 'µs', values: values.most },
    { what: '  10,000 against 10, SQLite', unit: '×', values: ratios(values.most, values.few), atMost: 1.5 },
  ];
}

async function filledRegister(file: string, size: number): Promise<OpenBackend> {
  const context = { election: 'bench', identity: 'bench', clock: systemClock(), random: systemRandom() };
  const backend = await sqlite({ file }).open(context);
  const names = Array.from({ length: size }, (_, at) => componentName(at));
  await write(backend.register, 0n, names);
  return backend;
}

/** Microseconds. */
async function readOneChange(register: Container): Promise<number> {
  const before = await register.read({ ...CALL, keys: [] });
  if (before.outcome !== 'found') throw new Error(before.detail);
  const since = before.state.version;
  await write(register, since, [componentName(Number(since) % CHANGING)]);
  const began = process.hrtime.bigint();
  const reading = await register.read({ ...CALL, since });
  const took = Number(process.hrtime.bigint() - began) / 1e3;
  if (reading.outcome !== 'found' || reading.state.changed.size !== 1) throw new Error('not the one change');
  return took;
}

async function write(register: Container, expectedVersion: bigint, keys: readonly string[]): Promise<void> {
  const fence = { fencingToken: 1n, sessionId: 'bench' };
  const entry: LeaderInformation = { ...fence, address: 'http://127.0.0.1:8080', metadata: {} };
  const puts = new Map(keys.map((key) => [key, entry]));
  const result = await register.write({ expectedVersion, fence, puts, withdrawals: new Map() }, CALL);
  if (result.outcome !== 'committed') throw new Error(`the write was ${result.outcome}`);
}
