import { describe, expect, expectTypeOf, it } from 'vitest';
import { type ActorRefFrom, assign, createActor, type InputFrom, type SnapshotFrom, sendTo, setup } from 'xstate';
import type { LeaderSession, LeadershipState, Tenure } from '../../src/runtime/api.ts';
import type { LeadershipLogicInput, LeadershipToParent } from '../../src/runtime/leadership-logic.ts';
import { leadershipLogic } from '../../src/runtime/leadership-logic.ts';
import { Stage, settle } from './stage.ts';

type ParentEvent =
  | LeadershipToParent
  | { type: 'ready'; address: string }
  | { type: 'stop' }
  | { type: 'go' }
  | { type: 'drained' };

/** A user's machine that invokes leadership in one of its states and writes down what it hears. */
const service = setup({
  types: {
    context: {} as { heard: string[]; session: LeaderSession | null; input: LeadershipLogicInput },
    events: {} as ParentEvent,
    input: {} as LeadershipLogicInput,
  },
  actors: { leadership: leadershipLogic },
}).createMachine({
  context: ({ input }) => ({ heard: [], session: null, input }),
  initial: 'standing',
  states: {
    standing: {
      invoke: {
        id: 'leadership',
        src: 'leadership',
        input: ({ context }) => context.input,
        onDone: 'resigned',
        onError: { actions: assign({ heard: ({ context, event }) => [...context.heard, `error ${event.error}`] }) },
      },
      on: {
        'leadership.granted': {
          actions: assign({
            heard: ({ context, event }) => [...context.heard, `granted ${event.session.fencingToken}`],
            session: ({ event }) => event.session,
          }),
        },
        'leadership.*': {
          actions: assign({ heard: ({ context, event }) => [...context.heard, textOf(event)] }),
        },
        ready: { actions: sendTo('leadership', ({ event }) => ({ type: 'confirm' as const, address: event.address })) },
        drained: { actions: sendTo('leadership', { type: 'settled' as const }) },
        stop: { actions: sendTo('leadership', { type: 'resign' as const }) },
        go: 'idle',
      },
    },
    idle: { on: { go: 'standing' } },
    resigned: { type: 'final' },
  },
});

function textOf(event: LeadershipToParent): string {
  const name = event.type.replace('leadership.', '');
  if (event.type === 'leadership.leader') return `${name} ${event.leader?.address ?? 'nobody'}`;
  if (event.type === 'leadership.revoked') return `${name} ${event.reason.code}`;
  return name;
}

async function serviceOn(stage: Stage, input: Partial<LeadershipLogicInput> = {}) {
  const faults = stage.faults();
  const tenure = input.tenure ?? (await stage.open({ faults }));
  const actor = createActor(service, { input: { component: 'rest', follow: false, ...input, tenure } }).start();
  await settle();
  return { actor, tenure, faults, heard: () => actor.getSnapshot().context.heard };
}

describe('leadershipLogic in a machine of the user', () => {
  it('tells granted, confirmed, suspended, resumed and revoked, and confirms when told', async () => {
    const stage = new Stage();
    const { actor, faults, heard } = await serviceOn(stage);
    actor.send({ type: 'ready', address: 'http://a' });
    await settle();
    expect(heard()).toEqual(['granted 1', 'confirmed']);
    expect(await stage.entries()).toEqual({ rest: 'http://a' });
    faults.set('lease.renew', { kind: 'refuse', times: 1 });
    await stage.advance(6_000);
    await stage.steal();
    expect(heard()).toEqual(['granted 1', 'confirmed', 'suspended', 'resumed', 'revoked session-over']);
    await stage.advance(3_000);
    expect(heard().at(-1)).toBe('granted 3');
    actor.stop();
    await settle();
    expect(await stage.close()).toBe(0);
  });

  it('its snapshot is the state of the leadership', async () => {
    const stage = new Stage();
    const { actor, tenure } = await serviceOn(stage);
    const child = () => actor.getSnapshot().children.leadership?.getSnapshot() as { context: LeadershipState };
    expect(child().context).toMatchObject({ phase: 'confirm-pending', sessionId: tenure.state.sessionId });
    actor.send({ type: 'ready', address: 'http://a' });
    await settle();
    expect(child().context).toMatchObject({ component: 'rest', phase: 'confirmed', fencingToken: 1n });
    actor.stop();
    expect(await stage.close()).toBe(0);
  });

  it('also tells who is seen to lead', async () => {
    const stage = new Stage();
    const { actor, heard } = await serviceOn(stage, { follow: true });
    actor.send({ type: 'ready', address: 'http://a' });
    await settle();
    expect(heard()).toEqual(['leader nobody', 'granted 1', 'leader http://a', 'confirmed']);
    actor.stop();
    expect(await stage.close()).toBe(0);
  });

  it('resigning ends the invocation: the entry goes, the lock goes, onDone is taken', async () => {
    const stage = new Stage();
    const { actor, tenure, heard } = await serviceOn(stage);
    actor.send({ type: 'ready', address: 'http://a' });
    await settle();
    actor.send({ type: 'stop' });
    await settle();
    expect([actor.getSnapshot().status, tenure.state.phase, await stage.entries()]).toEqual(['done', 'idle', {}]);
    expect(heard()).toEqual(['granted 1', 'confirmed', 'revoked session-over']);
    expect(await stage.close()).toBe(0);
  });

  it('stopping the machine resigns; nothing is sent to it after that', async () => {
    const stage = new Stage();
    const { actor, tenure, heard } = await serviceOn(stage);
    actor.stop();
    await settle();
    expect([tenure.state.phase, heard()]).toEqual(['idle', ['granted 1']]);
    expect(await stage.close()).toBe(0);
  });

  it('leaving the state and coming back stands again, even in the same turn', async () => {
    const stage = new Stage();
    const { actor, heard } = await serviceOn(stage);
    actor.send({ type: 'go' });
    actor.send({ type: 'go' });
    await settle();
    expect(heard()).toEqual(['granted 1', 'granted 2']);
    for (let round = 0; round < 3; round++) {
      actor.send({ type: 'go' });
      actor.send({ type: 'go' });
    }
    await settle();
    expect(heard().at(-1)).toMatch(/^granted/);
    actor.stop();
    expect(await stage.close()).toBe(0);
  });

  it('`settle: when-told` keeps the lock until the parent says that its work has stopped', async () => {
    const stage = new Stage();
    const { actor, tenure } = await serviceOn(stage, { settle: 'when-told' });
    const stepped = tenure.stepDown();
    await settle();
    expect(tenure.state.phase).toBe('ceding');
    actor.send({ type: 'drained' });
    await stepped;
    expect(tenure.state.phase).toBe('contending');
    actor.stop();
    expect(await stage.close()).toBe(0);
  });

  it('a component that is taken, or a tenure that is closed, is an error of the invocation', async () => {
    const stage = new Stage();
    const tenure = await stage.open();
    tenure.lead('rest', () => new Promise(() => {}));
    const { heard } = await serviceOn(stage, { tenure });
    expect(heard()[0]).toMatch(/^error .*already registered/);
    expect(await stage.close()).toBe(0);
    const late = await serviceOn(stage, { tenure });
    expect(late.heard()[0]).toMatch(/^error .*has been closed/);
  });

  it('a confirmation that comes too late is told as refused or has nobody to go to; it never breaks the machine', async () => {
    const stage = new Stage();
    const { actor, faults, heard } = await serviceOn(stage);
    faults.set('container.write', { kind: 'hold' });
    actor.send({ type: 'ready', address: 'http://a' });
    await settle();
    await stage.steal();
    expect(heard()).toEqual(['granted 1', 'revoked session-over', 'confirm-refused']);
    actor.send({ type: 'ready', address: 'http://b' });
    await settle();
    expect(actor.getSnapshot().status).toBe('active');
    faults.clear();
    faults.release();
    actor.stop();
    expect(await stage.close()).toBe(0);
  });

  it('closing the tenure ends the invocation', async () => {
    const stage = new Stage();
    const { actor, tenure } = await serviceOn(stage);
    const closed = tenure.close();
    await settle();
    await closed;
    expect(actor.getSnapshot().status).toBe('done');
    expect(stage.clock.pending).toBe(0);
  });
});

describe('its types', () => {
  it('are known to a machine that invokes it', () => {
    type Accepts = Parameters<ActorRefFrom<typeof leadershipLogic>['send']>[0];
    expectTypeOf<Extract<Accepts, { type: 'confirm' }>['address']>().toEqualTypeOf<string>();
    expectTypeOf<Accepts['type']>().toEqualTypeOf<'confirm' | 'settled' | 'resign'>();
    expectTypeOf<InputFrom<typeof leadershipLogic>['tenure']>().toEqualTypeOf<Tenure>();
    expectTypeOf<SnapshotFrom<typeof leadershipLogic>['context']>().toEqualTypeOf<LeadershipState>();
  });
});
