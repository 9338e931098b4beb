import { confirmingPlants } from './confirming.ts';
import { fencingPlants } from './fencing.ts';
import { leasingPlants } from './leasing.ts';
import { pendingPlants } from './pending.ts';
import type { Plant } from './plant.ts';
import { sessionPlants } from './sessions.ts';

export { type Plant, planted } from './plant.ts';

/** Every planted bug; each must be found, or the search has gone blind. */
export const plants: readonly Plant[] = [
  ...pendingPlants,
  ...confirmingPlants,
  ...sessionPlants,
  ...leasingPlants,
  ...fencingPlants,
];
