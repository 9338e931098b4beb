// @ts-check
import { leadershipLogic } from 'tenure';
import { assign, sendTo, setup } from 'xstate';

/**
 * @typedef {object} Input
 * @property {string} name
 * @property {import('tenure').Tenure} tenure Whoever opened it closes it.
 * @property {string} address Where this service can be reached while it leads.
 * @property {(line: string) => void} say
 */

/**
 * @typedef {Input & {
 *   session: import('tenure').LeaderSession | null,
 *   leader: import('tenure').Leader | null,
 *   sent: number,
 * }} Context
 */

/** @typedef {import('tenure').LeadershipToParent | { type: 'invoice.due', invoice: string }} Event */

const service = setup({
  types: {
    input: /** @type {Input} */ ({}),
    context: /** @type {Context} */ ({}),
    events: /** @type {Event} */ ({}),
  },
  actors: { leadership: leadershipLogic },
  guards: {
    // Asked at the moment of use: true only while no other process can lead.
    mayWork: ({ context }) => context.session?.isCurrent === true,
  },
  actions: {
    confirm: sendTo('leadership', ({ context }) => ({ type: 'confirm', address: context.address })),
    forgetSession: assign({ session: null }),
  },
});

export const billingMachine = service.createMachine({
  id: 'billing',
  context: ({ input }) => ({ ...input, session: null, leader: null, sent: 0 }),
  invoke: {
    id: 'leadership',
    src: 'leadership',
    input: ({ context }) => ({ tenure: context.tenure, component: 'billing' }),
  },
  on: {
    'leadership.leader': { actions: assign({ leader: ({ event }) => event.leader }) },
  },
  initial: 'standingBy',
  states: {
    standingBy: {
      on: {
        'leadership.granted': {
          target: 'leading',
          actions: assign({ session: ({ event }) => event.session }),
        },
        'invoice.due': {
          actions: ({ context, event }) =>
            context.say(`${context.name} passes ${event.invoice} on to ${context.leader?.address ?? 'nobody yet'}`),
        },
      },
    },
    leading: {
      entry: 'confirm',
      initial: 'confirming',
      on: {
        'leadership.revoked': {
          target: 'standingBy',
          actions: [
            'forgetSession',
            ({ context, event }) => context.say(`${context.name} stops: ${event.reason.message}`),
          ],
        },
        'invoice.due': [
          {
            guard: 'mayWork',
            actions: [
              assign({ sent: ({ context }) => context.sent + 1 }),
              ({ context, event }) =>
                context.say(
                  `${context.name} sends ${event.invoice} with fencing token ${context.session?.fencingToken}`,
                ),
            ],
          },
          { actions: ({ context, event }) => context.say(`${context.name} must not send ${event.invoice}`) },
        ],
      },
      states: {
        confirming: { on: { 'leadership.confirmed': 'confirmed' } },
        confirmed: {
          entry: ({ context }) => context.say(`${context.name} leads at ${context.address}`),
        },
      },
    },
  },
});
