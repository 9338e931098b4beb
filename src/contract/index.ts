/** What a backend must do, as a suite for the test runner of your choice. Published as `tenure/contract`. */
export type { Capabilities } from './capabilities.ts';
export type { StoreUnderTest } from './store.ts';
export { type ContractOptions, contractSuite } from './suite.ts';
