import { describe, expect, it } from 'vitest';
import { aborted, Stage, settle, stateOf, Worker } from './stage.ts';

async function leadingStage() {
  const stage = new Stage();
  const faults = stage.faults();
  const tenure = await stage.open({ faults });
  const worker = new Worker();
  const leading = tenure.lead('rest', worker.run);
  await settle();
  return { stage, faults, tenure, worker, leading, session: worker.session };
}

describe('isCurrent and assertCurrent', () => {
  it('D17, S3: true for the session that leads; another session has a handle of its own', async () => {
    const { stage, tenure, session, worker } = await leadingStage();
    expect([session.isCurrent, session.id]).toEqual([true, tenure.state.sessionId]);
    await stage.steal();
    await stage.advance(3_000);
    expect([session.isCurrent, worker.session.isCurrent]).toEqual([false, true]);
    expect(await stage.close()).toBe(0);
  });

  it('D18: false after the deadline though no timer has fired: the event loop stood still', async () => {
    const { stage, session } = await leadingStage();
    const { deadlineMs } = session;
    expect([deadlineMs, session.remainingMs]).toEqual([13_000, 13_000]);
    stage.clock.sleep(12_999);
    expect([session.isCurrent, session.remainingMs]).toEqual([true, 1]);
    stage.clock.sleep(1);
    expect([session.signal.aborted, session.isCurrent, session.remainingMs]).toEqual([false, false, 0]);
    // The question itself made the deadline take effect.
    expect(session.signal.aborted).toBe(true);
    expect(() => session.assertCurrent()).toThrow(expect.objectContaining({ code: 'session-over' }));
    expect(await stage.close()).toBe(0);
  });

  it('D16, S4: nothing is current before the grant has been handled', async () => {
    const stage = new Stage();
    const faults = stage.faults();
    faults.set('lease.acquire', { kind: 'hold', times: 1 });
    const tenure = await stage.open({ faults });
    const worker = new Worker();
    tenure.lead('rest', worker.run);
    await settle();
    // The lock is ours in the store as soon as the call arrives; here its answer has not been handled yet.
    expect([tenure.state.sessionId, worker.sessions]).toEqual([null, []]);
    faults.release();
    await settle();
    expect(worker.session.isCurrent).toBe(true);
    expect(await stage.close()).toBe(0);
  });

  it('D19, D20: false after a revocation has been handled, and after close', async () => {
    const { stage, session, worker, leading } = await leadingStage();
    await stage.steal();
    expect(session.isCurrent).toBe(false);
    await stage.advance(3_000);
    const newer = worker.session;
    void leading.close();
    await settle();
    expect([newer.isCurrent, newer.signal.reason]).toMatchObject([false, { code: 'session-over' }]);
    expect(await stage.close()).toBe(0);
  });

  it('the deadline moves with each acknowledged renewal, counted from when it was sent', async () => {
    const { stage, faults, session } = await leadingStage();
    await stage.advance(5_000);
    expect(session.deadlineMs).toBe(18_000);
    faults.set('lease.renew', { kind: 'delay', delayMs: 1_500, times: 1 });
    await stage.advance(6_499);
    expect(session.deadlineMs).toBe(18_000);
    await stage.advance(1);
    expect(session.deadlineMs).toBe(23_000);
    await stage.advance(5_000);
    expect(session.isCurrent).toBe(true);
    expect(await stage.close()).toBe(0);
  });

  it('a renewal that is applied and whose answer is lost does not move the deadline', async () => {
    const { stage, faults, session } = await leadingStage();
    faults.set('lease.renew', { kind: 'lose-answer', times: 1 });
    await stage.advance(5_000);
    expect(session.deadlineMs).toBe(13_000);
    await stage.advance(1_000);
    expect(session.deadlineMs).toBe(18_500);
    expect(await stage.close()).toBe(0);
  });
});

describe('confirm', () => {
  it.each([
    ['no argument', undefined],
    ['no address', {}],
    ['an empty address', { address: '' }],
    ['an address that is no text', { address: 7 }],
    ['metadata that is no object', { address: 'a', metadata: 'x' }],
    ['metadata with a value that is no text', { address: 'a', metadata: { n: 1 } }],
  ])('R2, R4: refuses %s, and nothing is written', async (_, wrong) => {
    const { stage, session } = await leadingStage();
    await expect(session.confirm(wrong as never)).rejects.toMatchObject({ code: 'invalid-options', component: 'rest' });
    expect(await stage.entries()).toEqual({});
    expect(await stage.close()).toBe(0);
  });

  it('keeps a copy: changing the metadata afterwards changes nothing', async () => {
    const { stage, session } = await leadingStage();
    const metadata = { zone: 'z1' };
    const confirmed = session.confirm({ address: 'http://a', metadata });
    metadata.zone = 'z2';
    await confirmed;
    const reading = await stage.register.read({ timeoutMs: 1 });
    const entry = reading.outcome === 'found' ? reading.state.changed.get('rest') : null;
    expect(entry?.metadata).toEqual({ zone: 'z1' });
    expect(await stage.close()).toBe(0);
  });

  it('D27: is refused after the session; one that nobody looks at is no unhandled rejection', async () => {
    const { stage, faults, session } = await leadingStage();
    faults.set('container.write', { kind: 'hold' });
    const pending = session.confirm({ address: 'http://a' });
    void session.confirm({ address: 'http://b' });
    await stage.steal();
    expect(await stateOf(pending)).toBe('refused, session-over');
    void session.confirm({ address: 'http://c' });
    await settle();
    faults.clear();
    faults.release();
    expect(await stage.close()).toBe(0);
  });

  it('D34: the lock is lost in the very turn in which the contender confirms: both end, nothing is stored', async () => {
    const { stage, session } = await leadingStage();
    const stolen = stage.steal();
    const confirmed = session.confirm({ address: 'http://a' });
    await stolen;
    expect(await stateOf(confirmed)).not.toBe('open');
    expect(session.isCurrent).toBe(false);
    expect(await stage.close()).toBe(0);
  });

  it('is refused as fenced when a newer session has written its fence', async () => {
    const { stage, faults, session } = await leadingStage();
    faults.set('container.write', { kind: 'hold', times: 1 });
    const confirmed = session.confirm({ address: 'http://a' });
    const fence = { fencingToken: 9n, sessionId: 'newer' };
    const touch = { expectedVersion: 1n, fence, puts: new Map(), withdrawals: new Map() };
    const state = stateOf(confirmed);
    await stage.register.write(touch, { timeoutMs: 1 });
    faults.release();
    expect(await state).toMatch(/^refused, (fenced|session-over)$/);
    expect(await stage.close()).toBe(0);
  });
});

describe('onSuspension', () => {
  it('calls back until it is told not to, and never after the session', async () => {
    const { stage, faults, session } = await leadingStage();
    const [heard, stopped]: [boolean[], boolean[]] = [[], []];
    session.onSuspension((suspended) => heard.push(suspended));
    const stop = session.onSuspension((suspended) => stopped.push(suspended));
    faults.set('lease.renew', { kind: 'refuse', times: 2 });
    await stage.advance(5_000);
    stop();
    await stage.advance(3_000);
    expect([heard, stopped]).toEqual([[true, false], [true]]);
    faults.cutOff();
    await stage.advance(20_000);
    expect([heard, session.signal.aborted]).toEqual([[true, false, true], true]);
    faults.reconnect();
    expect(await stage.close()).toBe(0);
  });

  it('a listener that throws disturbs neither the others nor the election', async () => {
    const { stage, faults, session, leading } = await leadingStage();
    const heard: boolean[] = [];
    session.onSuspension(() => {
      throw new Error('a listener of the user');
    });
    session.onSuspension((suspended) => heard.push(suspended));
    faults.set('lease.renew', { kind: 'refuse', times: 1 });
    await stage.advance(6_000);
    expect([heard, leading.state.phase]).toEqual([[true, false], 'confirm-pending']);
    expect(stage.findings.map(({ code, component }) => [code, component])).toEqual([
      ['listener-failed', 'rest'],
      ['listener-failed', 'rest'],
    ]);
    expect(await stage.close()).toBe(0);
  });
});

describe('the signal', () => {
  it('aborts with a reason that says why, and a contender that rejects with it has simply stopped', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const reasons: unknown[] = [];
    tenure.lead('rest', async ({ signal }) => {
      await aborted(signal);
      reasons.push(signal.reason);
      signal.throwIfAborted();
    });
    await settle();
    await stage.steal();
    expect(reasons).toMatchObject([{ code: 'session-over', component: 'rest', outcome: 'not-done' }]);
    expect(stage.findings).toEqual([]);
    expect(await stage.close()).toBe(0);
  });
});
