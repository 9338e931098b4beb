import { createActor } from 'xstate';
import { retrievalMachine } from '../../machines/index.ts';
import type { LeaderInformation } from '../../machines/vocabulary.ts';
import type { Follower } from './retrieval-model.ts';

/** The shipped one. */
export function follower(): Follower {
  const actor = createActor(retrievalMachine, { input: { component: 'web' } }).start();
  const told: (LeaderInformation | null)[] = [];
  actor.on('leader.changed', ({ leader }) => told.push(leader));
  return {
    send(event) {
      actor.send(event);
      return told.splice(0);
    },
  };
}
