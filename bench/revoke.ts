import { MemoryBoard } from '../src/drivers/memory/index.ts';
import type { Crowd } from './crowd.ts';
import { openCrowd } from './crowd.ts';
import type { Row } from './row.ts';

const SIZE = 10_000;
const ROUNDS = 7;
const NAME = SIZE.toLocaleString('en-US');

interface Times {
  readonly toldMs: number;
  readonly releasedMs: number;
}

/**
 * Two participants hand one election back and forth; the one with 10,000 confirmed components is measured. `stepDown`
 * returns once each component has been revoked and each signal has aborted.
 */
export async function measureRevoke(): Promise<readonly Row[]> {
  const board = new MemoryBoard();
  const many = await openCrowd(SIZE, board);
  const other = await openCrowd(1, board);
  const told: number[] = [];
  const released: number[] = [];
  const grants: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = process.hrtime.bigint();
    if (round > 0) await other.tenure.stepDown();
    await many.confirmed();
    grants.push(sinceMs(began));
    const times = await stepDown(many);
    told.push(times.toldMs);
    released.push(times.releasedMs);
    await other.confirmed();
  }
  await Promise.all([many.tenure.close(), other.tenure.close()]);
  return [
    { what: `granting and confirming ${NAME} components`, unit: 'ms', values: grants.slice(1) },
    { what: `revoking ${NAME} components, until the last signal aborted`, unit: 'ms', values: told.slice(1) },
    { what: '  until all have settled and the lock is given back', unit: 'ms', values: released.slice(1) },
  ];
}

async function stepDown({ tenure, sessions }: Crowd): Promise<Times> {
  const running = [...sessions.values()];
  const began = process.hrtime.bigint();
  const released = tenure.stepDown();
  const toldMs = sinceMs(began);
  if (!running.every((session) => session.signal.aborted)) throw new Error('a session was not told to stop');
  await released;
  return { toldMs, releasedMs: sinceMs(began) };
}

function sinceMs(began: bigint): number {
  return Number(process.hrtime.bigint() - began) / 1e6;
}
