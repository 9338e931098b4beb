/** For testing your own leader code: time, randomness and faults under your control. Published as `tenure/testing`. */
export { type CallKind, type Fault, type FaultKind, Faults } from './faults.ts';
export { faultyBackend, type StoreObserver } from './faulty-backend.ts';
export * from './harness/index.ts';
export { MachineClock } from './machine-clock.ts';
export { SeededRandom } from './seeded-random.ts';
export { settle } from './settle.ts';
export { HAPPENINGS, type Happening } from './simulator/actions.ts';
export type { SimulatedContender, SimulatedPlace } from './simulator/contender.ts';
export {
  type SimulateOptions,
  type SimulationFailure,
  type SimulationProgress,
  type SimulationReport,
  simulate,
} from './simulator/simulate.ts';
export { VirtualClock } from './virtual-clock.ts';
