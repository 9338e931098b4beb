import { describe, expect, it, vi } from 'vitest';
import { recordingFileText } from '../../src/simulation/harness/recording-file.ts';
import {
  type RecordedPart,
  readRecording,
  replayRecording,
  runWalk,
  settle,
  walkOf,
} from '../../src/simulation/index.ts';
import { readRecordedTrace } from '../../src/simulation/test-writer/recording.ts';
import { Stage } from '../runtime/stage.ts';
import { good } from './contenders.ts';

type Line = Record<string, unknown> & { step?: Record<string, unknown> };

const confirms = async (session: Parameters<NonNullable<(typeof good)[string]>>[0]): Promise<void> => {
  await session.confirm({ address: 'http://a' });
  await new Promise((resolve) => session.signal.addEventListener('abort', resolve));
};

/** A participant that leads, loses an entry, fails once, is robbed of the lease, leads again and leaves. */
async function record(onFailure: 'stand-again' | 'resign' = 'stand-again'): Promise<Line[]> {
  const stage = new Stage();
  const tenure = await stage.open();
  let fails = 1;
  tenure.lead(
    'web',
    async (session) => {
      await session.confirm({ address: 'http://a' });
      if (fails-- > 0) throw new Error('the first time it fails');
      await confirms(session);
    },
    { onFailure },
  );
  tenure.lead('jobs', confirms);
  await stage.advance(5_000);
  await stage.register.write(
    {
      expectedVersion: ((await stage.register.read({ timeoutMs: 1 })) as { state: { version: bigint } }).state.version,
      fence: { sessionId: tenure.state.sessionId ?? '', fencingToken: tenure.state.fencingToken ?? 0n },
      puts: new Map(),
      withdrawals: new Map([['jobs', tenure.state.sessionId ?? '']]),
    },
    { timeoutMs: 1 },
  );
  await stage.advance(5_000);
  await stage.steal();
  await stage.advance(30_000);
  await stage.close();
  return stage.trace.map((line) => structuredClone(line) as unknown as Line);
}

const textOf = (lines: readonly Line[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

function partsOf(lines: readonly Line[]): readonly RecordedPart[] {
  const read = readRecordedTrace(textOf(lines));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.parts;
}

function problemsOf(text: string) {
  const read = readRecordedTrace(text);
  return 'problems' in read ? read.problems : [];
}

describe('a recording', () => {
  it('becomes a part for each leadership, which the shipped machine answers as it did', async () => {
    const lines = await record();
    const parts = partsOf(lines);
    expect(parts.map(({ name }) => name.replace(/.* /, ''))).toEqual(['web', 'jobs']);
    const states = parts.flatMap(({ steps }) => steps.map(({ state }) => state));
    expect(states).toEqual(expect.arrayContaining(['resting', 'confirmed.rewriting', 'revoked.stopping', 'closed']));
    const heard = lines.filter(({ to, step }) => String(to).startsWith('leadership:') && step !== undefined);
    expect(parts.flatMap(({ steps }) => steps)).toHaveLength(heard.length);
    for (const part of readRecording(recordingFileText(parts))) replayRecording(part);
  });

  it('leads another contender the same way, and keeps it to its rules', async () => {
    const [, jobs] = partsOf(await record());
    if (jobs === undefined) throw new Error('no part');
    const { cutShort } = await runWalk(good['confirms, works, stops'] ?? (() => {}), walkOf(jobs), { timers: vi });
    expect(cutShort).toBe(null);
    await expect(runWalk(() => {}, walkOf(jobs), { timers: vi })).rejects.toThrow(/leads-until-told/);
  });

  it('says so when a contender does not do what was recorded', async () => {
    const [web] = partsOf(await record());
    if (web === undefined) throw new Error('no part');
    const { cutShort } = await runWalk(good['confirms, works, stops'] ?? (() => {}), walkOf(web), { timers: vi });
    expect(cutShort).toBe('your contender never throws here');
  });

  it('finds the failure policy out', async () => {
    const [web] = partsOf(await record('resign'));
    expect(web?.onFailure).toBe('resign');
  });

  it('is read without versions as well, as older recordings have none', async () => {
    const lines = await record();
    const without = lines.map(({ version: _, ...line }) => line);
    expect(partsOf(without).map(({ steps }) => steps.length)).toEqual(partsOf(lines).map(({ steps }) => steps.length));
  });

  it('needs no causes: then it is not asserted what the leadership said', async () => {
    const lines = (await record()).map((line) => ({ ...line, cause: null }));
    expect(partsOf(lines).every(({ steps }) => steps.every(({ says }) => says === null))).toBe(true);
  });

  it.each(['state', 'verdict', 'says'] as const)('fails when the machine does otherwise: another %s', async (field) => {
    const [web] = partsOf(await record());
    if (web === undefined) throw new Error('no part');
    const other = { state: 'resting', verdict: 'ignored', says: ['register.withdraw'] } as const;
    const steps = web.steps.map((step, at) => (at === 1 ? { ...step, [field]: other[field] } : step));
    expect(() => replayRecording({ ...web, steps })).toThrow(
      /web, line \d+: in grant-pending, at contender\.started, it .* the recording says /,
    );
  });
});

describe('a counterexample', () => {
  it('of a planted bug is followed up to the bug; there the shipped machine is held to what it does', async () => {
    const lines = await record();
    const at = lines.findIndex(({ to, event }) => to === 'leadership:web' && event === 'contender.confirm');
    const line = lines[at];
    if (line?.step === undefined) throw new Error('no such line');
    line.step.after = 'confirmed.settled';
    line.finding = ['broken', 'I8', 'confirmed before the write is acknowledged'];
    const read = readRecordedTrace(textOf(lines));
    if ('problems' in read) throw new Error(JSON.stringify(read.problems));
    expect(read.differs).toHaveLength(1);
    expect(read.differs[0]?.rule).toMatch(
      /went to confirm-pending\.publishing, the recording says confirmed\.settled$/,
    );
    const [web] = read.parts;
    expect(web?.steps.at(-1)).toMatchObject({ line: at + 1, state: 'confirm-pending.publishing' });
    for (const part of read.parts) replayRecording(part);
  });
});

describe('a recording that cannot be used', () => {
  it('is told by line and rule, all of them at once', async () => {
    const lines = await record();
    const text = textOf(lines.slice(0, 4));
    const broken = [
      '{"v":1,"seq":',
      JSON.stringify({ ...lines[1], v: 2 }),
      JSON.stringify({ ...lines[1], to: 7 }),
      JSON.stringify({ ...lines[1], token: 'many' }),
      JSON.stringify({ ...lines[1], step: { before: 'a', after: 'b', verdict: 'odd', commands: [] } }),
      '[]',
      JSON.stringify({ ...lines[1], to: 'leadership:web', event: 'revoked', detail: 'a whim' }),
      JSON.stringify({ ...lines[1], to: 'leadership:web', event: 'timer.elapsed', detail: 'stop: s1' }),
      JSON.stringify({ ...lines[1], participant: 7 }),
      JSON.stringify({ ...lines[1], world: { register: {} } }),
      JSON.stringify({ ...lines[1], version: 3 }),
    ];
    expect(problemsOf(`${text}${broken.join('\n')}\n`)).toEqual([
      { line: 5, rule: 'must be one JSON object; it is cut off or no JSON' },
      { line: 6, rule: 'v must be 1, received 2' },
      { line: 7, rule: 'to must be a text, received 7' },
      { line: 8, rule: 'token must be a number as text, received "many"' },
      { line: 9, rule: 'step.verdict must be one of moved, noted, ignored, stale, undeclared, received "odd"' },
      { line: 10, rule: 'must be one JSON object' },
      {
        line: 11,
        rule: 'detail of a revoke must be one of lost, deadline, fenced, stepped-down, superseded, closing, resigned, failed, received "a whim"',
      },
      { line: 12, rule: 'detail must be the id of the timer, received "stop: s1"' },
      { line: 13, rule: 'participant must be a text, received 7' },
      { line: 14, rule: 'world.register must have a version as text, and entries' },
      { line: 15, rule: 'and one more problem, from here on' },
    ]);
  });

  it('is empty, or has nothing to say to a leadership', async () => {
    expect(problemsOf('')).toEqual([{ line: 1, rule: 'must be a trace line; the file is empty' }]);
    const [start] = await record();
    expect(problemsOf(textOf(start === undefined ? [] : [start]))).toEqual([
      { line: 1, rule: 'no line in the file is a message to a leadership' },
    ]);
  });

  it('begins in the middle', async () => {
    const lines = await record();
    const from = lines.findIndex(
      ({ to, step }) => to === 'leadership:web' && step?.before === 'confirm-pending.publishing',
    );
    const [problem] = problemsOf(textOf(lines.slice(from)));
    expect(problem?.line).toBe(1);
    expect(problem?.rule).toMatch(/is in confirm-pending\.publishing already: the recording must begin before/);
  });

  it('has lost lines', async () => {
    const lines = await record();
    const at = lines.findIndex(({ to, event }) => to === 'leadership:web' && event === 'contender.started');
    const [problem] = problemsOf(textOf(lines.filter((_, index) => index !== at)));
    expect(problem?.rule).toMatch(
      /is in confirm-pending\.awaiting here, and was left in grant-pending: lines are missing/,
    );
  });

  it('has been changed, or is of another version: the line at which the machine does otherwise', async () => {
    const lines = await record();
    const at = lines.findIndex(({ to, event }) => to === 'leadership:web' && event === 'contender.started');
    const line = lines[at];
    if (line?.step === undefined) throw new Error('no such line');
    line.step.after = 'confirmed.settled';
    const [problem] = problemsOf(textOf(lines));
    expect(problem?.line).toBe(at + 1);
    expect(problem?.rule).toMatch(/went to confirm-pending\.awaiting, the recording says confirmed\.settled/);
    await settle();
  });
});
