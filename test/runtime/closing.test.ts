import { describe, expect, it } from 'vitest';
import type { Tenure } from '../../src/runtime/api.ts';
import type { Faults } from '../../src/simulation/faults.ts';
import { Stage, settle, stateOf, Worker } from './stage.ts';

interface Scene {
  readonly stage: Stage;
  readonly tenure: Tenure;
  readonly faults: Faults;
  readonly worker: Worker;
}

/** Every phase of an election, and the windows between them, as the moment at which `close` comes. */
const moments: readonly [string, (scene: Scene) => Promise<void>][] = [
  ['idle', async () => {}],
  ['idle, following', async ({ tenure }) => void tenure.follow('rest')],
  ['right after lead, in the same turn', async ({ tenure, worker }) => void tenure.lead('rest', worker.run)],
  [
    'contending, its read unanswered',
    async ({ tenure, faults, worker }) => {
      faults.set('lease.read', { kind: 'hang' });
      tenure.lead('rest', worker.run);
    },
  ],
  [
    'contending, the backend gone',
    async ({ stage, tenure, faults, worker }) => {
      faults.cutOff();
      tenure.lead('rest', worker.run);
      await stage.advance(3_000);
    },
  ],
  [
    'contending, its acquisition on its way',
    async ({ tenure, faults, worker }) => {
      faults.set('lease.acquire', { kind: 'hold' });
      tenure.lead('rest', worker.run);
      await settle();
    },
  ],
  [
    'standing by behind another holder',
    async ({ stage, tenure, worker }) => {
      await stage.steal(15_000);
      tenure.lead('rest', worker.run);
      await settle();
    },
  ],
  [
    'leading, confirmed',
    async ({ tenure }) => {
      tenure.lead('rest', new Worker('http://a').run);
      await settle();
    },
  ],
  [
    'leading, its renewal on its way',
    async ({ stage, tenure, faults, worker }) => {
      tenure.lead('rest', worker.run);
      await settle();
      faults.set('lease.renew', { kind: 'hold' });
      await stage.advance(5_500);
    },
  ],
  [
    'suspended, with a confirmation held',
    async ({ stage, tenure, faults, worker }) => {
      tenure.lead('rest', worker.run);
      await settle();
      faults.cutOff();
      await stage.advance(6_000);
      void worker.session.confirm({ address: 'http://a' });
    },
  ],
  [
    'ceding, a contender still at work',
    async ({ tenure }) => {
      tenure.lead('rest', () => new Promise(() => {}));
      await settle();
      void tenure.stepDown().catch(() => {});
    },
  ],
  [
    'yielding after a step-down',
    async ({ tenure, worker }) => {
      tenure.lead('rest', worker.run);
      await settle();
      await tenure.stepDown();
    },
  ],
  [
    'after its lease was stolen',
    async ({ stage, tenure, worker }) => {
      tenure.lead('rest', worker.run);
      await settle();
      await stage.steal();
    },
  ],
];

describe('close', () => {
  it.each(moments)('D3, D11: %s: settles, with everything promised, and leaves nothing to do', async (_, reach) => {
    const stage = new Stage();
    const faults = stage.faults();
    const tenure = await stage.open({ faults, timing: { stopBoundMs: 2_000 } });
    const worker = new Worker();
    await reach({ stage, tenure, faults, worker });
    const closed = tenure.close();
    expect(tenure.close()).toBe(closed);
    await stage.advance(30_000);
    expect(await stateOf(closed)).toBe('done');
    expect(tenure.state.phase).toBe('closed');
    expect(stage.clock.pending).toBe(0);
    expect(worker.settled).toBe(worker.sessions.length);
  });

  it('D22, D29: afterwards nothing that happens at the store reaches anybody', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const worker = new Worker('http://a');
    tenure.lead('rest', worker.run);
    await settle();
    await tenure.close();
    const { length } = stage.trace;
    await stage.steal();
    await stage.advance(60_000);
    expect([stage.trace.length, worker.sessions.length, stage.findings]).toEqual([length, 1, []]);
  });

  it('D12: deletes what this session published, then gives the lock back', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    for (const component of ['rest', 'job']) tenure.lead(component, new Worker(`http://${component}`).run);
    await settle();
    expect(await stage.entries()).toEqual({ rest: 'http://rest', job: 'http://job' });
    await tenure.close();
    expect(await stage.entries()).toEqual({});
    expect(await stage.lease.read({ timeoutMs: 1 })).toMatchObject({ record: { holder: '', fencingToken: 1n } });
  });

  it('refuses every verb with `closed`, step-down as a rejected promise', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const closed = tenure.close();
    const refusal = expect.objectContaining({ code: 'closed' });
    expect(() => tenure.lead('rest', () => {})).toThrow(refusal);
    expect(() => tenure.follow('rest')).toThrow(refusal);
    await expect(tenure.stepDown()).rejects.toEqual(refusal);
    await closed;
  });

  it('works as the end of an `await using` block, for tenure, leading and following', async () => {
    const stage = new Stage();
    const worker = new Worker('http://a');
    {
      await using tenure = await stage.open();
      await using following = tenure.follow('rest');
      await using leading = tenure.lead('rest', worker.run);
      await settle();
      expect([leading.state.phase, following.current?.address]).toEqual(['confirmed', 'http://a']);
    }
    expect([worker.settled, await stage.entries(), stage.clock.pending]).toEqual([1, {}, 0]);
  });

  it('follows the signal of its options', async () => {
    const stage = new Stage();
    const stop = new AbortController();
    const tenure = await stage.open({ signal: stop.signal });
    const leading = tenure.lead('rest', new Worker('http://a').run);
    await settle();
    stop.abort();
    await settle();
    expect([tenure.state.phase, await stateOf(leading.closed), stage.clock.pending]).toEqual(['closed', 'done', 0]);
  });

  it('may be called from within: by a contender, of its own component and of the whole tenure', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const leading = tenure.lead('rest', async () => {
      void leading.close();
    });
    tenure.lead('job', async () => {
      void tenure.close();
    });
    await stage.advance(1);
    expect([await stateOf(leading.closed), tenure.state.phase, stage.clock.pending]).toEqual(['done', 'closed', 0]);
  });
});

describe('stepDown', () => {
  it('says so when there is nothing to step down from', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    await expect(tenure.stepDown()).rejects.toMatchObject({ code: 'not-leading' });
    expect(await stage.close()).toBe(0);
  });

  it('settles for each who asked, once the work has stopped', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const worker = new Worker();
    tenure.lead('rest', worker.run);
    await settle();
    await Promise.all([tenure.stepDown(), tenure.stepDown()]);
    expect(worker.settled).toBe(1);
    expect(await stage.close()).toBe(0);
  });
});
