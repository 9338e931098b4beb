import type { Command } from './words.ts';
import type { World } from './world.ts';

const CALL = { timeoutMs: 1_000 };

/** Questions: they print and change nothing. */
export const queries: Readonly<Record<string, Command>> = {
  'state?': {
    usage: 'state? NAME',
    says: 'the election and its components that stand, as the public face shows them',
    run(world, { plain: [name = ''] }) {
      const { tenure, leadings } = world.participant(name);
      const { phase, sessionId, fencingToken } = tenure.state;
      world.say(`${name} is ${phase}${sessionText(world, sessionId, fencingToken)}`);
      for (const { state } of leadings.values()) {
        if (state.phase === 'closed') continue;
        const suspended = state.suspended ? ', suspended' : '';
        world.say(
          `  ${state.component} ${state.state}${sessionText(world, state.sessionId, state.fencingToken)}${suspended}`,
        );
      }
    },
  },
  'current?': {
    usage: 'current? NAME COMPONENT',
    says: 'whether the newest session still may act',
    run(world, { plain: [name = '', component = ''] }) {
      const session = world.participant(name).contender(component).current;
      const { isCurrent, remainingMs } = session;
      world.say(
        `${world.text.session(session.id)} is ${isCurrent ? `current for ${remainingMs} ms` : 'not current any more'}`,
      );
    },
  },
  'register?': {
    usage: 'register?',
    says: 'the entries in the store',
    async run(world) {
      const reading = await world.register.read(CALL);
      if (reading.outcome !== 'found') return;
      const { fence, changed } = reading.state;
      const fenceText = fence === null ? 'none' : `${world.text.session(fence.sessionId)} token ${fence.fencingToken}`;
      world.say(`register, fence ${fenceText}${changed.size === 0 ? ', no entry' : ''}`);
      for (const [component, entry] of [...changed].sort(([a], [b]) => a.localeCompare(b))) {
        if (entry === null) continue;
        world.say(`  ${component} ${entry.address}${sessionText(world, entry.sessionId, entry.fencingToken)}`);
      }
    },
  },
  'lease?': {
    usage: 'lease?',
    says: 'the lease in the store',
    async run(world) {
      const reading = await world.lease.read(CALL);
      if (reading.outcome === 'absent') world.say('there is no lease');
      if (reading.outcome !== 'found') return;
      const { holder, sessionId, fencingToken } = reading.record;
      world.say(
        holder === ''
          ? `lease released, token ${fencingToken}`
          : `lease of ${holder}${sessionText(world, sessionId, fencingToken)}`,
      );
    },
  },
  'promises?': {
    usage: 'promises?',
    says: 'what has been promised and not settled, beside the `closed` of components that stand',
    run(world) {
      const open = [...world.pending].filter(([, what]) => !what.endsWith(' closed')).map(([id]) => id);
      world.say(open.length === 0 ? 'no promise is open' : `open: ${open.join(', ')}`);
    },
  },
};

function sessionText(world: World, id: string | null, token: bigint | null): string {
  return id === null ? '' : ` ${world.text.session(id)} token ${token}`;
}
