/** Something that can be done `count` times in a row. */
export type Side = (count: number) => void;

const WARM_UP_MS = 400;
const ROUND_MS = 15;

function nanoseconds(side: Side, count: number): number {
  const began = process.hrtime.bigint();
  side(count);
  return Number(process.hrtime.bigint() - began);
}

/** How often `side` runs within one round; warms it up by finding out. */
function calibrate(side: Side): number {
  let count = 1;
  const until = process.hrtime.bigint() + BigInt(WARM_UP_MS * 1e6);
  let took = nanoseconds(side, count);
  while (process.hrtime.bigint() < until) {
    if (took < ROUND_MS * 1e6) count *= 2;
    took = nanoseconds(side, count);
  }
  return Math.max(1, Math.round((count * ROUND_MS * 1e6) / took));
}

/**
 * Nanoseconds per run of each side, one value per round. The sides take turns inside a round, in an order that turns
 * round each time, so that a busy moment of the machine falls on all of them.
 */
export function interleave<K extends string>(sides: Readonly<Record<K, Side>>, rounds: number): Record<K, number[]> {
  const names = Object.keys(sides) as K[];
  const counts = Math.min(...names.map((name) => calibrate(sides[name])));
  const values = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    const order = round % 2 === 0 ? names : [...names].reverse();
    for (const name of order) values[name].push(nanoseconds(sides[name], counts) / counts);
  }
  return values;
}

/** Round by round, so that both sides of a ratio saw the same machine. */
export function ratios(above: readonly number[], below: readonly number[]): number[] {
  return above.map((value, round) => value / (below[round] ?? Number.NaN));
}
