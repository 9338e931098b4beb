import { describe, it } from 'vitest';
import { contractSuite } from '../../src/contract/index.ts';
import { MachineClock } from '../../src/simulation/machine-clock.ts';
import { SeededRandom } from '../../src/simulation/seeded-random.ts';
import { SimulatedBackend } from '../../src/simulation/simulator/backend.ts';
import { type Cut, Link } from '../../src/simulation/simulator/link.ts';
import type { RevisionStyle } from '../../src/simulation/simulator/revisions.ts';
import { Server } from '../../src/simulation/simulator/server.ts';
import { flowingClock } from './flowing-clock.ts';

const world = flowingClock();

/** One server, and for each participant a way to it of its own, at latencies that are drawn. */
function simulated(style: RevisionStyle, cut: Cut) {
  const server = new Server(style);
  const latencies = new SeededRandom(1);
  const links: Link[] = [];
  return {
    backend: {
      name: 'simulated',
      open(context: Parameters<SimulatedBackend['open']>[0]) {
        const clock = new MachineClock(world);
        const link = new Link({ world, clock, server, latencyMs: () => 1 + latencies.next('latency') * 9 });
        links.push(link);
        return new SimulatedBackend({ link }).open(context);
      },
    },
    interrupt() {
      for (const link of links) link.cutOff(cut);
      return () => {
        for (const link of links) link.heal();
      };
    },
  };
}

/** The simulation is worth something only if its store keeps the promises of the real ones. */
for (const [title, style, cut] of [
  ['own revisions, requests are lost', 'own', { way: 'to', holds: false }],
  ['shared revisions, requests arrive late', 'shared', { way: 'both', holds: true }],
  ['own revisions, answers are lost', 'own', { way: 'from', holds: false }],
] as const) {
  contractSuite({
    name: `simulated, ${title}`,
    describe,
    it,
    clock: world,
    random: new SeededRandom(2),
    emptyStore: () => simulated(style, cut),
    capabilities: { protection: 'lease', survivesReopen: true, differences: true, interrupt: true },
  });
}
