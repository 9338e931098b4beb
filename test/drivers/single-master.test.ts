import { fork } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SingleMasterOptions, singleMaster } from '../../src/drivers/single-master/index.ts';
import { InvalidOptionsError } from '../../src/errors.ts';
import type { OpenBackend } from '../../src/ports/backend.ts';
import type { LeaseRecord } from '../../src/ports/lease-store.ts';
import { temporaryFolder } from './engines.ts';
import { handClock, record, testContext } from './place.ts';
import { information, put, state } from './register.ts';

const CALL = { timeoutMs: 1000 };
const FENCE = { fencingToken: 1n, sessionId: 's-1' };

describe('single-master', () => {
  let folder: string;
  let file: string;
  let remove: () => void;
  const opened: OpenBackend[] = [];

  beforeEach(() => {
    ({ folder, remove } = temporaryFolder());
    file = join(folder, 'leaders.json');
  });
  afterEach(async () => {
    for (const backend of opened.splice(0)) await backend.close();
    remove();
  });

  const open = async (publish?: SingleMasterOptions['publish'], election = 'billing'): Promise<OpenBackend> => {
    const options = publish === undefined ? {} : { publish };
    const backend = await singleMaster({ iKnowOnlyOneRuns: true, ...options }).open(testContext({ election }));
    opened.push(backend);
    return backend;
  };
  const published = (): Record<string, unknown> => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;

  it('refuses to open without consent', async () => {
    for (const options of [undefined, {}, { iKnowOnlyOneRuns: 'yes' }]) {
      const opening = singleMaster(options as never).open(testContext());
      await expect(opening).rejects.toMatchObject({ code: 'consent-missing', outcome: 'not-done' });
    }
    expect(existsSync(file)).toBe(false);
  });

  it('refuses a place that is neither a file nor an object', () => {
    for (const publish of ['', 7, [], new Map()]) {
      const options = { iKnowOnlyOneRuns: true, publish } as never;
      expect(() => singleMaster(options)).toThrow(InvalidOptionsError);
    }
  });

  it('says that nothing protects it', async () => {
    expect(await open(file)).toMatchObject({ protection: 'none', place: `single-master (${file})` });
    expect(await open()).toMatchObject({ protection: 'none', place: 'single-master (this process)' });
  });

  it('commits every acquisition and every renewal', async () => {
    const { lease } = await open(file);
    const first = await acquire(lease, null);
    const second = await acquire(lease, 99n);
    expect([first.fencingToken, second.fencingToken]).toEqual([1n, 2n]);
    const renewal = { kind: 'renew', expectedVersion: 77n, durationMs: 15_000 } as const;
    expect(await lease.write(renewal, CALL)).toMatchObject({ outcome: 'committed', record: { fencingToken: 2n } });
  });

  it('grows its token over restarts, deletions of the file and old copies of it', async () => {
    const first = await open(file);
    await acquire(first.lease, null);
    await first.close();
    const copy = readFileSync(file);
    const second = await open(file);
    expect((await acquire(second.lease, null)).fencingToken).toBe(2n);
    writeFileSync(file, copy);
    expect((await acquire(second.lease, null)).fencingToken).toBe(3n);
    rmSync(file);
    expect((await acquire(second.lease, null)).fencingToken).toBe(4n);
    const third = await open(file);
    expect((await acquire(third.lease, null)).fencingToken).toBe(5n);
  });

  it('shows other programs who leads, and keeps what is theirs', async () => {
    writeFileSync(file, JSON.stringify({ theirs: [1, { two: 3 }], tenure: undefined }), { mode: 0o640 });
    chmodSync(file, 0o640);
    const billing = await open(file);
    const shipping = await open(file, 'shipping');
    await put(billing.register, 0n, FENCE, ['restserver']);
    await acquire(shipping.lease, null);
    const shown = { ...information(FENCE), fencingToken: '1' };
    expect(published()).toMatchObject({
      theirs: [1, { two: 3 }],
      tenure: {
        elections: {
          billing: { register: { entries: { restserver: { information: shown } } } },
          shipping: { lease: { fencingToken: '1' } },
        },
      },
    });
    expect(readdirSync(folder)).toEqual(['leaders.json']);
  });

  it('writes through a symbolic link', async () => {
    mkdirSync(join(folder, 'real'));
    const target = join(folder, 'real', 'target.json');
    writeFileSync(target, '{}');
    symlinkSync(target, file);
    await acquire((await open(file)).lease, null);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toHaveProperty('tenure.elections.billing');
  });

  it.each([
    ['text', 'not json'],
    ['nothing', ''],
    ['a list', '[1]'],
    ['another layout', '{"tenure":{"layout":9,"elections":{}}}'],
    ['a damaged lease', '{"tenure":{"layout":1,"elections":{"billing":{"lease":{"version":1},"register":{}}}}}'],
    ['a damaged register', '{"tenure":{"layout":1,"elections":{"billing":{"lease":null,"register":{"version":"x"}}}}}'],
  ])('refuses a file that holds %s, and never overwrites it', async (_title, content) => {
    const backend = await open(file);
    await acquire(backend.lease, null);
    writeFileSync(file, content);
    await expect(open(file)).rejects.toMatchObject({
      code: 'store-unusable',
      message: expect.stringMatching(/leaders\.json does not hold what Tenure writes/),
    });
    const write = { kind: 'acquire', expectedVersion: null, holder: 'h', sessionId: 's', durationMs: 1 } as const;
    const answers = [
      await backend.lease.read(CALL),
      await backend.lease.write(write, CALL),
      await backend.register.read(CALL),
      await backend.register.write(
        { expectedVersion: 0n, fence: FENCE, puts: new Map(), withdrawals: new Map() },
        CALL,
      ),
    ];
    expect(answers.map(({ outcome }) => outcome)).toEqual(['failed', 'refused', 'failed', 'refused']);
    for (const answer of answers) expect('detail' in answer && answer.detail).toMatch(/leaders\.json/);
    expect(readFileSync(file, 'utf8')).toBe(content);
  });

  it('refuses a directory', async () => {
    mkdirSync(file);
    await expect(open(file)).rejects.toMatchObject({ code: 'store-unusable' });
  });

  it('goes on watching when a poisoned file is repaired', async () => {
    const backend = await open(file);
    const first = await acquire(backend.lease, null);
    const good = readFileSync(file);
    const watching = record(backend.lease.watch.bind(backend.lease));
    await watching.until((items) => items.at(-1)?.version === first.version);
    writeFileSync(file, 'poison');
    writeFileSync(file, good);
    const second = await acquire(backend.lease, null);
    await watching.until((items) => items.at(-1)?.version === second.version);
    watching.stop();
  });

  it('refuses a step-down request from a process that has not acquired', async () => {
    const leader = await open(file);
    const visitor = await open(file);
    const { version } = await acquire(leader.lease, null);
    const request = { kind: 'request-step-down', expectedVersion: version, sessionId: 's-1' } as const;
    expect(await visitor.lease.write(request, CALL)).toMatchObject({ outcome: 'refused' });
    expect((await leader.lease.write(request, CALL)).outcome).toBe('committed');
  });

  it('reports a write of its own at once, and has no timer without a watch', async () => {
    const hand = handClock();
    const backend = await singleMaster({ iKnowOnlyOneRuns: true }).open({ ...testContext(), clock: hand.clock });
    opened.push(backend);
    const stop = backend.lease.watch(() => {});
    hand.fire();
    expect(hand.timers.map(({ delayMs }) => delayMs)).toEqual([20]);
    await acquire(backend.lease, null);
    expect(hand.timers.map(({ delayMs }) => delayMs)).toEqual([0]);
    stop();
    expect(hand.timers).toEqual([]);
  });

  it('serves the other watches when a listener throws', async () => {
    const hand = handClock();
    const backend = await singleMaster({ iKnowOnlyOneRuns: true }).open({ ...testContext(), clock: hand.clock });
    opened.push(backend);
    backend.lease.watch(() => {
      throw new Error('listener');
    });
    const other = record(backend.lease.watch.bind(backend.lease));
    expect(hand.fire).toThrow('listener');
    expect(other.items).toEqual([null]);
    expect(hand.timers).toHaveLength(1);
  });

  it('never shows a reader half a file', async () => {
    const backend = await open(file);
    const keys = Array.from({ length: 500 }, (_, n) => `job-${n}`);
    await put(backend.register, 0n, FENCE, keys);
    const reader = fork(fileURLToPath(new URL('children/read-json.mjs', import.meta.url)), [file], { execArgv: [] });
    const report = await new Promise<{ reads: number; torn: number }>((resolve) => {
      reader.once('message', async () => {
        reader.once('message', (message) => resolve(message as { reads: number; torn: number }));
        for (let n = 0; n < 40; n += 1) await acquire(backend.lease, null);
        reader.send('enough');
      });
    });
    expect(report.torn).toBe(0);
    expect(report.reads).toBeGreaterThan(10);
  });

  it('publishes through an object of the caller and leaves its other keys', async () => {
    const board: Record<string, unknown> = { theirs: 1 };
    const backend = await open(board);
    await put(backend.register, 0n, FENCE, ['restserver']);
    await acquire(backend.lease, null);
    expect(board).toMatchObject({ theirs: 1, tenure: { elections: { billing: { lease: { fencingToken: '1' } } } } });
    expect((await state((await open(board)).register)).changed.size).toBe(1);
    await expect(open({ tenure: 'theirs too' })).rejects.toMatchObject({ code: 'store-unusable' });
    const frozen = await open(Object.freeze({}) as Record<string, unknown>);
    const write = { kind: 'acquire', expectedVersion: null, holder: 'h', sessionId: 's', durationMs: 1 } as const;
    expect((await frozen.lease.write(write, CALL)).outcome).toBe('refused');
  });
});

async function acquire(lease: OpenBackend['lease'], expectedVersion: bigint | null): Promise<LeaseRecord> {
  const write = { kind: 'acquire', expectedVersion, holder: 'one', sessionId: 's-1', durationMs: 15_000 } as const;
  const result = await lease.write(write, CALL);
  if (result.outcome !== 'committed') throw new Error(`expected a commit, got ${result.outcome}`);
  return result.record;
}
