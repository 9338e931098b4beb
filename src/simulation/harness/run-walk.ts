import type { LeadershipEvent } from '../../../machines/leadership-messages.ts';
import type { LeaderInformation } from '../../../machines/vocabulary.ts';
import { stateText } from '../../runtime/actor-host.ts';
import { settle } from '../settle.ts';
import { ContenderWorld, type ContenderWorldOptions } from './contender-world.ts';
import { pairName } from './transitions.ts';
import { isContenderStep, messageOf, senderOf, type Walk, type WalkStep } from './walk-steps.ts';
import type { TestedContender } from './watch.ts';

export interface WalkResult {
  /** Pairs of transitions that the leadership took on the walk itself. */
  readonly pairs: readonly string[];
  /** Why the walk could not be gone to its end with this contender; `null` when it was. */
  readonly cutShort: string | null;
}

type Said = Extract<LeadershipEvent, { type: `contender.${string}` }>;

const TURNS = 20;
const SLICE_MS = 1_000;
/** What a contender may do by itself is not waited for as long as what it has to do. */
const PATIENCE_MS = { mayDo: 3_000, mustDo: 30_000 };

/**
 * Leads a contender along a walk, message by message, then lets the world run freely and closes it.
 * @throws ContenderRulesBroken when the contender breaks a rule on the way or at the end.
 * @throws Error when the leadership does not go where the walk says: it was written for another version of Tenure.
 */
export async function runWalk(
  contender: TestedContender,
  walk: Walk,
  options: ContenderWorldOptions = {},
): Promise<WalkResult> {
  const world = new ContenderWorld(contender, options);
  const { office, clock, store } = world.driver;
  try {
    await settle();
    for (const part of [office, clock, store]) part.keepBack();
    const cutShort = await goAlong(world, walk);
    const { transitions } = world;
    const pairs = transitions.slice(1).map((second, at) => pairName(transitions[at] ?? '', second));
    world.say('the walk ends; everything runs freely from here on');
    store.letThrough(BigInt(Math.max(0, ...walk.steps.map(({ version = 0 }) => version))));
    clock.letThrough();
    office.letThrough();
    await world.rest();
    const { suspended } = world.leading.state;
    if (suspended && world.driver.granted !== null) await world.resume();
    await world.finish();
    return { pairs, cutShort };
  } finally {
    world.end();
  }
}

async function goAlong(world: ContenderWorld, walk: Walk): Promise<string | null> {
  const confirmed = new Map<string, string>();
  for (const step of walk.steps) {
    if (isContenderStep(step)) {
      const missing = await hear(world, step, walk, confirmed);
      if (missing !== null) return missing;
    } else await send(world, step);
    await settle();
    if (world.driver.fault !== null) throw world.driver.fault;
    const state = stateText(world.leading.actor.getSnapshot().value);
    if (state !== step.state) {
      const story = world.story.join('\n');
      throw new Error(`${step.event} led to ${state}, the walk says ${step.state}: generate the tests again\n${story}`);
    }
  }
  return null;
}

async function send(world: ContenderWorld, step: WalkStep): Promise<void> {
  const { driver } = world;
  if (step.event === 'timer.elapsed') {
    await world.time.advance(driver.clock.untilDueMs(step.timer ?? '') ?? 0);
    // Whoever was told to stop has had its time when the stop timer elapses.
    world.watch.checkStopped();
    world.say(`timer ${step.timer} elapses`);
    driver.clock.elapse(step.timer ?? '', driver.address);
    return;
  }
  const message = messageOf(step, ownEntry(world));
  world.say(
    `${[step.event, step.session ?? ''].join(' ').trim()}${step.entry === undefined ? '' : ` (${entryWord(step)})`}`,
  );
  if (message.type === 'granted') driver.grant(message.session);
  else if (message.type === 'revoked') driver.revoke(message.sessionId, message.reason);
  else if (message.type === 'close') void world.leading.close();
  else driver.post(senderOf(step), message);
  if (step.attempt !== undefined && step.event !== 'publish.unknown') driver.store.answered(step.attempt);
}

function entryWord({ entry }: WalkStep): string {
  if (typeof entry === 'string') return 'its own entry';
  return entry === null || entry === undefined ? 'no entry' : `an entry of ${entry.session}`;
}

function ownEntry({ leading }: ContenderWorld): LeaderInformation | null {
  const { session, sent } = leading.actor.getSnapshot().context;
  if (session === null) return null;
  const { address, metadata } = sent ?? { address: '', metadata: {} };
  return { sessionId: session.id, fencingToken: session.fencingToken, address, metadata };
}

/**
 * Waits until the contender says what the step is about, and lets it through. Answers why not, if it does not.
 * `confirmed`: what it confirmed last, by session.
 */
async function hear(
  world: ContenderWorld,
  step: WalkStep,
  walk: Walk,
  confirmed: Map<string, string>,
): Promise<string | null> {
  const { office } = world.driver;
  const mustDo = walk.needs.length === 0 || step.address === 'first';
  await until(world, () => office.held.length > 0, mustDo ? PATIENCE_MS.mustDo : PATIENCE_MS.mayDo);
  const said = office.held[0] as Said | undefined;
  if (said === undefined) {
    if (step.address === 'first') world.watch.checkLeads(step.session ?? '');
    return walk.needs.length === 0 ? `your contender never ${wordOf(step)}` : needsText(walk);
  }
  if (!isMeant(said, step, confirmed)) {
    if (walk.needs.length > 0) return needsText(walk);
    return `your contender ${wordOfSaid(said)} where this walk needs one that ${wordOf(step)}`;
  }
  if (said.type === 'contender.started') confirmed.delete(said.sessionId);
  if (said.type === 'contender.confirm') confirmed.set(said.sessionId, said.reachable.address);
  office.deliverNext();
  return null;
}

function needsText({ needs }: Walk): string {
  const [first, second] = needs;
  return `needs a contender that ${second === undefined ? first : `does several unusual things: ${needs.join(', ')}`}`;
}

async function until(world: ContenderWorld, isDone: () => boolean, patienceMs: number): Promise<void> {
  for (let turn = 0; turn < TURNS && !isDone(); turn++) await world.time.turn();
  for (let waitedMs = 0; waitedMs < patienceMs && !isDone(); waitedMs += SLICE_MS) {
    await world.time.advance(SLICE_MS);
    world.watch.checkStopped();
    if (world.broken.length > 0) return;
  }
}

function isMeant(said: Said, step: WalkStep, confirmed: ReadonlyMap<string, string>): boolean {
  if (said.type !== step.event) return false;
  if (said.type === 'contender.settled') return said.outcome === step.outcome;
  if (said.type !== 'contender.confirm' || step.address === 'first') return true;
  return (confirmed.get(said.sessionId) === said.reachable.address) === (step.address === 'same');
}

function wordOf({ event, outcome, address }: WalkStep): string {
  if (event === 'contender.started') return 'starts';
  if (event === 'contender.settled') return outcome === 'failed' ? 'throws here' : 'returns here';
  return address === 'first' ? 'confirms here' : `confirms ${address === 'same' ? 'the same' : 'another'} address here`;
}

function wordOfSaid(said: Said): string {
  if (said.type === 'contender.settled') return said.outcome === 'failed' ? 'throws' : 'returns';
  return said.type === 'contender.started' ? 'starts' : 'confirms';
}
