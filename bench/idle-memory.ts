import { MemoryBoard, memory } from '../src/drivers/memory/index.ts';
import { openTenure } from '../src/index.ts';
import type { Tenure } from '../src/runtime/api.ts';
import { componentName } from './crowd.ts';
import type { Row } from './row.ts';

const SIZES = [1_000, 10_000] as const;

type Verb = (tenure: Tenure, component: string) => unknown;

const VERBS: Readonly<Record<string, Verb>> = {
  lead: (tenure, component) => tenure.lead(component, () => {}),
  follow: (tenure, component) => tenure.follow(component),
};

/** Heap that is left after a full collection, per component that only waits: standing by, or following nobody yet. */
export async function measureIdleMemory(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [name, verb] of Object.entries(VERBS)) {
    for (const size of SIZES) {
      const what = `heap of one idle \`${name}\` among ${size.toLocaleString('en-US')}`;
      rows.push({ what, unit: 'bytes', values: [await bytesEach(size, verb)] });
    }
  }
  return rows;
}

async function bytesEach(size: number, verb: Verb): Promise<number> {
  const board = new MemoryBoard();
  const holder = await openTenure({ election: 'idle', backend: memory({ board }) });
  await new Promise<void>((resolve) => {
    holder.lead('holder', (session) => {
      resolve();
      return new Promise<void>((settle) => session.signal.addEventListener('abort', () => settle(), { once: true }));
    });
  });
  const tenure = await openTenure({ election: 'idle', backend: memory({ board }) });
  const before = await heapAtRest();
  const kept = Array.from({ length: size }, (_, at) => verb(tenure, componentName(at)));
  const after = await heapAtRest();
  if (kept.length !== size) throw new Error('nothing was kept');
  await tenure.close();
  await holder.close();
  return (after - before) / size;
}

async function heapAtRest(): Promise<number> {
  if (gc === undefined) throw new Error('run node with --expose-gc');
  // Finalizers of one collection make garbage for the next.
  for (let round = 0; round < 3; round += 1) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}
