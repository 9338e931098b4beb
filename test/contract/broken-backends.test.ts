import { describe, expect, it } from 'vitest';
import { chapters } from '../../src/contract/laws/index.ts';
import { proveLaw } from '../../src/contract/prove.ts';
import { SeededRandom } from '../../src/simulation/seeded-random.ts';
import type { Broken } from './broken/broken.ts';
import { handleFaults } from './broken/handle-faults.ts';
import { leaseLockingFaults, leaseWatchingFaults, leaseWritingFaults } from './broken/lease-faults.ts';
import { foreignFaults, limitFaults, openFaults, outageFaults } from './broken/outage-faults.ts';
import { registerFenceFaults, registerWritingFaults } from './broken/register-faults.ts';
import { registerReadingFaults, registerWatchingFaults } from './broken/register-view-faults.ts';
import { flowingClock } from './flowing-clock.ts';

const ALL: readonly Broken[] = [
  ...leaseWritingFaults,
  ...leaseLockingFaults,
  ...leaseWatchingFaults,
  ...registerWritingFaults,
  ...registerFenceFaults,
  ...registerReadingFaults,
  ...registerWatchingFaults,
  ...handleFaults,
  ...outageFaults,
  ...limitFaults,
  ...foreignFaults,
  ...openFaults,
];

const laws = chapters.flatMap((chapter) => chapter.laws);

function messageOf({ caughtBy, emptyStore, capabilities }: Broken): Promise<string> {
  const law = laws.find(({ name }) => name === caughtBy);
  if (law === undefined) throw new Error(`there is no law "${caughtBy}"`);
  const times = { clock: flowingClock(), random: new SeededRandom(1), boundMs: 4_000, manyEntries: 2_000 };
  return proveLaw(law, { emptyStore, capabilities, ...times }).then(
    () => 'the law holds',
    (error: Error) => error.message,
  );
}

/** The test of the suite itself: a law that no broken backend can break proves nothing. */
describe('a backend that', () => {
  it.each(ALL.map((broken) => [broken.fault, broken.caughtBy, broken] as const))(
    '%s is caught by "%s"',
    async (_fault, caughtBy, broken) => {
      const message = await messageOf(broken);
      const { rule } = laws.find(({ name }) => name === caughtBy) ?? { rule: '' };
      expect(message).toContain(`broken law: ${caughtBy}\n  rule: ${rule}\n`);
      expect(message).toMatch(
        /\n {2}(?:looked at: .+\n {2}expected: [\s\S]+\n {2}received: |failed: (?:waited|closed already))/,
      );
    },
  );

  it('breaks each law is in the table above', () => {
    const caught = new Set(ALL.map(({ caughtBy }) => caughtBy));
    expect(laws.map(({ name }) => name).filter((name) => !caught.has(name))).toEqual([]);
  });

  it('has a name of its own for every law', () => {
    const names = laws.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});
