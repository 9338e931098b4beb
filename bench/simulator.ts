import { runOnce } from '../src/simulation/simulator/run.ts';
import { scheduleOf } from '../src/simulation/simulator/simulate.ts';
import type { Row } from './row.ts';

const ROUNDS = 15;
/** Enough that each round has the same mix of worlds. */
const SEEDS = 100;
const WARM_UP = 60;

/**
 * How often leadership passes to another session, per second, in worlds as `tenure simulate` runs them: openings, recovery and
 * closing are in the time. Also by the time of the processor, which other processes on the machine disturb less.
 */
export async function measureSimulator(): Promise<readonly Row[]> {
  for (let seed = 1; seed <= WARM_UP; seed += 1) await runOnce(scheduleOf(seed));
  const rates: number[] = [];
  const cpuRates: number[] = [];
  const runs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const cpuBefore = process.cpuUsage();
    const began = process.hrtime.bigint();
    let failovers = 0;
    for (let seed = 1; seed <= SEEDS; seed += 1) failovers += (await runOnce(scheduleOf(seed))).failovers;
    const seconds = Number(process.hrtime.bigint() - began) / 1e9;
    const { user, system } = process.cpuUsage(cpuBefore);
    rates.push(failovers / seconds);
    cpuRates.push((failovers * 1e6) / (user + system));
    runs.push((seconds * 1e3) / SEEDS);
  }
  return [
    { what: 'simulated fail-overs, one core', unit: 'fail-overs/s', values: rates, atLeast: 300 },
    { what: '  per second of the processor', unit: 'fail-overs/s', values: cpuRates },
    { what: '  one run of one seed', unit: 'ms', values: runs },
  ];
}
