import * as register from '../../../../machines/container-actions.ts';
import type { ContainerContext } from '../../../../machines/container-messages.ts';
import * as a from '../../../../machines/leadership-actions.ts';
import { isCurrent, isCurrentAttempt } from '../../../../machines/leadership-context.ts';
import { answersFirst, remembers } from '../../../../machines/leadership-transitions.ts';
import { shippedMachines } from '../participant.ts';
import { changed, entering, on, type Plant } from './plant.ts';

const { leadership } = shippedMachines;
const alone = { participants: 1, components: 1, sessions: 1, faults: 1 };

const settled = '#leadership.confirmed.settled';
const [outdated, undone] = answersFirst['publish.committed'];
const accepts = [a.takeCommitted, a.clearFailures, a.settleConfirms, a.forgetConfirms];

/** A register that waits for the write under way, and answers whoever asked for it, also when the session has changed. */
const keepsWriting = changed(
  shippedMachines.register,
  ['writing'],
  on({
    'register.shut': { guard: register.isCurrent, actions: [register.container.assign({ queue: null })] },
    'register.open': {
      actions: [
        register.container.assign(({ event }): Partial<ContainerContext> => {
          return event.type === 'register.open' ? { session: event.session } : {};
        }),
      ],
    },
    'write.conflict': {
      guard: register.isOwnWrite,
      target: 'ready',
      actions: [register.takeVersion, register.failAll, register.dropAll],
    },
  }),
);

/** Bugs between a confirmation and its entry in the register. */
export const confirmingPlants: readonly Plant[] = [
  {
    name: 'confirmed-before-acknowledged',
    summary: 'A component counts as confirmed as soon as its write has been sent; how the write ended is not asked.',
    scope: alone,
    breaks: 'I8',
    steps: 6,
    machines: () => ({
      leadership: changed(
        leadership,
        ['confirm-pending', 'awaiting'],
        on({
          'contender.confirm': {
            guard: isCurrent,
            target: settled,
            actions: [a.wantReachable, a.countAttempt, a.publish, a.settleConfirms, a.forgetConfirms],
          },
        }),
      ),
    }),
  },
  {
    name: 'late-committed-accepted',
    summary:
      'A late `committed` is taken for the answer to the newest attempt. A second defence is removed with it: the register answers what was asked under an older session as `fenced` when that session ends.',
    scope: { ...alone, sessions: 2, faults: 2 },
    breaks: 'I8',
    steps: 16,
    machines: () => ({
      leadership: changed(
        leadership,
        ['confirm-pending', 'publishing'],
        on({ 'publish.committed': [outdated, undone, { target: settled, actions: accepts }] }),
      ),
      register: keepsWriting,
    }),
  },
  {
    name: 'unknown-treated-as-failed',
    summary:
      'A publish whose outcome is not known counts as not done: the contender is told so and the write is forgotten, though it may have been applied, or still be.',
    scope: alone,
    breaks: 'liveness',
    steps: 6,
    machines: () => ({
      leadership: changed(
        leadership,
        ['confirm-pending', 'publishing'],
        on({
          'publish.unknown': {
            guard: isCurrentAttempt,
            target: 'awaiting',
            actions: [a.refuseConfirms, a.forgetConfirms],
          },
        }),
      ),
    }),
  },
  {
    name: 'repair-forgotten',
    summary: 'A confirmed component sees that its entry has gone and leaves it at that.',
    scope: alone,
    breaks: 'I8',
    steps: 7,
    machines: () => ({
      leadership: changed(leadership, ['confirmed', 'settled'], on({ 'register.changed': remembers })),
    }),
  },
  {
    name: 'promise-forgotten',
    summary: 'A session that is revoked leaves the confirmations open that it had not answered.',
    scope: alone,
    breaks: 'I9',
    steps: 8,
    machines: () => ({ leadership: changed(leadership, ['revoked'], entering([a.stopContender])) }),
  },
];
