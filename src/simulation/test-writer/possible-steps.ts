import type { OpenStep, Plan, PlannedContender } from './plan.ts';
import { contextOf, stateOf } from './plan.ts';

/** What a contender may do by itself beyond the usual: confirm once, work, and end when it is told to. */
export const ABILITIES = {
  throws: 'throws by itself',
  returns: 'returns by itself',
  updates: 'confirms another address later',
  repeats: 'confirms the same address again',
  persists: 'goes on after a rejected confirmation',
  unready: 'ends without having confirmed',
} as const;

export type Ability = keyof typeof ABILITIES;

const TOKEN_STEP = 1_000n;
/** Wide, so that a version can be found between any two. */
const VERSION_STEP = 1_000;

/** Everything that the world and a contender of these abilities can do next; some of it may be without effect. */
export function possibleSteps(
  plan: Plan,
  abilities: ReadonlySet<Ability>,
): readonly (readonly [OpenStep, Ability | null])[] {
  const world = [...electionSteps(plan), ...registerSteps(plan), ...timerSteps(plan), ...closeSteps(plan)];
  const contender = plan.contender === null ? [] : contenderSteps(plan.contender);
  return [
    ...world.map((step) => [step, null] as const),
    ...contender.filter(([, ability]) => ability === null || abilities.has(ability)),
  ];
}

/** A component asks its leadership to close once only. */
function closeSteps(plan: Plan): OpenStep[] {
  return contextOf(plan).leaving === 'close' ? [] : [{ event: 'close' }];
}

function electionSteps(plan: Plan): OpenStep[] {
  const { granted, sessions } = plan;
  const { session, next, suspended } = contextOf(plan);
  const fresh: OpenStep = {
    event: 'granted',
    session: `s${sessions + 1}`,
    token: String(TOKEN_STEP * BigInt(sessions + 1)),
  };
  if (granted === null) return [fresh];
  const again: OpenStep = { event: 'granted', session: granted.id, token: String(granted.token) };
  const isKnown = granted.id === session?.id || granted.id === next?.id;
  const told: OpenStep[] = isKnown ? [{ event: 'revoked', session: granted.id, reason: 'lost' }] : [];
  // A component that has rested is granted the session that still lasts once more.
  const steps = isKnown || stateOf(plan) === 'standby' ? [fresh, again, ...told] : [fresh];
  if (granted.id !== session?.id) return steps;
  return [...steps, { event: suspended ? 'resumed' : 'suspended', session: granted.id }];
}

function registerSteps(plan: Plan): OpenStep[] {
  const { session, attempt, seen, published } = contextOf(plan);
  if (session === null) return [];
  const state = stateOf(plan);
  const version = plan.version + VERSION_STEP;
  const newer = String(session.fencingToken + TOKEN_STEP / 2n);
  const changes = [
    null,
    'own' as const,
    { session: 'older', token: '1', address: 'elsewhere' },
    { session: 'newer', token: newer, address: 'elsewhere' },
  ].map((entry): OpenStep => ({ event: 'register.changed', version, entry }));
  const answer = { session: session.id, attempt };
  if (/\.(?:publishing|rewriting|resolving)$/.test(state)) {
    const kinds = ['failed', 'unknown', 'dead', 'fenced', 'rejected'] as const;
    const isDoubtful = state.endsWith('.resolving');
    const possible = kinds.filter((kind) => (isDoubtful ? kind !== 'unknown' : kind !== 'dead'));
    // The answer may be about a write that a change seen meanwhile has undone already.
    const acknowledged = Number(published?.version ?? 0n);
    const undone = Math.floor((acknowledged + Number(seen?.version ?? 0n)) / 2);
    const versions = undone > acknowledged ? [undone, version] : [version];
    return [
      ...changes,
      ...possible.map((kind): OpenStep => ({ event: `publish.${kind}`, ...answer })),
      ...versions.map((at): OpenStep => ({ event: 'publish.committed', ...answer, version: at })),
    ];
  }
  if (state !== 'withdrawing.deleting') return changes;
  return (['committed', 'failed', 'fenced'] as const).map((kind) => ({ event: `withdraw.${kind}`, ...answer }));
}

function timerSteps(plan: Plan): OpenStep[] {
  const { attempt, session, rests } = contextOf(plan);
  const { contender } = plan;
  const state = stateOf(plan);
  const of = (id: string): OpenStep => ({ event: 'timer.elapsed', timer: id });
  if (state === 'withdrawing.backing-off') return [of(`retry:${attempt}`), of(`withdraw:${session?.id}`)];
  if (state.endsWith('.backing-off')) return [of(`retry:${attempt}`)];
  if (state === 'confirmed.settled') return [of(`calm:${attempt}`)];
  // A confirmation is answered at once: no contender waits for it while its stop bound runs out.
  if (state.endsWith('.stopping')) return (contender?.confirmed.length ?? 0) > 0 ? [of(`stop:${session?.id}`)] : [];
  if (state === 'withdrawing.deleting') return [of(`withdraw:${session?.id}`)];
  return state === 'resting' ? [of(`rest:${rests}`)] : [];
}

/** In the order in which a contender speaks: that it has started, what it confirms, that it has settled. */
function contenderSteps(contender: PlannedContender): (readonly [OpenStep, Ability | null])[] {
  const { session, isTold, hasStarted, confirmed, wasRejected } = contender;
  if (!hasStarted) return [[{ event: 'contender.started', session }, null]];
  const settles = (outcome: 'returned' | 'failed'): OpenStep => ({ event: 'contender.settled', session, outcome });
  const confirms = (address: 'first' | 'same' | 'other'): OpenStep => ({
    event: 'contender.confirm',
    session,
    address,
  });
  if (confirmed.length === 0) {
    return [
      [confirms('first'), null],
      [settles('failed'), 'throws'],
      [settles('returned'), isTold ? 'unready' : 'returns'],
    ];
  }
  const more = (same: Ability, other: Ability): (readonly [OpenStep, Ability])[] => [
    [confirms('same'), same],
    [confirms('other'), other],
  ];
  if (wasRejected) {
    const goesOn = isTold ? 'persists' : 'returns';
    return [[settles('failed'), null], [settles('returned'), goesOn], ...more('persists', 'persists')];
  }
  return [
    [settles('returned'), isTold ? null : 'returns'],
    [settles('failed'), 'throws'],
    ...more('repeats', 'updates'),
  ];
}
