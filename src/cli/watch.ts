import type { OpenBackend } from '../ports/backend.ts';
import type { LeaseRecord } from '../ports/lease-store.ts';
import { DEFAULT_TIMING } from '../runtime/timing.ts';
import { chooseBackend } from './backends/choose.ts';
import { leaseStanding, openForReading, readLease } from './backends/reading.ts';
import { type Command, EXIT, type Invocation } from './command.ts';
import { electionOf } from './settings/tenure-options.ts';
import { span } from './text/durations.ts';
import { visible } from './text/visible.ts';
import { WatchLines } from './watch/lines.ts';
import { WatchStory } from './watch/story.ts';

export const watch: Command = {
  name: 'watch',
  sentence: 'Follow who leads, line by line, as every follower sees it.',
  usage: 'tenure watch --election NAME [OPTIONS]',
  examples: [
    ['everything that happens in an election', 'tenure watch --election api'],
    [
      'wait in a script until one component is reachable',
      'tenure watch --election api --component main --until-confirmed --timeout 30s --quiet',
    ],
    ['for another program', 'tenure watch --election api --json'],
  ],
  settings: [
    'election',
    'only',
    'backend',
    'file',
    'kubeconfig',
    'context',
    'namespace',
    'callTimeout',
    'untilConfirmed',
    'timeout',
  ],
  exitCodes: [
    ['0', 'ended by SIGINT or SIGTERM, or confirmed with --until-confirmed'],
    ['1', 'bad input, or a file that cannot be used'],
    ['2', 'timed out, or the backend is out of reach or its file does not exist'],
  ],
  run: runWatch,
};

async function runWatch(invocation: Invocation): Promise<number> {
  const { settings, world } = invocation;
  const election = electionOf(settings);
  const choice = chooseBackend(settings, election, false);
  settings.settle();
  const open = await openForReading(choice, election, world);
  try {
    return await follow(open, election, invocation);
  } finally {
    await open.close();
  }
}

async function follow(open: OpenBackend, election: string, { settings, output, world }: Invocation): Promise<number> {
  const { clock, signals } = world;
  const only = settings.all('only');
  const story = new WatchStory();
  const lines = new WatchLines(output.paint);
  const startMs = clock.nowMs();
  let lease: LeaseRecord | null = await readLease(open, settings.ms('callTimeout') ?? DEFAULT_TIMING.callTimeoutMs);
  const learn = (record: LeaseRecord | null) => {
    lease = record;
    if (record !== null) story.learn(record.sessionId, record.holder);
  };
  learn(lease);
  const isDone = () => {
    if (!settings.on('untilConfirmed')) return false;
    const standing = leaseStanding(lease, clock.isoNow(), open.protection);
    const session = standing.kind === 'held' ? standing.record.sessionId : null;
    const confirmed = [...story.confirmed()].filter(([, of]) => of === session).map(([component]) => component);
    return only.length === 0 ? confirmed.length > 0 : only.every((component) => confirmed.includes(component));
  };
  const stops: (() => void)[] = [];
  try {
    return await new Promise<number>((end) => {
      let first = true;
      stops.push(signals.on(['SIGINT', 'SIGTERM'], () => end(EXIT.yes)));
      stops.push(
        open.lease.watch((record) => {
          learn(record);
          if (isDone()) end(EXIT.yes);
        }),
      );
      stops.push(
        open.register.watch((state) => {
          const changes = story
            .read(state, clock.nowMs() - startMs)
            .filter(({ component }) => only.length === 0 || only.includes(component));
          for (const change of changes) {
            output.answer(lines.line(change));
            output.document({ at: clock.isoNow(), election, ...change });
          }
          if (first && changes.length === 0)
            output.talk(`watching ${election} on ${visible(open.place)}; nothing is confirmed yet`);
          first = false;
          if (isDone()) end(EXIT.yes);
        }),
      );
      const timeoutMs = settings.ms('timeout');
      if (timeoutMs === undefined) return;
      stops.push(
        clock.setTimer(timeoutMs, () => {
          output.talk(`${settings.on('untilConfirmed') ? 'not confirmed' : 'ended'} after ${span(timeoutMs)}`);
          end(EXIT.notKnown);
        }),
      );
    });
  } finally {
    for (const stop of stops) stop();
  }
}
