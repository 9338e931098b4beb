import * as a from '../../../../machines/leadership-actions.ts';
import type { At } from '../../../../machines/leadership-context.ts';
import { remembers } from '../../../../machines/leadership-transitions.ts';
import type { LeaderInformation } from '../../../../machines/vocabulary.ts';
import { componentName } from '../model.ts';
import { shippedMachines } from '../participant.ts';
import { type StoreRules, write } from '../store.ts';
import { changed, on, type Plant } from './plant.ts';

const { leadership } = shippedMachines;

const isForeign = ({ context, event }: At<{ readonly entry: LeaderInformation | null }>): boolean =>
  event.entry !== null && event.entry.sessionId !== context.session?.id;

/** Publishes "empty": how Flink takes an entry away. Nobody asks how that write ends, and no attempt names it. */
const publishEmpty = a.leadership.emit(({ context }) => ({
  type: 'register.publish',
  to: 'register',
  component: context.component,
  attempt: -1,
  entry: {
    sessionId: context.session?.id ?? '',
    fencingToken: context.session?.fencingToken ?? 0n,
    address: '',
    metadata: {},
  },
}));

/** "It is not mine, so it must go": what Flink does with a change event while nothing of its own is confirmed. */
const erases = on({ 'register.changed': [{ guard: isForeign, actions: [a.rememberSeen, publishEmpty] }, remembers] });

/** To publish "empty" removes the entry, whoever wrote it. Fence and versions are compared as ever. */
const emptyRemoves = (shipped: StoreRules): StoreRules => ({
  ...shipped,
  container(shared, call) {
    const applied = shipped.container(shared, call);
    if (applied.answer.type !== 'write.committed') return applied;
    const emptied = new Set(call.puts.flatMap(([component, { address }]) => (address === '' ? [component] : [])));
    const puts = call.puts.filter(([component]) => !emptied.has(component));
    const entries = shared.entries.map((token, at) => (emptied.has(componentName(at)) ? 0 : token));
    return emptied.size === 0 ? applied : write(shared, { ...call, puts }, entries);
  },
});

/** FLINK-40114 in both of its windows, and what it comes to when the contender confirms in the middle of it. */
export const pendingPlants: readonly Plant[] = [
  {
    name: 'erase-in-grant-pending',
    summary:
      'A change event that is handled between the grant and the start of the contender erases the entry that it shows (FLINK-40114, first window).',
    scope: { participants: 1, components: 1, sessions: 2, faults: 2 },
    breaks: 'I3',
    steps: 0,
    machines: () => ({ leadership: changed(leadership, ['grant-pending'], erases) }),
    store: emptyRemoves,
  },
  {
    name: 'erase-in-confirm-pending',
    summary:
      'A change event that is handled between the grant and the confirmation erases the entry that it shows (FLINK-40114, second window).',
    scope: { participants: 1, components: 1, sessions: 2, faults: 2 },
    breaks: 'I3',
    steps: 0,
    machines: () => ({ leadership: changed(leadership, ['confirm-pending', 'awaiting'], erases) }),
    store: emptyRemoves,
  },
  {
    name: 'erase-joins-own-publish',
    summary:
      'The same erasure while the own publish waits: both join one write, the erasure wins, and the component counts as confirmed without an entry for good.',
    scope: { participants: 1, components: 1, sessions: 1, faults: 1 },
    breaks: 'I8',
    steps: 0,
    machines: () => ({ leadership: changed(leadership, ['confirm-pending', 'publishing'], erases) }),
    store: emptyRemoves,
  },
];
