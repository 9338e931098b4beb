import { systemClock } from '../drivers/system/clock.ts';
import { systemRandom } from '../drivers/system/random.ts';
import { InvalidOptionsError, type Violation } from '../errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { CAPABILITY_NAMES, type Capabilities, missing } from './capabilities.ts';
import { chapters } from './laws/index.ts';
import { type ProofOptions, proveLaw } from './prove.ts';
import type { StoreUnderTest } from './store.ts';

type Register = (name: string, body: () => void) => unknown;
type Case = (name: string, body: () => Promise<void>) => unknown;

export interface ContractOptions {
  /** Name of the backend, for the titles. */
  readonly name: string;
  /** Of the test runner, such as `node:test` or vitest; it registers at once what its body registers. */
  readonly describe: Register;
  /** Of the test runner; `it.skip` registers a case that is shown and not run. */
  readonly it: Case & { readonly skip: Case };
  /** Makes an empty store. Called once for each law. */
  readonly emptyStore: () => StoreUnderTest | Promise<StoreUnderTest>;
  /** Laws that need more are skipped, with the reason in their title. */
  readonly capabilities: Capabilities;
  /** Handed to the backend, and measures the bounds. Default: the system's. */
  readonly clock?: Clock;
  /** Handed to the backend. Default: the system's. */
  readonly random?: Random;
  /** Milliseconds within which everything that one law waits for must have come, above 0. Default 4 000. */
  readonly boundMs?: number;
  /** How many entries come and go where the law says "very many", 10 to 1 000 000. Default 2 000. */
  readonly manyEntries?: number;
}

/**
 * Registers one case for each promise of the ports with the given runner. The whole file of a new backend's author:
 * call it once. A broken law fails with an AssertionError that names the law, the port's rule, what was looked at, what
 * was expected and what was received.
 * @throws InvalidOptionsError, before anything is registered.
 */
export function contractSuite(options: ContractOptions): void {
  const violations = violationsOf(options);
  if (violations.length > 0) throw new InvalidOptionsError(violations);
  const { name, describe, it, emptyStore, capabilities } = options;
  const proof: ProofOptions = {
    emptyStore,
    capabilities,
    clock: options.clock ?? systemClock(),
    random: options.random ?? systemRandom(),
    boundMs: options.boundMs ?? 4_000,
    manyEntries: options.manyEntries ?? 2_000,
  };
  for (const { title, laws } of chapters) {
    describe(`${name}: ${title}`, () => {
      for (const law of laws) {
        const reason = missing(law.needs, capabilities);
        if (reason === null) it(law.name, () => proveLaw(law, proof));
        // Skipped because the backend does not promise it; the title says so.
        else it.skip(`${law.name} (skipped: ${reason})`, async () => {});
      }
    });
  }
}

function violationsOf(options: ContractOptions): Violation[] {
  const { name, describe, it, emptyStore, boundMs, manyEntries } = options;
  const capabilities: unknown = options.capabilities;
  const violations: Violation[] = [];
  const check = (isRight: boolean, field: string, received: unknown, rule: string): void => {
    if (!isRight) violations.push({ field, received, rule });
  };
  check(typeof name === 'string' && name !== '', 'name', name, 'must be the name of the backend');
  check(typeof describe === 'function', 'describe', describe, 'must be the describe of a test runner');
  // Without `it.skip`, a law that cannot be tried would vanish instead of being shown.
  const hasSkip = typeof it === 'function' && typeof it.skip === 'function';
  check(hasSkip, 'it', it, 'must be the it of a test runner, with it.skip');
  check(typeof emptyStore === 'function', 'emptyStore', emptyStore, 'must be a function that makes an empty store');
  const isBound = boundMs === undefined || (Number.isFinite(boundMs) && boundMs > 0 && boundMs < 2 ** 31);
  check(isBound, 'boundMs', boundMs, 'must be a number of milliseconds above 0 and below 2^31');
  const isCount =
    manyEntries === undefined || (Number.isInteger(manyEntries) && manyEntries >= 10 && manyEntries <= 1e6);
  check(isCount, 'manyEntries', manyEntries, 'must be a whole number, 10 to 1 000 000');
  return [...violations, ...capabilityViolations(capabilities)];
}

function capabilityViolations(value: unknown): Violation[] {
  const field = 'capabilities';
  if (typeof value !== 'object' || value === null) return [{ field, received: value, rule: 'must be an object' }];
  return [
    ...Object.entries(value).flatMap(([name, received]): Violation[] => {
      const at = `${field}.${name}`;
      if (!CAPABILITY_NAMES.includes(name)) {
        return [{ field: at, received, rule: `is not one of ${CAPABILITY_NAMES.join(', ')}` }];
      }
      if (name === 'protection' || typeof received === 'boolean' || received === undefined) return [];
      return [{ field: at, received, rule: 'must be true or false' }];
    }),
    ...protectionViolations('protection' in value ? value.protection : undefined),
  ];
}

function protectionViolations(received: unknown): Violation[] {
  if (received === 'lease' || received === 'none') return [];
  return [{ field: 'capabilities.protection', received, rule: "must be 'lease' or 'none', as the backend says it" }];
}
