/** Breadth-first search over everything that participants of the shipped machines can do to each other. */
export type { Coverage } from './coverage.ts';
export type { Scope } from './model.ts';
export { type Found, Search, type SearchOptions } from './search.ts';
export { type Told, type ToldDelivery, tell } from './tell.ts';
