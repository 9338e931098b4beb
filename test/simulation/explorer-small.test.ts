import { expect, it } from 'vitest';
import { passTick } from '../../src/simulation/explorer/clockwork.ts';
import { Search } from '../../src/simulation/explorer/index.ts';
import type { Local } from '../../src/simulation/explorer/local.ts';
import { Moves } from '../../src/simulation/explorer/moves.ts';
import { beginning } from '../../src/simulation/explorer/store.ts';
import type { Store } from '../../src/simulation/explorer/stores.ts';
import { traitsOf } from '../../src/simulation/explorer/traits.ts';
import { SeededRandom } from '../../src/simulation/index.ts';

/**
 * The search keeps participants in small numbers: ranks for versions, 0 and −1 for counters, nothing of what is over. That
 * is right only if a participant as it really is can do exactly what its small twin can do, with the same result.
 */
it.each([1, 2, 3, 4])('what a participant can do, its twin in small numbers can do too: walks of seed %i', (seed) => {
  const scope = { participants: 1, components: 2, sessions: 9, faults: 12 };
  const { participants, stores } = new Search({ scope, maxStates: 1 });
  const random = new SeededRandom(seed);
  const moves = new Moves(participants, stores);
  const futuresOf = (local: Local, store: Store) => {
    const now = `${participants.id(local)}, ${store.id}`;
    const next = [false, true]
      .flatMap((faults) => moves.of(local, store, true, faults))
      .map((move) => `${participants.id(move.local)}, ${move.store.id}`);
    const later = participants.id(passTick(participants, local));
    // A stray that can do nothing any more is left out of the twin: its arrival changes nothing.
    return { traits: traitsOf(local), later, next: [...new Set(next)].filter((one) => one !== now).sort() };
  };
  for (let walk = 0; walk < 20; walk++) {
    let real = participants.fresh();
    let store = stores.take(beginning(scope));
    for (let step = 0; step < 60; step++) {
      const twin = participants.at(participants.id(real));
      expect(futuresOf(twin, store)).toEqual(futuresOf(real, store));
      const choices = [false, true].flatMap((faults) => moves.of(real, store, true, faults));
      const chosen = choices[Math.floor(random.next('choice') * (choices.length + 1))];
      if (chosen !== undefined) ({ local: real, store } = chosen);
      else if (!traitsOf(real).isBusy) real = passTick(participants, real);
    }
  }
});
