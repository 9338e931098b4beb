import { arbiterEvents, arbiterMachine } from './arbiter.ts';
import { containerMachine } from './container.ts';
import { containerEvents } from './container-messages.ts';
import { electionMachine } from './election.ts';
import { electionEvents } from './election-messages.ts';
import { leadershipMachine } from './leadership.ts';
import { leadershipEvents } from './leadership-messages.ts';
import { leaseMachine } from './lease.ts';
import { leaseEvents } from './lease-messages.ts';
import { retrievalEvents, retrievalMachine } from './retrieval.ts';
import { validityEvents, validityMachine } from './validity.ts';

/** Every machine with its whole alphabet: what diagrams, totality test and explorer walk. */
export const allMachines = {
  leadership: { machine: leadershipMachine, events: leadershipEvents },
  election: { machine: electionMachine, events: electionEvents },
  lease: { machine: leaseMachine, events: leaseEvents },
  validity: { machine: validityMachine, events: validityEvents },
  retrieval: { machine: retrievalMachine, events: retrievalEvents },
  container: { machine: containerMachine, events: containerEvents },
  arbiter: { machine: arbiterMachine, events: arbiterEvents },
} as const;
