import { createActor } from 'xstate';
import { leadershipMachine } from '../machines/leadership.ts';
import type { LeadershipEvent } from '../machines/leadership-messages.ts';
import { systemClock } from '../src/drivers/system/clock.ts';
import { HostedActor } from '../src/runtime/actor-host.ts';
import type { ContenderDesk } from '../src/runtime/contender-desk.ts';
import { LeadingHandle } from '../src/runtime/leading.ts';
import { PostOffice } from '../src/runtime/post-office.ts';
import type { Side } from './rounds.ts';
import { interleave, ratios } from './rounds.ts';
import type { Row } from './row.ts';

const ROUNDS = 40;
const COMPONENT = 'restserver';
const ADDRESS = `leadership:${COMPONENT}`;
const EVENTS_PER_CYCLE = 6;
const REACHABLE = { address: 'http://127.0.0.1:8080', metadata: {} };

/** One whole leadership: granted, started, confirmed and acknowledged, revoked, settled. */
function cycle(round: number): readonly LeadershipEvent[] {
  const session = { id: `session-${round}`, fencingToken: BigInt(round) };
  const sessionId = session.id;
  return [
    { type: 'granted', session },
    { type: 'contender.started', sessionId },
    { type: 'contender.confirm', sessionId, confirmId: `${sessionId}/1`, reachable: REACHABLE },
    { type: 'publish.committed', sessionId, attempt: round, version: BigInt(round) },
    { type: 'revoked', sessionId, reason: 'lost' },
    { type: 'contender.settled', sessionId, outcome: 'returned' },
  ];
}

interface Subject {
  send(event: LeadershipEvent): void;
  /** Commands that have left the machine and reached somebody. */
  readonly received: () => number;
}

function fail(error: unknown): never {
  throw error;
}

function undeclared(address: string): never {
  throw new Error(`${address} got a message that it does not declare`);
}

function bareMachine(): Subject {
  let received = 0;
  const actor = createActor(leadershipMachine, { input: { component: COMPONENT } });
  actor.on('*', () => {
    received += 1;
  });
  actor.start();
  return { send: (event) => actor.send(event), received: () => received };
}

function officeWithSinks(): { office: PostOffice; sink: { deliver(): void }; received: () => number } {
  let received = 0;
  const sink = {
    deliver() {
      received += 1;
    },
  };
  const office = new PostOffice(fail);
  for (const address of ['election', 'register', 'clock', 'tenure', 'observer']) office.register(address, sink);
  return { office, sink, received: () => received };
}

function hosted(): Subject {
  const { office, sink, received } = officeWithSinks();
  office.register(`contender:${COMPONENT}`, sink);
  new HostedActor({
    office,
    address: ADDRESS,
    machine: leadershipMachine,
    input: { component: COMPONENT },
    onFailure: fail,
    onUndeclared: undeclared,
  }).start();
  return { send: (event) => office.post('bench', ADDRESS, event), received };
}

/** What `tenure.lead` makes, with history and state stream; only the desk that runs the user's function is a sink. */
function led(): Subject {
  const { office, sink, received } = officeWithSinks();
  new LeadingHandle({
    office,
    component: COMPONENT,
    policy: { stopBoundMs: 10_000 },
    desk: sink as unknown as ContenderDesk,
    onUndeclared: undeclared,
    onActorFailed: fail,
    onClosed: () => {},
    onOverstayed: () => {},
    clock: systemClock(),
    cancelTimers: () => {},
  }).start();
  return { send: (event) => office.post('bench', ADDRESS, event), received };
}

export function measureMessages(): readonly Row[] {
  const runs = { bare: runOf(bareMachine()), hosted: runOf(hosted()), led: runOf(led()) };
  const measured = interleave({ bare: runs.bare.side, hosted: runs.hosted.side, led: runs.led.side }, ROUNDS);
  checkSame(Object.values(runs).map((run) => run.commandsPerCycle()));
  const perMessage = (values: readonly number[]) => values.map((value) => value / EVENTS_PER_CYCLE);
  return [
    { what: 'message, bare xstate machine', unit: 'ns', values: perMessage(measured.bare) },
    { what: 'message, hosted actor through the post office', unit: 'ns', values: perMessage(measured.hosted) },
    { what: '  against the bare machine', unit: '×', values: ratios(measured.hosted, measured.bare), atMost: 1.3 },
    { what: 'message, as `lead` hosts it (history, state stream)', unit: 'ns', values: perMessage(measured.led) },
    {
      what: '  against the bare machine, by `lead`',
      unit: '×',
      values: ratios(measured.led, measured.bare),
      atMost: 1.3,
    },
  ];
}

interface Run {
  readonly side: Side;
  readonly commandsPerCycle: () => number;
}

function runOf({ send, received }: Subject): Run {
  let cycles = 0;
  const side: Side = (count) => {
    for (let at = 0; at < count; at += 1) {
      cycles += 1;
      for (const event of cycle(cycles)) send(event);
    }
  };
  return { side, commandsPerCycle: () => Math.floor(received() / cycles) };
}

/** A side that drops messages would be fast. */
function checkSame(counts: readonly number[]): void {
  if (new Set(counts).size === 1 && counts[0] !== 0) return;
  throw new Error(`the sides emitted ${counts.join(', ')} commands per cycle`);
}
