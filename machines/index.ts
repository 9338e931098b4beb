/**
 * The machines themselves, for those who bring their own drivers. Start each as a root actor, deliver what it emits to
 * the address in `to`, and feed the answers back as events: `machines/README.md` has the contract message by message.
 */

export type { ArbiterCommand, ArbiterContext, ArbiterEvent, ArbiterRecord } from './arbiter.ts';
export { arbiterEvents, arbiterMachine } from './arbiter.ts';
export { containerMachine } from './container.ts';
export type { ContainerCommand, ContainerContext, ContainerEvent, ContainerOperation } from './container-messages.ts';
export { containerEvents } from './container-messages.ts';
export { electionMachine } from './election.ts';
export type { ElectionCommand, ElectionContext, ElectionEvent } from './election-messages.ts';
export { electionEvents } from './election-messages.ts';
export type { Invariant, InvariantViolation, Observation } from './invariants.ts';
export { checkTrace, invariants } from './invariants.ts';
export { leadershipMachine } from './leadership.ts';
export type { LeadershipContext, LeadershipInput, LeadershipPolicy } from './leadership-context.ts';
export { defaultLeadershipPolicy } from './leadership-context.ts';
export type { LeadershipCommand, LeadershipEvent } from './leadership-messages.ts';
export { leadershipEvents } from './leadership-messages.ts';
export { leaseMachine } from './lease.ts';
export type { LeaseCommand, LeaseContext, LeaseEvent, LeaseView } from './lease-messages.ts';
export { leaseEvents } from './lease-messages.ts';
export type { RetrievalCommand, RetrievalContext, RetrievalEvent } from './retrieval.ts';
export { retrievalEvents, retrievalMachine } from './retrieval.ts';
export { allMachines } from './roster.ts';
export { strict, undeclared } from './strict.ts';
export type { ValidityCommand, ValidityContext, ValidityEvent } from './validity.ts';
export { validityEvents, validityMachine } from './validity.ts';
export * from './vocabulary.ts';
