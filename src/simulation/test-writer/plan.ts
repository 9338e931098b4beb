import type { AnyMachineSnapshot } from 'xstate';
import { leadershipMachine } from '../../../machines/leadership.ts';
import type { LeadershipContext } from '../../../machines/leadership-context.ts';
import type { LeadershipCommand, LeadershipEvent } from '../../../machines/leadership-messages.ts';
import { stateText } from '../../runtime/actor-host.ts';
import { Stepper } from '../explorer/stepper.ts';
import { effectiveTransition, transitionName } from '../harness/transitions.ts';
import { isContenderStep, messageOf, type WalkStep } from '../harness/walk-steps.ts';

/** The contender of a plan, in its present session. */
export interface PlannedContender {
  readonly session: string;
  readonly isTold: boolean;
  readonly hasStarted: boolean;
  /** Addresses confirmed so far, newest last: `a` or `b`. */
  readonly confirmed: readonly string[];
  readonly wasRejected: boolean;
}

/** The shipped machine of one component, with what the election, the register and a contender know around it. */
export interface Plan {
  readonly snapshot: AnyMachineSnapshot;
  readonly contender: PlannedContender | null;
  /** The session that the election has granted last and not taken back. */
  readonly granted: { readonly id: string; readonly token: bigint } | null;
  readonly sessions: number;
  readonly version: number;
}

export interface PlannedStep {
  readonly plan: Plan;
  /** The transition that was taken. */
  readonly takes: string;
  readonly guard: string | null;
  readonly source: string;
}

export type OpenStep = Omit<WalkStep, 'state'>;

const stepper = new Stepper(leadershipMachine);

export function firstPlan(): Plan {
  const { snapshot } = stepper.start({ component: 'web' });
  return { snapshot, contender: null, granted: null, sessions: 0, version: 0 };
}

export function contextOf({ snapshot }: Plan): LeadershipContext {
  return snapshot.context as LeadershipContext;
}

export function stateOf({ snapshot }: Plan): string {
  return stateText(snapshot.value);
}

/** `null` when the step has no effect in this state. */
export function follow(plan: Plan, step: OpenStep): PlannedStep | null {
  const message = plannedMessage(plan, step);
  const taken = effectiveTransition(plan.snapshot, message);
  if (taken === null) return null;
  const { snapshot, emitted } = stepper.step(plan.snapshot, message);
  let next: Plan = { ...plan, ...worldAfter(plan, step), snapshot, contender: contenderAfter(plan, step) };
  for (const command of emitted) next = heard(next, command as LeadershipCommand);
  const { guard } = taken;
  return {
    plan: next,
    takes: transitionName(taken),
    guard: typeof guard === 'function' ? guard.name : null,
    source: taken.source.path.join('.'),
  };
}

function plannedMessage(plan: Plan, step: OpenStep): LeadershipEvent {
  const { session } = contextOf(plan);
  if (!isContenderStep(step as WalkStep)) {
    const own = { sessionId: session?.id ?? '', fencingToken: session?.fencingToken ?? 0n, address: 'a', metadata: {} };
    return messageOf(step as WalkStep, own);
  }
  const sessionId = step.session ?? '';
  if (step.event === 'contender.settled') return { type: step.event, sessionId, outcome: step.outcome ?? 'returned' };
  if (step.event === 'contender.started') return { type: step.event, sessionId };
  const confirmed = plan.contender?.confirmed ?? [];
  const reachable = { address: addressOf(confirmed, step.address), metadata: {} };
  return { type: 'contender.confirm', sessionId, confirmId: `${sessionId}/${confirmed.length + 1}`, reachable };
}

function addressOf(confirmed: readonly string[], address: WalkStep['address']): string {
  const last = confirmed.at(-1) ?? 'b';
  if (address === 'same') return last;
  return last === 'a' ? 'b' : 'a';
}

function worldAfter(plan: Plan, step: OpenStep): Partial<Plan> {
  const version = Math.max(plan.version, step.version ?? 0);
  if (step.event === 'revoked') return { version, granted: null };
  if (step.event !== 'granted') return { version };
  const granted = { id: step.session ?? '', token: BigInt(step.token ?? 0) };
  const isNew = plan.granted?.id !== granted.id;
  return { version, granted, sessions: plan.sessions + (isNew ? 1 : 0) };
}

function contenderAfter({ contender }: Plan, step: OpenStep): PlannedContender | null {
  if (contender === null || !isContenderStep(step as WalkStep)) return contender;
  if (step.event === 'contender.settled') return null;
  if (step.event === 'contender.started') return { ...contender, hasStarted: true };
  const confirmed = [...contender.confirmed, addressOf(contender.confirmed, step.address)];
  return { ...contender, confirmed, wasRejected: false };
}

function heard(plan: Plan, command: LeadershipCommand): Plan {
  const { contender, granted } = plan;
  if (command.type === 'contender.start') {
    const session = command.session.id;
    const fresh = { session, isTold: false, hasStarted: false, confirmed: [], wasRejected: false };
    return { ...plan, contender: fresh };
  }
  if (command.type === 'session.fenced' && granted?.id === command.sessionId) return { ...plan, granted: null };
  if (contender === null || !('sessionId' in command) || command.sessionId !== contender.session) return plan;
  if (command.type === 'contender.stop') return { ...plan, contender: { ...contender, isTold: true } };
  if (command.type === 'confirm.settled' && command.outcome === 'publish-rejected') {
    return { ...plan, contender: { ...contender, wasRejected: true } };
  }
  return plan;
}
