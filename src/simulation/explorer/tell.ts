import type { StateValue } from 'xstate';
import type { TraceStep } from '../../ports/trace.ts';
import { verdictOf } from '../../runtime/tracer.ts';
import { addressOf, type Cell } from './cells.ts';
import { passTick } from './clockwork.ts';
import { grownOlder, hearNews, withNews } from './hearing.ts';
import type { Delivery, Local, Story } from './local.ts';
import type { Message, Shared } from './model.ts';
import type { Move } from './move.ts';
import { Moves } from './moves.ts';
import type { Search } from './search.ts';
import { beginning } from './store.ts';
import type { Change, Store } from './stores.ts';
import { LEASE_MOVED, mapAnswer } from './versions.ts';

/** One message that was handled; versions count from the beginning, as a store would count them. */
export interface ToldDelivery {
  readonly participant: number;
  readonly from: string;
  readonly to: string;
  readonly message: Message;
  /** State before and after where an actor handled it; `''` elsewhere. */
  readonly before: string;
  readonly after: string;
  readonly commands: readonly string[];
  /** `null` where no actor handled it. */
  readonly verdict: TraceStep['verdict'] | null;
}

/** One step of a counterexample. */
export interface Told {
  readonly label: string;
  /** Which participant moved; −1: time passed for all. */
  readonly who: number;
  /** What each participant handled because of it, the mover's first. */
  readonly deliveries: readonly ToldDelivery[];
  /** The store afterwards. */
  readonly store: Shared;
}

interface World {
  readonly locals: readonly Local[];
  readonly store: Store;
  /** 0: nobody. */
  readonly holder: number;
  readonly faultsLeft: number;
}

/**
 * The way to a world, told with the participants as they are: names are kept through the symmetries that the search
 * sees through, versions and counters are not made small.
 */
export function tell(search: Search, state: number): Told[] {
  const { participants, stores, scope } = search;
  participants.isTelling = true;
  const told: Told[] = [];
  const fresh = participants.fresh();
  let world: World = {
    locals: Array.from({ length: scope.participants }, () => fresh),
    store: stores.take(beginning(scope)),
    holder: 0,
    faultsLeft: scope.faults,
  };
  let versions: Versions = { lease: 0n, container: 0n };
  for (const next of search.pathTo(state)) {
    const { label, who, stories, after, change } = stepTo(search, quietened(world), next);
    versions = counted(versions, change);
    told.push({ label, who, deliveries: stories.map((story) => toldOf(story, versions)), store: after.store.is });
    world = after;
  }
  participants.isTelling = false;
  return told;
}

interface Versions {
  readonly lease: bigint;
  readonly container: bigint;
}

interface Handled {
  readonly participant: number;
  readonly delivery: Delivery;
}

interface Step {
  readonly label: string;
  readonly who: number;
  readonly stories: readonly Handled[];
  readonly after: World;
  readonly change: Change | null;
}

function counted({ lease, container }: Versions, change: Change | null): Versions {
  if (change === null) return { lease, container };
  return change.map.key === LEASE_MOVED.key ? { lease: lease + 1n, container } : { lease, container: container + 1n };
}

const ofLease = /^(lease|record|acquire|renew|release)\./;

function toldOf({ participant, delivery }: Handled, versions: Versions): ToldDelivery {
  const { from, to, note, before, after, said } = delivery;
  const newest = ofLease.test(note.message.type) ? versions.lease : versions.container;
  const state = (cell: Cell | null): string => (cell === null ? '' : stateText(cell.snapshot.value));
  return {
    participant,
    from: addressOf(from),
    to: addressOf(to),
    message: counting(note.message, newest),
    before: state(before),
    after: state(after),
    commands: said.map(({ message }) => message.type),
    verdict: before === null || to < 0 ? null : verdictOf(before.snapshot, note.message),
  };
}

function counting(message: Message, newest: bigint): Message {
  const { expectedVersion } = message as { readonly expectedVersion?: bigint | null };
  const counted = mapAnswer(message, (version) => newest + version);
  return typeof expectedVersion === 'bigint'
    ? ({ ...counted, expectedVersion: newest + expectedVersion } as Message)
    : counted;
}

/** `confirmed.settled` */
function stateText(value: StateValue): string {
  if (typeof value === 'string') return value;
  return Object.entries(value)
    .map(([name, inner]) => (inner === undefined ? name : `${name}.${stateText(inner)}`))
    .join(', ');
}

const quietened = (world: World): World => {
  return { ...world, locals: world.locals.map((local) => ({ ...local, story: null })) };
};

function stepTo(search: Search, world: World, state: number): Step {
  const { participants, stores, outcomes } = search;
  const isThere = ({ locals, store, holder, faultsLeft }: World): boolean => {
    const ids = locals.map((local) => participants.id(local));
    return search.indexOf(store.id, holder, faultsLeft, ids) === state;
  };
  const ids = world.locals.map((local) => participants.id(local));
  const prompt = ids.findIndex((id) => outcomes.traits(id).isPrompt);
  const moves = new Moves(participants, stores);
  for (let who = 0; who < ids.length; who++) {
    if (prompt >= 0 && !outcomes.traits(ids[who] as number).isPrompt) continue;
    for (const isFault of [false, true]) {
      for (const move of moves.of(world.locals[who] as Local, world.store, world.holder === who + 1, isFault)) {
        const after = moved(search, world, who, move, isFault);
        if (!isThere(after)) continue;
        return { label: move.label, who, stories: storiesOf(after, who), after, change: move.change };
      }
    }
  }
  const after = { ...world, locals: world.locals.map((local) => passTick(participants, local)) };
  if (isThere(after)) return { label: 'time passes', who: -1, stories: [], after, change: null };
  throw new Error(`the way to world ${state} cannot be told: no step leads there`);
}

function moved({ participants, stores }: Search, world: World, who: number, move: Move, isFault: boolean): World {
  const holder = move.leavesLease ? 0 : move.takesLease ? who + 1 : world.holder;
  const locals = world.locals.map((local, other) => {
    if (other === who) return move.local;
    if (move.change === null) return local;
    const told = withNews(grownOlder(participants, local, move.change.map), move.change);
    return move.othersLate ? told : hearNews(participants, stores, told, move.store, holder === other + 1);
  });
  return { locals, store: move.store, holder, faultsLeft: world.faultsLeft - (isFault ? 1 : 0) };
}

function storiesOf({ locals }: World, who: number): Handled[] {
  const order = [who, ...locals.map((_, at) => at).filter((at) => at !== who)];
  return order.flatMap((participant) =>
    flat(locals[participant]?.story ?? null).map((delivery) => ({ participant, delivery })),
  );
}

function flat(story: Story | null): Delivery[] {
  return story === null ? [] : [...flat(story.before), ...story.deliveries];
}
