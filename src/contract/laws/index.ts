import type { Chapter } from '../law.ts';
import { handles } from './handles.ts';
import { leaseLocking } from './lease-locking.ts';
import { leaseWatching } from './lease-watching.ts';
import { leaseWriting } from './lease-writing.ts';
import { outages } from './outages.ts';
import { registerFence } from './register-fence.ts';
import { registerReading } from './register-reading.ts';
import { registerWatching } from './register-watching.ts';
import { registerWriting } from './register-writing.ts';

/** Everything that a backend promises. */
export const chapters: readonly Chapter[] = [
  leaseWriting,
  leaseLocking,
  leaseWatching,
  registerWriting,
  registerFence,
  registerReading,
  registerWatching,
  handles,
  outages,
];
