import type { TimingOptions } from '../../src/runtime/api.ts';
import { ScriptedContender } from './contender.ts';
import { hand } from './hand.ts';
import { Participant } from './participant.ts';
import { queries } from './queries.ts';
import { type Command, durationOf, type Words } from './words.ts';
import type { World } from './world.ts';

const TIMING: Readonly<Record<string, keyof TimingOptions>> = {
  lease: 'leaseDurationMs',
  renew: 'renewMs',
  timeout: 'callTimeoutMs',
  margin: 'marginMs',
  stopBound: 'stopBoundMs',
  rest: 'restMs',
};

/** What participants and their contenders do. */
const own: Readonly<Record<string, Command>> = {
  open: {
    usage: 'open NAME [lease=15s renew=5s timeout=2s margin=2s stopBound=10s rest=1s]',
    says: 'opens a tenure; the name may be used again, for the next process of that name',
    async run(world, { plain: [name = ''], named }) {
      const timing = Object.fromEntries(
        Object.entries(named).map(([word, value]) => [TIMING[word] ?? word, durationOf(value)]),
      );
      const participant = await Participant.open(world, name, timing);
      world.participants.set(name, participant);
      world.everyone.push(participant);
    },
  },
  lead: {
    usage:
      'lead NAME COMPONENT [confirm=ADDRESS] [ignores-stop] [throws-at-grant] [throws-at-stop] [resigns-on-failure]',
    says: 'registers a scripted contender',
    run: lead,
  },
  manner: {
    usage: 'manner NAME COMPONENT [confirm=ADDRESS] [ignores-stop] [throws-at-grant] [throws-at-stop]',
    says: 'changes what the contender is like, from its next step on',
    run(world, { plain: [name = '', component = '', ...words], named }) {
      Object.assign(world.participant(name).contender(component).manner, mannerOf(words, named));
    },
  },
  confirm: {
    usage: 'confirm NAME COMPONENT ADDRESS [session=s1]',
    says: 'the contender confirms, in its current session or an older one',
    run(world, { plain: [name = '', component = '', address = ''], named }) {
      const contender = world.participant(name).contender(component);
      const id = named.session === undefined ? contender.current.id : world.text.sessionCalled(named.session);
      contender.confirm(contender.sessions.get(id) ?? contender.current, address);
    },
  },
  settle: {
    usage: 'settle NAME COMPONENT',
    says: 'the contender function returns',
    run: (world, { plain: [name = '', component = ''] }) => world.participant(name).contender(component).end('return'),
  },
  fail: {
    usage: 'fail NAME COMPONENT',
    says: 'the contender function throws',
    run: (world, { plain: [name = '', component = ''] }) => world.participant(name).contender(component).end('throw'),
  },
  close: {
    usage: 'close NAME [COMPONENT]',
    says: 'closes one component, or the whole tenure',
    run(world, { plain: [name = '', component] }) {
      const participant = world.participant(name);
      if (component === undefined) participant.promise('close', participant.tenure.close());
      else participant.promise(`close ${component}`, participant.leading(component).close());
    },
  },
  'step-down': {
    usage: 'step-down NAME',
    says: 'gives the session back and lets others go first',
    run(world, { plain: [name = ''] }) {
      world.participant(name).promise('step-down', world.participant(name).tenure.stepDown());
    },
  },
  follow: {
    usage: 'follow NAME COMPONENT',
    says: 'notes whoever is seen to lead',
    run: follow,
  },
  advance: {
    usage: 'advance 5s',
    says: 'lets time pass; `500ms` works too',
    run: (world, { plain: [span = ''] }) => world.advance(durationOf(span)),
  },
};

export const commands: Readonly<Record<string, Command>> = {
  ...own,
  ...hand,
  ...queries,
  when: {
    usage: 'when NAME ADDRESS EVENT COMMAND…',
    says: 'runs the command once, right behind the next such message: what it posts is handled next after what the message posted',
    run(world, { plain: [participant = '', to = '', event = '', ...rest], named }) {
      const again = [...rest, ...Object.entries(named).map(([key, value]) => `${key}=${value}`)];
      world.when({ participant, to, event }, () => runCommand(world, again.join(' ')));
    },
  },
};

export async function runCommand(world: World, line: string): Promise<void> {
  const [name = '', ...rest] = line.trim().split(/\s+/);
  const command = commands[name];
  if (command === undefined) throw new Error(`no such command: ${name} (test/scenarios/README.md lists them)`);
  const named = Object.fromEntries(rest.filter((word) => word.includes('=')).map(splitNamed));
  await command.run(world, { plain: rest.filter((word) => !word.includes('=')), named });
}

function splitNamed(word: string): [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

function mannerOf(words: readonly string[], named: Words['named']) {
  return {
    ignoresStop: words.includes('ignores-stop'),
    throwsAtGrant: words.includes('throws-at-grant'),
    throwsAtStop: words.includes('throws-at-stop'),
    confirms: named.confirm ?? null,
  };
}

function lead(world: World, { plain: [name = '', component = '', ...words], named }: Words): void {
  const participant = world.participant(name);
  const contender = new ScriptedContender(participant, component, mannerOf(words, named));
  const onFailure = words.includes('resigns-on-failure') ? 'resign' : 'stand-again';
  const leading = participant.tenure.lead(component, contender.run, { onFailure });
  participant.leadings.set(component, leading);
  participant.contenders.set(component, contender);
  participant.promise(`${component} closed`, leading.closed);
}

function follow(world: World, { plain: [name = '', component = ''] }: Words): void {
  const participant = world.participant(name);
  const following = participant.tenure.follow(component);
  participant.followings.set(component, following);
  following.subscribe({
    next: (leader) => {
      const who =
        leader === null
          ? 'nobody'
          : `${leader.address} (${world.text.session(leader.sessionId)} token ${leader.fencingToken})`;
      participant.note(`sees ${component} led by ${who}`);
    },
    complete: () => participant.note(`no longer follows ${component}`),
  });
}
