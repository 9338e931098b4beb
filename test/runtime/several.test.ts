import { describe, expect, it } from 'vitest';
import { memory } from '../../src/drivers/memory/index.ts';
import { singleMaster } from '../../src/drivers/single-master/index.ts';
import type { Backend } from '../../src/ports/backend.ts';
import { Stage, settle, stateOf, Worker } from './stage.ts';

describe('several participants', () => {
  it('E3, E4: exactly one of those who stand for a component leads it, and another election is independent', async () => {
    const stage = new Stage();
    const workers = await Promise.all(
      ['billing', 'billing', 'billing', 'search'].map(async (election) => {
        const worker = new Worker('http://a');
        (await stage.open({ election })).lead('rest', worker.run);
        return worker;
      }),
    );
    await stage.advance(30_000);
    const leading = workers.map(({ sessions }) => sessions.length);
    expect([leading.slice(0, 3).sort(), leading[3]]).toEqual([[0, 0, 1], 1]);
    expect(await stage.close()).toBe(0);
  });

  it('Z2 in small: each leader that leaves is followed by another, and followers end at the last', async () => {
    const stage = new Stage();
    const watcher = await stage.open();
    const following = watcher.follow('rest');
    const standing = new Set<{ worker: Worker; close: () => Promise<void> }>();
    for (let at = 0; at < 6; at++) {
      const worker = new Worker(`http://${at}`);
      const leading = (await stage.open()).lead('rest', worker.run);
      standing.add({ worker, close: () => leading.close() });
    }
    await settle();
    for (let round = 6; round > 0; round--) {
      const current = [...standing].filter(({ worker }) => worker.sessions.at(-1)?.isCurrent === true);
      expect(current).toHaveLength(1);
      const [leader] = current;
      expect(following.current?.sessionId).toBe(leader?.worker.session.id);
      if (leader !== undefined) standing.delete(leader);
      await leader?.close();
      await settle();
    }
    expect(following.current).toBeNull();
    expect(await stage.close()).toBe(0);
  });

  it('E7: a late confirmation of the old session beside one of the new one leaves the new one confirmed', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const worker = new Worker();
    const leading = tenure.lead('rest', worker.run);
    await settle();
    const old = worker.session;
    await stage.steal();
    await stage.advance(3_000);
    const [late, current] = [old.confirm({ address: 'http://old' }), worker.session.confirm({ address: 'http://new' })];
    expect([await stateOf(late), await stateOf(current)]).toEqual(['refused, session-over', 'done']);
    expect([leading.state.phase, await stage.entries()]).toEqual(['confirmed', { rest: 'http://new' }]);
    expect(await stage.close()).toBe(0);
  });

  it('E2: closing in the very turn in which the lock is lost ends once and for all', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const worker = new Worker('http://a');
    const leading = tenure.lead('rest', worker.run);
    await settle();
    const stolen = stage.steal(60_000);
    const closed = tenure.close();
    await stolen;
    await stage.advance(1_000);
    expect([await stateOf(closed), await stateOf(leading.closed), worker.settled]).toEqual(['done', 'done', 1]);
    expect(stage.clock.pending).toBe(0);
  });

  it('P5: whether a session leads is answered by the session itself, at the call', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const worker = new Worker();
    tenure.lead('rest', worker.run);
    await settle();
    expect(() => worker.session.assertCurrent()).not.toThrow();
    expect(await stage.close()).toBe(0);
  });
});

const backends: readonly [string, (stage: Stage) => Backend][] = [
  ['memory', (stage) => memory({ board: stage.board })],
  ['single-master', () => singleMaster({ iKnowOnlyOneRuns: true, publish: {} })],
];

describe.each(backends)('on %s', (_, backendOf) => {
  it('LE1, S1, S2, S5: granted at once, confirmed, seen by followers, revoked by close', async () => {
    const stage = new Stage();
    const tenure = await stage.open({ backend: backendOf(stage) });
    const following = tenure.follow('rest');
    const worker = new Worker();
    const leading = tenure.lead('rest', worker.run);
    await settle();
    await worker.session.confirm({ address: 'http://a' });
    await stage.advance(2_000);
    expect(following.current).toMatchObject({ sessionId: worker.session.id, address: 'http://a' });
    expect([worker.session.isCurrent, worker.session.signal.aborted]).toEqual([true, false]);
    const closed = leading.close();
    await stage.advance(2_000);
    expect([await stateOf(closed), worker.session.isCurrent, worker.settled]).toEqual(['done', false, 1]);
    expect(await stage.close()).toBe(0);
  });
});
