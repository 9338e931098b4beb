import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { Fleet } from './fleet.ts';

const ROUNDS = 20;
const fleet = new Fleet();
afterAll(() => fleet.close());

/** Lets the leader of each round do some work, then ends it, in turn gracefully and by force, and puts a new participant in its place. */
async function playRounds(): Promise<void> {
  for (const name of ['w0', 'w1', 'w2']) fleet.worker(name, true);
  let from = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const leader = await fleet.until((s) => s.event === 'worked', from);
    from = fleet.said.indexOf(leader) + 1;
    fleet.kill(leader.name ?? '', round % 3 === 2 ? 'SIGKILL' : 'SIGTERM');
    fleet.worker(`w${round + 3}`, true);
  }
  await fleet.until((s) => s.event === 'worked', from);
}

describe('twenty rounds of fail-over between real processes', () => {
  it('no two holders of one token, tokens only grow, no work after the first line of a newer token', {
    timeout: 120_000,
  }, async () => {
    await playRounds();
    const granted = fleet.said.filter((s) => s.event === 'granted');
    const byTime = granted.toSorted((a, b) => (BigInt(a.at) < BigInt(b.at) ? -1 : 1)).map((s) => Number(s.token));
    expect(new Set(byTime).size).toBe(byTime.length);
    expect(byTime).toEqual(byTime.toSorted((a, b) => a - b));
    expect(byTime.length).toBeGreaterThanOrEqual(ROUNDS + 1);

    const lines = readFileSync(fleet.log, 'utf8').trimEnd().split('\n');
    const tokens = lines.map((line) => Number(line.split(' ')[0]));
    expect(tokens).toEqual(tokens.toSorted((a, b) => a - b));
    const holders = new Map<number, Set<string>>();
    for (const line of lines) {
      const [token = '', pid = ''] = line.split(' ');
      holders.set(Number(token), (holders.get(Number(token)) ?? new Set()).add(pid));
    }
    expect([...holders.values()].every((pids) => pids.size === 1)).toBe(true);
    expect(holders.size).toBeGreaterThanOrEqual(ROUNDS);
  });
});
