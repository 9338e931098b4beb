import { MemoryBoard } from '../src/drivers/memory/index.ts';
import type { Crowd } from './crowd.ts';
import { openCrowd } from './crowd.ts';
import { ratios } from './rounds.ts';
import type { Row } from './row.ts';

const SIZE = 10_000;
const ROUNDS = 3;
const NAME = SIZE.toLocaleString('en-US');
const CLOSED = { few: 200, many: 2_000 } as const;
const CLOSE_ROUNDS = 5;

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
  const grants: number[] = [];
  const times: Times[] = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (round > 0) await other.tenure.stepDown();
    const began = process.hrtime.bigint();
    await many.confirmed();
    if (round > 0) grants.push(sinceMs(began));
    const taken = await stepDown(many);
    if (round > 0) times.push(taken);
    await other.confirmed();
  }
  const told = times.map(({ toldMs }) => toldMs);
  const released = times.map(({ releasedMs }) => releasedMs);
  return [
    { what: `granting and confirming ${NAME} components`, unit: 'ms', values: grants },
    { what: `revoking ${NAME} components, until the last signal aborted`, unit: 'ms', values: told },
    { what: '  until all have settled and the lock is given back', unit: 'ms', values: released },
    ...(await measureClose()),
  ];
}

/** Closing withdraws each entry; what one component costs must not depend on how many there are. */
async function measureClose(): Promise<readonly Row[]> {
  const values = { few: [] as number[], many: [] as number[] };
  for (let round = 0; round <= CLOSE_ROUNDS; round += 1) {
    const took = { few: await closeMs(CLOSED.few), many: await closeMs(CLOSED.many) };
    if (round === 0) continue;
    values.few.push((took.few * 1e3) / CLOSED.few);
    values.many.push((took.many * 1e3) / CLOSED.many);
  }
  const what = (size: number) => `closing one of ${size.toLocaleString('en-US')} confirmed components`;
  return [
    { what: what(CLOSED.few), unit: 'µs', values: values.few },
    { what: what(CLOSED.many), unit: 'µs', values: values.many },
    { what: '  2,000 against 200', unit: '×', values: ratios(values.many, values.few), atMost: 1.5 },
  ];
}

async function closeMs(size: number): Promise<number> {
  const crowd = await openCrowd(size);
  await crowd.confirmed();
  const began = process.hrtime.bigint();
  await crowd.tenure.close();
  return sinceMs(began);
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
