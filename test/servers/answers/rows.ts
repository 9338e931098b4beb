import { configMapRows } from './config-map-rows.ts';
import { leaseRows } from './lease-rows.ts';
import type { Row } from './row.ts';
import { accessRows, watchRows } from './watch-rows.ts';

/** What the real API server answers; whatever stands in for it has to answer the same. */
export const ROWS: readonly Row[] = [...leaseRows, ...configMapRows, ...watchRows, ...accessRows];
