import type { OpenBackend } from '../ports/backend.ts';
import type { LeaseRecord } from '../ports/lease-store.ts';
import { DEFAULT_TIMING } from '../runtime/timing.ts';
import { chooseBackend } from './backends/choose.ts';
import { leaseStanding, openForReading, readLease } from './backends/reading.ts';
import { type Command, EXIT, type Invocation, type World } from './command.ts';
import { electionOf } from './settings/tenure-options.ts';
import { findingLines } from './status/lines.ts';
import { requestStepDown } from './step-down/request.ts';
import { span } from './text/durations.ts';
import { participantName } from './text/participant.ts';

/** How long the answer waits for the next leader once the old one has given up. */
const NEXT_LEADER_MS = 2_000;

export const stepDown: Command = {
  name: 'step-down',
  sentence: 'Ask the leader to stop its work and give the lock to another participant, and wait until it has.',
  usage: 'tenure step-down --election NAME [OPTIONS]',
  examples: [
    ['hand over before a deployment', 'tenure step-down --election api'],
    ['wait a minute for long work to stop', 'tenure step-down --election nightly --timeout 1m'],
    ['who leads now, for another program', 'tenure step-down --election api --json'],
  ],
  settings: ['election', 'backend', 'file', 'kubeconfig', 'context', 'namespace', 'callTimeout', 'timeout'],
  exitCodes: [
    ['0', 'the leader has given up'],
    ['1', 'nobody leads, bad input, or a file that cannot be used'],
    ['2', 'not known: timed out (default: twice the lease duration), or the backend is out of reach'],
  ],
  run: runStepDown,
};

async function runStepDown(invocation: Invocation): Promise<number> {
  const { settings, world, output } = invocation;
  const election = electionOf(settings);
  const choice = chooseBackend(settings, election, false);
  if (choice.name === 'single-master') {
    settings.complain('backend', 'single-master has no lock to give back; send its one process a signal instead');
  }
  settings.settle();
  const callMs = settings.ms('callTimeout') ?? DEFAULT_TIMING.callTimeoutMs;
  const open = await openForReading(choice, election, world);
  try {
    const record = await readLease(open, callMs);
    const standing = leaseStanding(record, world.clock.isoNow(), open.protection);
    if (record === null || standing.kind !== 'held') {
      const why =
        standing.kind === 'ran-out'
          ? `; the lease of ${participantName(standing.record.holder)} ran out ${span(standing.sinceMs)} ago`
          : '';
      output.document({ election, from: null, to: null });
      output.answer(`nobody leads ${election}${why}`);
      return EXIT.no;
    }
    const startMs = world.clock.nowMs();
    await requestStepDown(open, record, callMs);
    output.talk(`asked ${participantName(record.holder)} to step down`);
    return await report(open, record, startMs, invocation);
  } finally {
    await open.close();
  }
}

async function report(open: OpenBackend, from: LeaseRecord, startMs: number, invocation: Invocation): Promise<number> {
  const { settings, output, world } = invocation;
  const timeoutMs = settings.ms('timeout') ?? 2 * from.durationMs;
  const who = participantName(from.holder);
  const isOver = (record: LeaseRecord | null) => record?.sessionId !== from.sessionId;
  const interrupted = new AbortController();
  const stop = world.signals.on(['SIGINT', 'SIGTERM'], () => interrupted.abort());
  try {
    const gaveUp = await awaitLease(open, isOver, timeoutMs, world, interrupted.signal);
    const gaveUpAfterMs = Math.round(world.clock.nowMs() - startMs);
    const about = { holder: from.holder, sessionId: from.sessionId, fencingToken: from.fencingToken };
    if (gaveUp === undefined) {
      const detail = `${who} still holds token ${from.fencingToken} after ${span(gaveUpAfterMs)}; the request stays in the lease.`;
      const findings = [{ code: 'step-down-pending', component: null, detail }];
      output.document({ election: settings.text('election'), from: about, to: null, gaveUpAfterMs: null, findings });
      for (const line of findingLines(findings, output.paint)) output.answer(line);
      return EXIT.notKnown;
    }
    output.answer(`${who} gave up token ${from.fencingToken} after ${span(gaveUpAfterMs)}`);
    const isHeld = (record: LeaseRecord | null) => record !== null && isOver(record) && record.holder !== '';
    const next = await awaitLease(open, isHeld, NEXT_LEADER_MS, world, interrupted.signal);
    const leadsAfterMs = Math.round(world.clock.nowMs() - startMs);
    const to =
      next == null
        ? null
        : { holder: next.holder, sessionId: next.sessionId, fencingToken: next.fencingToken, leadsAfterMs };
    output.document({ election: settings.text('election'), from: about, gaveUpAfterMs, to });
    if (to === null) output.answer(`nobody leads ${settings.text('election')} yet`);
    else
      output.answer(
        `${participantName(to.holder)} leads with token ${to.fencingToken}, ${span(leadsAfterMs)} after the request`,
      );
    return EXIT.yes;
  } finally {
    stop();
  }
}

/** The first record that fits; `undefined` when the time runs out or somebody interrupts. */
async function awaitLease(
  open: OpenBackend,
  fits: (record: LeaseRecord | null) => boolean,
  timeoutMs: number,
  { clock }: World,
  interrupted: AbortSignal,
): Promise<LeaseRecord | null | undefined> {
  const stops: (() => void)[] = [];
  try {
    return await new Promise((settle) => {
      if (interrupted.aborted) settle(undefined);
      interrupted.addEventListener('abort', () => settle(undefined), { once: true });
      stops.push(clock.setTimer(timeoutMs, () => settle(undefined)));
      stops.push(open.lease.watch((record) => fits(record) && settle(record)));
    });
  } finally {
    for (const stop of stops) stop();
  }
}
