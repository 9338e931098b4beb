import { createInterface } from 'node:readline';
import { sqlite } from '../src/drivers/sqlite/index.ts';
import { openTenure } from '../src/index.ts';
import type { LeaderSession, Tenure } from '../src/runtime/api.ts';

export const ELECTION = 'bench';
export const COMPONENT = 'restserver';

/** One line of a worker's output. `at` is on the machine-wide scale of `process.hrtime`. */
export interface Line {
  readonly what: 'granted' | 'confirmed' | 'seen';
  readonly token: string;
  readonly at: string;
}

/** SIGTERM closes its tenure, as a service would; instead of ending it waits for `join`, so that a round costs no start. */
export async function participate(file: string): Promise<void> {
  let tenure = await join(file);
  let left: Promise<void> = Promise.resolve();
  const leave = (): void => {
    left = tenure.close();
  };
  process.on('SIGTERM', leave);
  const orders = createInterface({ input: process.stdin });
  orders.on('line', async (order) => {
    if (order === 'step-down') void tenure.stepDown();
    if (order !== 'join') return;
    await left;
    tenure = await join(file);
  });
  // The bench has ended, or died.
  orders.once('close', async () => {
    await tenure.close();
    process.exit(0);
  });
}

async function join(file: string): Promise<Tenure> {
  const tenure = await openTenure({ election: ELECTION, backend: sqlite({ file }) });
  tenure.follow(COMPONENT).subscribe((leader) => {
    if (leader !== null) say('seen', leader.fencingToken);
  });
  tenure.lead(COMPONENT, lead);
  return tenure;
}

async function lead(session: LeaderSession): Promise<void> {
  say('granted', session.fencingToken);
  await session.confirm({ address: `http://127.0.0.1:${process.pid}` });
  say('confirmed', session.fencingToken);
  await new Promise<void>((resolve) => session.signal.addEventListener('abort', () => resolve(), { once: true }));
}

function say(what: Line['what'], token: bigint): void {
  const line: Line = { what, token: `${token}`, at: `${process.hrtime.bigint()}` };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
