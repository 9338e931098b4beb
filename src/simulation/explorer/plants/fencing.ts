import * as r from '../../../../machines/container-actions.ts';
import { componentName } from '../model.ts';
import { shippedMachines } from '../participant.ts';
import { write } from '../store.ts';
import { changed, type Plant } from './plant.ts';

const { register } = shippedMachines;

/** Bugs of the fenced container. */
export const fencingPlants: readonly Plant[] = [
  {
    name: 'write-without-fence',
    summary:
      'The store accepts writes of older sessions. Comparing versions would catch most of them, so that is removed as well.',
    scope: { participants: 2, components: 1, sessions: 2, faults: 1 },
    breaks: 'I2',
    steps: 14,
    store: (shipped) => ({
      ...shipped,
      container: (shared, call) =>
        call.kind === 'read' ? shipped.container(shared, call) : write(shared, call, [...shared.entries]),
    }),
  },
  {
    name: 'fence-after-first-read',
    summary: 'A new session reads the register before it has raised its fence: what it has read may still change.',
    scope: { participants: 2, components: 1, sessions: 2, faults: 2 },
    breaks: 'I2',
    steps: 10,
    machines: () => ({
      register: changed(register, ['opening'], (opening) => ({
        ...opening,
        initial: 'reading',
        states: { ...opening.states, reading },
      })),
    }),
  },
  {
    name: 'withdraw-without-session',
    summary: 'The store deletes what a withdrawal names without comparing whose entry it is.',
    scope: { participants: 1, components: 1, sessions: 2, faults: 2 },
    breaks: 'I3',
    steps: 8,
    store: (shipped) => ({
      ...shipped,
      container(shared, call) {
        const applied = shipped.container(shared, call);
        if (applied.answer.type !== 'write.committed') return applied;
        const withdrawn = new Set(call.withdrawals.map(([component]) => component));
        const entries = shared.entries.map((token, at) => (withdrawn.has(componentName(at)) ? 0 : token));
        return write(shared, call, entries);
      },
    }),
  },
];

const reading = {
  entry: [r.countCall, r.readKeys],
  on: {
    'read.found': { guard: r.isOwnRead, target: 'raising', actions: [r.takeVersion] },
    'read.failed': { guard: r.isOwnRead, target: 'reading', reenter: true },
  },
};
