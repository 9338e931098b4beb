import type { ActorLogic, ActorScope, EventObject, Snapshot } from 'xstate';
import type { TenureError } from '../errors.ts';
import { toTenureError } from '../errors.ts';
import type { Leader, LeaderSession, LeadershipState, Leading, Tenure } from './api.ts';

export interface LeadershipLogicInput {
  /** An open tenure; whoever opened it closes it. */
  readonly tenure: Tenure;
  readonly component: string;
  /** Also send `leadership.leader` to the parent whenever the component's confirmed leader changes. Default true. */
  readonly follow?: boolean;
  /**
   * `when-told`: after `leadership.revoked` the lock is kept until the parent sends `settled`, for work that needs time
   * to stop. `at-once` (default): what the parent does synchronously on `leadership.revoked` is all there is to stop.
   */
  readonly settle?: 'at-once' | 'when-told';
}

/** What the actor accepts from its parent. */
export type LeadershipLogicEvent =
  | { readonly type: 'confirm'; readonly address: string; readonly metadata?: Readonly<Record<string, string>> }
  | { readonly type: 'settled' }
  | { readonly type: 'resign' };

/** What the actor sends to its parent. */
export type LeadershipToParent =
  | { readonly type: 'leadership.granted'; readonly component: string; readonly session: LeaderSession }
  | { readonly type: 'leadership.confirmed'; readonly component: string }
  | { readonly type: 'leadership.confirm-refused'; readonly component: string; readonly error: TenureError }
  | { readonly type: 'leadership.suspended'; readonly component: string }
  | { readonly type: 'leadership.resumed'; readonly component: string }
  | { readonly type: 'leadership.revoked'; readonly component: string; readonly reason: TenureError }
  | { readonly type: 'leadership.leader'; readonly component: string; readonly leader: Leader | null };

/** The snapshot is the leadership state. Done once resigned; in error when the component could not be registered. */
export type LeadershipLogicSnapshot = Snapshot<undefined> & {
  readonly context: LeadershipState;
  readonly input: LeadershipLogicInput;
};

type Internal =
  | LeadershipLogicEvent
  | { readonly type: 'tenure.state'; readonly state: LeadershipState }
  | { readonly type: 'tenure.closed' }
  | { readonly type: 'tenure.failed'; readonly error: TenureError }
  | { readonly type: 'xstate.stop' };

interface Running {
  leading: Leading | null;
  session: LeaderSession | null;
  settle: () => void;
  stopFollowing: () => void;
  isStopped: boolean;
}

type Scope = ActorScope<LeadershipLogicSnapshot, Internal & EventObject>;

const running = new WeakMap<object, Running>();
/** Components that an earlier actor is still leaving: a state that is re-entered invokes anew before that has ended. */
const leaving = new WeakMap<Tenure, Map<string, Promise<void>>>();

/**
 * Leadership of one component as an actor for `invoke` and `spawn` in your own machine:
 * `setup({ actors: { leadership: leadershipLogic } })`. It stands for the component as long as it runs; stopping it (by
 * leaving the state that invokes it) resigns.
 */
export const leadershipLogic: ActorLogic<LeadershipLogicSnapshot, LeadershipLogicEvent, LeadershipLogicInput> = {
  config: leadershipLogicConfig,
  getInitialSnapshot: (_scope, input) => ({
    status: 'active',
    output: undefined,
    error: undefined,
    input,
    context: {
      component: input.component,
      phase: 'standby',
      state: 'standby',
      sessionId: null,
      fencingToken: null,
      suspended: false,
    },
  }),
  start: (snapshot, scope) => void stand(snapshot.input, scope as unknown as Scope),
  transition: (snapshot, event, scope) => step(snapshot, event as Internal, scope.self),
  // Leadership is never restored: a rehydrated actor stands again, with a new session.
  getPersistedSnapshot: (snapshot) => ({ ...snapshot, input: undefined }) as never,
};

function leadershipLogicConfig(): void {}

function step(snapshot: LeadershipLogicSnapshot, event: Internal, self: object): LeadershipLogicSnapshot {
  const run = running.get(self);
  switch (event.type) {
    case 'confirm':
      confirm(snapshot.input, run, event, self);
      return snapshot;
    case 'settled':
      run?.settle();
      return snapshot;
    case 'resign':
      void run?.leading?.close();
      return snapshot;
    case 'tenure.state':
      return { ...snapshot, context: event.state };
    case 'tenure.closed':
      return { ...snapshot, status: 'done', output: undefined, error: undefined };
    case 'tenure.failed':
      return { ...snapshot, status: 'error', output: undefined, error: event.error };
    case 'xstate.stop':
      if (run !== undefined) stop(snapshot.input, run);
      return { ...snapshot, status: 'stopped', output: undefined, error: undefined };
  }
}

function sendToParent(self: object, message: LeadershipToParent): void {
  const { _parent: parent } = self as { readonly _parent?: { send(event: EventObject): void } };
  parent?.send(message);
}

function confirm(
  { component }: LeadershipLogicInput,
  run: Running | undefined,
  { address, metadata }: Extract<LeadershipLogicEvent, { type: 'confirm' }>,
  self: object,
): void {
  // Without a session there is nothing to confirm: the grant was revoked while the parent was getting ready.
  run?.session?.confirm({ address, ...(metadata === undefined ? {} : { metadata }) }).then(
    () => {
      if (!run.isStopped) sendToParent(self, { type: 'leadership.confirmed', component });
    },
    (error: TenureError) => {
      if (!run.isStopped) sendToParent(self, { type: 'leadership.confirm-refused', component, error });
    },
  );
}

async function stand(input: LeadershipLogicInput, { self }: Scope): Promise<void> {
  const run: Running = {
    leading: null,
    session: null,
    settle: () => {},
    stopFollowing: () => {},
    isStopped: false,
  };
  running.set(self, run);
  const post = (event: Internal): void => {
    if (!run.isStopped) self.send(event as never);
  };
  try {
    await leaving.get(input.tenure)?.get(input.component);
    if (run.isStopped) return;
    follow(input, run, self);
    const leading = input.tenure.lead(input.component, (session) => lead(input, run, session, self));
    run.leading = leading;
    leading.states.subscribe({
      next: (state) => post({ type: 'tenure.state', state }),
      complete: () => post({ type: 'tenure.closed' }),
    });
  } catch (thrown) {
    post({ type: 'tenure.failed', error: toTenureError(thrown, 'closed', { component: input.component }) });
  }
}

function follow({ tenure, component, follow: wanted = true }: LeadershipLogicInput, run: Running, self: object): void {
  if (!wanted) return;
  const following = tenure.follow(component);
  const subscription = following.subscribe((leader) =>
    sendToParent(self, { type: 'leadership.leader', component, leader }),
  );
  run.stopFollowing = () => {
    subscription.unsubscribe();
    void following.close();
  };
}

/** The contender function on behalf of the parent: it lasts from the grant until the parent's work has stopped. */
async function lead(input: LeadershipLogicInput, run: Running, session: LeaderSession, self: object): Promise<void> {
  const { component, settle = 'at-once' } = input;
  run.session = session;
  const stopListening = session.onSuspension((suspended) =>
    sendToParent(self, { type: suspended ? 'leadership.suspended' : 'leadership.resumed', component }),
  );
  const isOver = new Promise<void>((resolve) => {
    session.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const isSettled = new Promise<void>((resolve) => {
    run.settle = resolve;
  });
  session.signal.addEventListener(
    'abort',
    () => {
      run.session = null;
      stopListening();
      if (!run.isStopped) {
        sendToParent(self, { type: 'leadership.revoked', component, reason: session.signal.reason as TenureError });
      }
    },
    { once: true },
  );
  sendToParent(self, { type: 'leadership.granted', component, session });
  await isOver;
  if (settle === 'when-told' && !run.isStopped) await isSettled;
}

function stop({ tenure, component }: LeadershipLogicInput, run: Running): void {
  run.isStopped = true;
  run.settle();
  run.stopFollowing();
  if (run.leading === null) return;
  const components = leaving.get(tenure) ?? new Map<string, Promise<void>>();
  leaving.set(tenure, components);
  const left = run.leading.close();
  components.set(component, left);
  void left.then(() => {
    if (components.get(component) === left) components.delete(component);
  });
}
