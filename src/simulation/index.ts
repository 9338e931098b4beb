/** For testing your own leader code: time, randomness and faults under your control. Published as `tenure/testing`. */
export { type CallKind, type Fault, type FaultKind, Faults } from './faults.ts';
export { faultyBackend, type StoreObserver } from './faulty-backend.ts';
export { MachineClock } from './machine-clock.ts';
export { SeededRandom } from './seeded-random.ts';
export { settle } from './settle.ts';
export { VirtualClock } from './virtual-clock.ts';
