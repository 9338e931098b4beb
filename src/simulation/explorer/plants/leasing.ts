import * as d from '../../../../machines/lease-actions.ts';
import type { LeaseContext, LeaseEvent } from '../../../../machines/lease-messages.ts';
import { shippedMachines } from '../participant.ts';
import { changed, entering, on, type Plant } from './plant.ts';

const { driver } = shippedMachines;
const two = { participants: 2, components: 1, sessions: 2, faults: 0 };

/** How far, in ticks, the clock of the other side is behind ours. */
const OTHER_CLOCK_BEHIND = 2;

const tooLate = { guard: d.comesTooLate, target: 'looking', actions: [d.takeRecord] };
const granted = { target: 'holding', actions: [d.takeSession, d.beginValidity, d.tellAcquired] };

/** Bugs around the lease and its deadline. */
export const leasingPlants: readonly Plant[] = [
  {
    name: 'validity-from-answer',
    summary: 'The deadline counts from the moment at which the answer of the store comes, instead of from the sending.',
    scope: { ...two, faults: 2 },
    breaks: 'I7',
    steps: 16,
    machines: () => ({
      driver: changed(
        changed(
          driver,
          ['contending'],
          on({
            'acquire.committed': [
              tooLate,
              { target: 'holding', actions: [d.takeSession, beginFromAnswer, d.tellAcquired] },
            ],
          }),
        ),
        ['holding', 'renewing'],
        on({
          'renew.committed': { guard: d.isCurrent, target: 'fresh', actions: [d.takeRecord, acknowledgeFromAnswer] },
        }),
      ),
    }),
  },
  {
    name: 'expiry-restarted-by-repeated-record',
    summary:
      'A standby starts its wait anew with every record that it is shown, also with one that it has seen before.',
    scope: { ...two, faults: 1 },
    breaks: 'liveness',
    steps: 9,
    machines: () => ({
      driver: changed(
        driver,
        ['standby'],
        on({
          'record.seen': [
            { guard: d.showsNewFree, target: 'contending', actions: [d.takeRecord] },
            { guard: showsHeld, target: 'standby', reenter: true, actions: [takeAnew] },
            {},
          ],
        }),
      ),
    }),
  },
  {
    name: 'takeover-by-other-clock',
    summary: `A standby waits until the record is old by the clock of its writer; that clock is ${OTHER_CLOCK_BEHIND} ticks behind here.`,
    scope: two,
    breaks: 'I1',
    steps: 10,
    machines: () => ({ driver: changed(driver, ['standby'], entering(waitByOtherClock)) }),
  },
  {
    name: 'acquired-after-deadline',
    summary: 'An acquisition that is heard of after its deadline has passed is granted.',
    scope: { ...two, faults: 2 },
    breaks: 'I7',
    steps: 15,
    machines: () => ({ driver: changed(driver, ['contending'], on({ 'acquire.committed': granted })) }),
  },
  {
    name: 'acquired-without-version',
    summary: 'The store grants the lease to whoever asks, without comparing the version that the asker has seen.',
    scope: { ...two, faults: 1 },
    breaks: 'I1',
    steps: 4,
    store: (shipped) => ({
      ...shipped,
      lease(scope, shared, call, isHolder) {
        const expected = shared.lease === null ? null : 0n;
        return shipped.lease(scope, shared, call.kind === 'acquire' ? { ...call, expected } : call, isHolder);
      },
    }),
  },
];

type Seen = Extract<LeaseEvent, { type: 'record.seen' }>;

const beginFromAnswer = d.lease.emit(({ event }) => ({
  type: 'validity.begin',
  to: 'validity',
  sessionId: event.type === 'acquire.committed' ? event.session.id : '',
  sentAtMs: event.type === 'acquire.committed' ? event.answeredAtMs : 0,
}));

const acknowledgeFromAnswer = d.lease.emit(({ context, event }) => ({
  type: 'heartbeat.acknowledged',
  to: 'validity',
  sessionId: context.session?.id ?? '',
  sentAtMs: event.type === 'renew.committed' ? event.nowMs : 0,
}));

const showsHeld = ({ context, event }: { readonly context: LeaseContext; readonly event: Seen }): boolean =>
  event.record !== null && event.record.holder !== '' && event.record.holder !== context.identity;

const takeAnew = d.lease.assign(({ event }) =>
  event.type === 'record.seen' ? { record: event.record, seenAtMs: event.nowMs } : {},
);

const [countWait] = d.setExpiryTimer;
const waitByOtherClock = [
  countWait,
  d.lease.emit(({ context }) => ({
    type: 'timer.set',
    to: 'clock',
    id: `expiry:${context.waits}`,
    atMs: context.seenAtMs - OTHER_CLOCK_BEHIND + (context.record?.durationMs ?? 0),
    scale: 'waiting' as const,
    jitterMs: 0,
  })),
];
