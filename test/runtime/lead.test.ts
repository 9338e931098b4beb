import { describe, expect, it } from 'vitest';
import { InvalidOptionsError, TenureError } from '../../src/errors.ts';
import type { Backend } from '../../src/ports/backend.ts';
import { openTenure } from '../../src/runtime/open-tenure.ts';
import { Stage, settle, stateOf, Worker } from './stage.ts';

describe('openTenure', () => {
  it('D4, D5: opens the backend and does nothing with it before the first lead or follow', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    await stage.advance(60_000);
    expect(await stage.lease.read({ timeoutMs: 1 })).toEqual({ outcome: 'absent' });
    expect(tenure.state).toEqual({ phase: 'idle', sessionId: null, fencingToken: null, deadlineMs: null });
    expect(stage.clock.pending).toBe(0);
    await tenure.close();
    expect(() => tenure.lead('rest', () => {})).toThrow(expect.objectContaining({ code: 'closed' }));
  });

  it('P3: hands the failure of the backend on as it is, and leaves nothing open', async () => {
    const failure = new TenureError('store-unusable', 'not a database');
    const backend: Backend = { name: 'broken', open: () => Promise.reject(failure) };
    await expect(openTenure({ election: 'billing', backend })).rejects.toBe(failure);
  });

  it('says all violations at once and starts nothing', async () => {
    const wrong = { election: 'Billing!', backend: 'oracle', timing: { renewMs: -1 } };
    await expect(openTenure(wrong as never)).rejects.toMatchObject({
      code: 'invalid-options',
      violations: [{ field: 'election' }, { field: 'backend' }, { field: 'timing.renewMs' }],
    });
  });

  it('does not open at all once its signal has aborted', async () => {
    const stage = new Stage();
    await expect(stage.open({ signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow('too late');
    expect(stage.tenures).toEqual([]);
  });
});

describe('lead', () => {
  it('D2: refuses a second contender of the same component and leaves the first one untouched', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const first = new Worker('http://first');
    const leading = tenure.lead('rest', first.run);
    const second = new Worker();
    expect(() => tenure.lead('rest', second.run)).toThrow(expect.objectContaining({ code: 'component-taken' }));
    await settle();
    expect(leading.state.phase).toBe('confirmed');
    expect(await stage.entries()).toEqual({ rest: 'http://first' });
    expect([first.session.isCurrent, second.sessions]).toEqual([true, []]);
    expect(await stage.close()).toBe(0);
  });

  it('P1, P4: passes the component and its session on to the contender, and its address to the store', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const worker = new Worker();
    const leading = tenure.lead('rest', worker.run);
    await settle();
    const { session } = worker;
    expect([session.component, leading.component]).toEqual(['rest', 'rest']);
    expect(session.id).toBe(tenure.state.sessionId);
    await session.confirm({ address: 'http://a', metadata: { zone: 'z1' } });
    const reading = await stage.register.read({ timeoutMs: 1 });
    const { id: sessionId, fencingToken } = session;
    const entry = { sessionId, fencingToken, address: 'http://a', metadata: { zone: 'z1' } };
    expect(reading).toMatchObject({ state: { changed: new Map([['rest', entry]]) } });
    expect(await stage.close()).toBe(0);
  });

  it('P2: refuses what is not a contender, and names that are none', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    expect(() => tenure.lead('rest', null as never)).toThrow(InvalidOptionsError);
    expect(() => tenure.lead('a/b', () => {})).toThrow(InvalidOptionsError);
    expect(() => tenure.follow('*')).toThrow(InvalidOptionsError);
    expect(tenure.state.phase).toBe('idle');
    await tenure.close();
  });

  it('P6, P7: a component that has closed may be led anew, whether it had ever been granted or not', async () => {
    const stage = new Stage();
    const [first, second] = [await stage.open(), await stage.open()];
    first.lead('rest', new Worker().run);
    const standing = second.lead('rest', new Worker().run);
    expect(await stateOf(standing.close())).toBe('done');
    const again = new Worker();
    second.lead('rest', again.run);
    await settle();
    await first.close();
    await settle();
    expect(again.sessions).toHaveLength(1);
    expect(await stage.close()).toBe(0);
  });

  it('D6: stands for the lock again after the last component left and another came', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const tokens: bigint[] = [];
    for (const round of ['one', 'two']) {
      const worker = new Worker(round);
      const leading = tenure.lead('rest', worker.run);
      await settle();
      tokens.push(worker.session.fencingToken);
      await leading.close();
      await settle();
      expect(tenure.state.phase).toBe('idle');
    }
    expect(tokens).toEqual([1n, 2n]);
    expect(await stage.close()).toBe(0);
  });

  it('a signal closes the component, one that has aborted already too', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const stop = new AbortController();
    const leading = tenure.lead('rest', new Worker('http://a').run, { signal: stop.signal });
    const late = tenure.lead('job', new Worker().run, { signal: AbortSignal.abort() });
    await settle();
    expect([leading.state.phase, await stateOf(late.closed)]).toEqual(['confirmed', 'done']);
    stop.abort();
    expect(await stateOf(leading.closed)).toBe('done');
    expect(await stage.entries()).toEqual({});
    expect(await stage.close()).toBe(0);
  });
});

describe('a contender that takes its time', () => {
  it('D32: one that blocks for ever at its grant holds up no other component', async () => {
    const stage = new Stage();
    const tenure = await stage.open({ timing: { stopBoundMs: 1_000 } });
    tenure.lead('blocked', () => new Promise(() => {}));
    const neighbour = new Worker('http://n');
    tenure.lead('neighbour', neighbour.run);
    await settle();
    expect(await stage.entries()).toEqual({ neighbour: 'http://n' });
    expect(await stage.close()).toBe(0);
  });

  it('D33: one that blocks at its revocation holds up no other component', async () => {
    const stage = new Stage();
    const tenure = await stage.open({ timing: { stopBoundMs: 5_000 } });
    tenure.lead('blocked', () => new Promise(() => {}));
    const neighbour = new Worker('http://n');
    tenure.lead('neighbour', neighbour.run);
    await settle();
    await stage.steal();
    expect(neighbour.settled).toBe(1);
    await stage.advance(3_000);
    expect(neighbour.sessions).toHaveLength(2);
    expect(await stage.close()).toBe(0);
    expect(stage.findings.map(({ code }) => code)).toEqual(['contender-overstayed']);
  });

  it('E1: one that leaves before its queued start runs is never started', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const anchor = tenure.lead('anchor', new Worker().run);
    await settle();
    const worker = new Worker();
    const leading = tenure.lead('rest', worker.run);
    expect(leading.state.phase).toBe('confirm-pending');
    const closed = leading.close();
    expect(await stateOf(closed)).toBe('done');
    expect([worker.sessions, anchor.state.phase]).toEqual([[], 'confirm-pending']);
    expect(await stage.close()).toBe(0);
  });
});
