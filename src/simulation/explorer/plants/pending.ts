import * as a from '../../../../machines/leadership-actions.ts';
import type { At } from '../../../../machines/leadership-context.ts';
import { remembers } from '../../../../machines/leadership-transitions.ts';
import type { LeaderInformation } from '../../../../machines/vocabulary.ts';
import { componentName } from '../model.ts';
import { shippedMachines } from '../participant.ts';
import { type StoreRules, write } from '../store.ts';
import { changed, on, type Plant } from './plant.ts';

const { leadership } = shippedMachines;
const alone = { participants: 1, components: 1, sessions: 1, faults: 1 };

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
    const emptied = new Set(call.puts.flatMap(([component, { address }]) => (address === '' ? [component] : [])));
    if (applied.answer.type !== 'write.committed' || emptied.size === 0) return applied;
    const puts = call.puts.filter(([component]) => !emptied.has(component));
    const entries = shared.entries.map((token, at) => (emptied.has(componentName(at)) ? 0 : token));
    return write(shared, { ...call, puts }, entries);
  },
});

/** The same, and nobody objects to the erasure itself: what is found then is what comes of it. */
const emptyRemovesUnseen = (shipped: StoreRules): StoreRules => {
  const { lease, container } = emptyRemoves(shipped);
  return { lease, container: (shared, call) => ({ ...container(shared, call), broken: null }) };
};

/** FLINK-40114 in both of its windows, and what comes of it. */
export const pendingPlants: readonly Plant[] = [
  {
    name: 'erase-in-grant-pending',
    summary:
      'A change event that is handled between the grant and the start of the contender erases the entry that it shows (FLINK-40114, first window).',
    scope: alone,
    breaks: 'I3',
    steps: 5,
    machines: () => ({ leadership: changed(leadership, ['grant-pending'], erases) }),
    store: emptyRemoves,
  },
  {
    name: 'erase-in-confirm-pending',
    summary:
      'A change event that is handled between the start of the contender and its confirmation erases the entry that it shows (FLINK-40114, second window).',
    scope: alone,
    breaks: 'I3',
    steps: 7,
    machines: () => ({ leadership: changed(leadership, ['confirm-pending'], erases) }),
    store: emptyRemoves,
  },
  {
    name: 'erased-for-good',
    summary:
      'What comes of that erasure where nobody objects to it: it joins the own publish in one write and wins, and the newest leader counts as confirmed while its entry is missing for good.',
    scope: { ...alone, faults: 2 },
    breaks: 'I8',
    steps: 7,
    machines: () => ({ leadership: changed(leadership, ['confirm-pending'], erases) }),
    store: emptyRemovesUnseen,
  },
];
