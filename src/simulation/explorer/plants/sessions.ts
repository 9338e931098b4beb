import * as e from '../../../../machines/election-actions.ts';
import * as a from '../../../../machines/leadership-actions.ts';
import { isNext } from '../../../../machines/leadership-context.ts';
import { shippedMachines } from '../participant.ts';
import { changed, on, type Plant } from './plant.ts';

const { leadership, election } = shippedMachines;

/** Bugs at the border between two sessions. */
export const sessionPlants: readonly Plant[] = [
  {
    name: 'next-session-before-settled',
    summary: 'The next session starts although the former contender has not settled.',
    scope: { participants: 1, components: 1, sessions: 2, faults: 2 },
    breaks: 'I6',
    steps: 9,
    machines: () => ({
      leadership: changed(
        leadership,
        ['revoked', 'stopping'],
        on({ granted: { target: '#leadership.grant-pending', actions: [a.replaceNext, a.takeNext] } }),
      ),
    }),
  },
  {
    name: 'captured-grant-late',
    summary:
      'A grant that waits for the former contender is read from a field when its turn comes, and its revocation leaves the field as it is.',
    scope: { participants: 1, components: 1, sessions: 2, faults: 2 },
    breaks: 'I7',
    steps: 12,
    machines: () => ({
      leadership: changed(leadership, ['revoked'], on({ revoked: { guard: isNext, actions: [a.tellNextDrained] } })),
    }),
  },
  {
    name: 'release-before-settled',
    summary: 'Stepping down tells the contenders to stop and gives the lock back without waiting for them.',
    scope: { participants: 1, components: 1, sessions: 1, faults: 1 },
    breaks: 'I7',
    steps: 5,
    machines: () => ({
      election: changed(
        election,
        ['leading'],
        on({
          'step-down': {
            target: 'ceding.releasing',
            actions: [e.noteRequest, e.noteReason('stepped-down'), e.noteYielding, e.revokeAll],
          },
        }),
      ),
    }),
  },
];
