import { describe, expect, it } from 'vitest';
import { leadershipMachine } from '../../machines/leadership.ts';
import { HostedActor } from '../../src/runtime/actor-host.ts';
import type { LeadershipState } from '../../src/runtime/api.ts';
import { PostOffice } from '../../src/runtime/post-office.ts';
import type { Faults } from '../../src/simulation/faults.ts';
import { Stage, settle, stateOf, Worker } from './stage.ts';

const codes = (stage: Stage) => stage.findings.map(({ code }) => code);

describe('findings', () => {
  it('D28: whoever listens is told what failed, with component, session and cause', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    const cause = new Error('the port is taken');
    tenure.lead('rest', () => Promise.reject(cause));
    await settle();
    expect(stage.findings).toMatchObject([
      { code: 'contender-failed', component: 'rest', error: { code: 'contender-failed', cause } },
    ]);
    expect(stage.findings[0]?.sessionId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await stage.close()).toBe(0);
  });

  it('a listener that throws, and a recorder that throws, stop nothing', async () => {
    const stage = new Stage();
    const fail = (): never => {
      throw new Error('thrown by a listener');
    };
    const tenure = await stage.open({ onFinding: fail, trace: { record: fail } });
    const worker = new Worker('http://a');
    tenure.lead('bad', fail);
    tenure.lead('rest', worker.run);
    await settle();
    expect(await stage.entries()).toEqual({ rest: 'http://a' });
    expect(await stage.close()).toBe(0);
  });
});

describe('a port that breaks its word', () => {
  const kinds = ['lease.read', 'lease.acquire', 'container.write', 'lease.renew', 'lease.release'] as const;
  const leads = async (stage: Stage, faults: Faults) => {
    const tenure = await stage.open({ faults });
    const worker = new Worker('http://a');
    tenure.lead('rest', worker.run);
    await stage.advance(20_000);
    return { tenure, worker };
  };

  it.each(kinds)('one that throws at %s is told, and the election goes on', async (kind) => {
    const stage = new Stage();
    const faults = stage.faults();
    faults.set(kind, { kind: 'throw', times: 1 });
    const { worker } = await leads(stage, faults);
    expect([worker.session.isCurrent, await stage.entries()]).toEqual([true, { rest: 'http://a' }]);
    expect(await stage.close()).toBe(0);
    expect(codes(stage)).toEqual(['backend-unavailable']);
    expect(stage.findings[0]?.detail).toContain(`the port threw at ${kind}`);
  });

  it.each(kinds)('one that never answers %s is given up after its time-out, and the election goes on', async (kind) => {
    const stage = new Stage();
    const faults = stage.faults();
    faults.set(kind, { kind: 'hang', times: 1 });
    const { worker } = await leads(stage, faults);
    expect([worker.session.isCurrent, await stage.entries()]).toEqual([true, { rest: 'http://a' }]);
    expect(await stage.close()).toBe(0);
    expect(codes(stage)).toEqual(['backend-unavailable']);
    expect(stage.findings[0]?.detail).toContain('did not answer within 3000 ms');
  });

  it('the deadline does not wait for a renewal that never answers', async () => {
    const stage = new Stage();
    const faults = stage.faults();
    const { worker } = await leads(stage, faults);
    const { session } = worker;
    const { deadlineMs } = session;
    faults.set('lease.renew', { kind: 'hang' });
    await stage.advance(deadlineMs - stage.clock.nowMs());
    expect(session.signal.aborted).toBe(true);
    faults.clear();
    expect(await stage.close()).toBe(0);
  });
});

/** What no real sender says: a guard of the machine meets a grant without a session, and the actor dies. */
const MALFORMED = { type: 'granted' };

describe('an actor that broke an invariant', () => {
  async function broken() {
    const stage = new Stage();
    const tenure = await stage.open();
    const [worker, neighbour] = [new Worker('http://a'), new Worker('http://n')];
    const leading = tenure.lead('rest', worker.run);
    const beside = tenure.lead('neighbour', neighbour.run);
    await settle();
    const states: LeadershipState[] = [];
    leading.states.subscribe((state) => states.push(state));
    return { stage, tenure, worker, neighbour, leading, beside, states };
  }

  it('gives its leadership up; a fresh one stands by and is granted; nobody else is concerned', async () => {
    const { stage, worker, neighbour, leading, beside, states } = await broken();
    const former = leading.actor;
    leading.actor.send(MALFORMED as never);
    await settle();
    expect(stage.findings).toMatchObject([{ code: 'actor-failed', component: 'rest' }]);
    expect(worker.sessions.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    expect([leading.actor === former, leading.state.phase]).toEqual([false, 'confirmed']);
    expect(states.map(({ phase }) => phase)).toContain('standby');
    expect([neighbour.sessions.length, beside.state.phase]).toEqual([1, 'confirmed']);
    expect(await stage.entries()).toEqual({ rest: 'http://a', neighbour: 'http://n' });
    expect(await stage.close()).toBe(0);
  });

  it('keeps the lock until its contender has settled, and settles what was promised', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    let end: () => void = () => {};
    let confirmed: Promise<void> = Promise.resolve();
    const faults = stage.faults();
    faults.set('container.write', { kind: 'refuse' });
    const leading = tenure.lead('rest', (session) => {
      confirmed = session.confirm({ address: 'http://a' });
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    await settle();
    leading.actor.send(MALFORMED as never);
    const closed = leading.close();
    await settle();
    expect(await stateOf(confirmed)).not.toBe('open');
    expect([await stateOf(closed), tenure.state.phase]).toEqual(['open', 'leading']);
    end();
    expect([await stateOf(closed), tenure.state.phase]).toEqual(['done', 'idle']);
    expect(await stage.close()).toBe(0);
  });

  it('one whose contender never settles: told after the bound, the lock is abandoned, close settles all the same', async () => {
    const stage = new Stage();
    const tenure = await stage.open({ timing: { stopBoundMs: 2_000 } });
    const leading = tenure.lead('rest', () => new Promise(() => {}));
    await settle();
    leading.actor.send(MALFORMED as never);
    expect([leading.state.phase, leading.state.sessionId]).toEqual(['revoked', tenure.state.sessionId]);
    await stage.advance(1_999);
    expect(codes(stage)).toEqual(['actor-failed']);
    await stage.advance(1);
    expect(codes(stage)).toEqual(['actor-failed', 'contender-overstayed']);
    expect(await stateOf(leading.closed)).toBe('open');
    expect(await stateOf(leading.close())).toBe('done');
    expect(await stage.lease.read({ timeoutMs: 1 })).toMatchObject({ record: { holder: tenure.identity } });
    expect(await stage.close()).toBe(0);
  });
});

describe('an actor of the election itself that broke an invariant', () => {
  it('ends all work at once, gives no lock back and deletes nothing', async () => {
    const stage = new Stage();
    let poison: () => void = () => {};
    const inner = stage.backend();
    const tenure = await stage.open({
      backend: {
        name: 'poisoned',
        open: async (context) => {
          const opened = await inner.open(context);
          const watch: typeof opened.lease.watch = (listener) => {
            poison = () => listener({ version: { valueOf: () => Symbol('no number') } } as never);
            return opened.lease.watch(listener);
          };
          return { ...opened, lease: { ...opened.lease, watch } };
        },
      },
    });
    const worker = new Worker('http://a');
    const leading = tenure.lead('rest', worker.run);
    const following = tenure.follow('rest');
    await settle();
    poison();
    expect(worker.session.signal.aborted).toBe(true);
    await settle();
    expect(stage.findings).toMatchObject([{ code: 'actor-failed', component: null }]);
    expect([await stateOf(leading.closed), tenure.state.phase, following.current]).toMatchObject([
      'done',
      'closed',
      {},
    ]);
    expect(await stage.entries()).toEqual({ rest: 'http://a' });
    expect(await stage.lease.read({ timeoutMs: 1 })).toMatchObject({ record: { holder: tenure.identity } });
    expect(() => tenure.lead('rest', worker.run)).toThrow(expect.objectContaining({ code: 'closed' }));
    expect([await stateOf(tenure.close()), stage.clock.pending]).toEqual(['done', 0]);
  });
});

describe('the post office', () => {
  it('answers a grant for an actor that has closed and is not yet taken down', () => {
    const seen: string[] = [];
    const office = new PostOffice((error) => seen.push(String(error)));
    office.register('election', { deliver: (message: { type: string }) => seen.push(message.type) });
    const host = new HostedActor({
      office,
      address: 'leadership:rest',
      machine: leadershipMachine,
      input: { component: 'rest' },
      onFailure: (error) => seen.push(String(error)),
      onUndeclared: () => seen.push('undeclared'),
    }).start();
    office.post('tenure', host.address, { type: 'close' });
    office.post('election', host.address, { type: 'granted', session: { id: 's1', fencingToken: 1n } } as never);
    expect(seen).toEqual(['component.joined', 'component.left', 'component.drained']);
  });

  it('delivers the letters behind one whose recipient threw', () => {
    const seen: string[] = [];
    const office = new PostOffice((error, letter) => seen.push(`${letter.to}: ${error}`));
    office.register('bad', {
      deliver: () => {
        office.post('bad', 'good', { type: 'one' });
        throw new Error('no');
      },
    });
    office.register('good', { deliver: (message: { type: string }) => seen.push(message.type) });
    office.post('test', 'bad', { type: 'go' });
    office.post('test', 'good', { type: 'two' });
    expect(seen).toEqual(['bad: Error: no', 'one', 'two']);
  });
});
