import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import type { Backend } from '../../src/ports/backend.ts';
import type { TraceLine } from '../../src/ports/trace.ts';
import type { Finding, LeaderSession, Tenure, TenureOptions } from '../../src/runtime/api.ts';
import { openTenure } from '../../src/runtime/open-tenure.ts';
import { Faults } from '../../src/simulation/faults.ts';
import { faultyBackend } from '../../src/simulation/faulty-backend.ts';
import { SeededRandom } from '../../src/simulation/seeded-random.ts';
import { settle } from '../../src/simulation/settle.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';

/** One store and one clock for a test; participants are opened through the public face. */
export class Stage {
  readonly clock = new VirtualClock();
  readonly board = new MemoryBoard();
  readonly trace: TraceLine[] = [];
  readonly findings: Finding[] = [];
  readonly tenures: Tenure[] = [];
  /** Two participants with one seed would have one identity. */
  #seeds = 0;

  backend(faults: Faults = new Faults(this.clock)): Backend {
    return faultyBackend(memory({ board: this.board }), faults);
  }

  faults(): Faults {
    return new Faults(this.clock);
  }

  async open(options: Partial<TenureOptions> & { readonly faults?: Faults } = {}): Promise<Tenure> {
    const { faults, ...own } = options;
    const tenure = await openTenure({
      election: 'billing',
      backend: this.backend(faults),
      clock: this.clock,
      random: new SeededRandom(++this.#seeds),
      trace: { record: (line) => this.trace.push(line) },
      onFinding: (finding) => this.findings.push(finding),
      ...own,
    });
    this.tenures.push(tenure);
    return tenure;
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms, settle);
    await settle();
  }

  get register() {
    return this.board.election('billing', () => this.clock.isoNow()).register;
  }
  get lease() {
    return this.board.election('billing', () => this.clock.isoNow()).lease;
  }

  /** Component → address of what the register holds. */
  async entries(): Promise<Record<string, string>> {
    const reading = await this.register.read({ timeoutMs: 1 });
    if (reading.outcome !== 'found') return {};
    return Object.fromEntries(
      [...reading.state.changed].flatMap(([key, entry]) => (entry ? [[key, entry.address]] : [])),
    );
  }

  /** Somebody takes the lease, held or not. */
  async steal(durationMs = 2_000): Promise<void> {
    const reading = await this.lease.read({ timeoutMs: 1 });
    const expectedVersion = reading.outcome === 'found' ? reading.record.version : null;
    const write = { kind: 'acquire', expectedVersion, holder: 'thief', sessionId: 'thief', durationMs } as const;
    await this.lease.write(write, { timeoutMs: 1 });
    await settle();
  }

  /** Closes everybody; nothing may be left to do after that. Answers how many timers are. */
  async close(): Promise<number> {
    const closed = Promise.all(this.tenures.map((tenure) => tenure.close()));
    await this.advance(60_000);
    await closed;
    return this.clock.pending;
  }
}

/** A contender that works until it is told to stop, and keeps its sessions for the test to look at. */
export class Worker {
  readonly sessions: LeaderSession[] = [];
  readonly address: string | null;
  settled = 0;

  constructor(address: string | null = null) {
    this.address = address;
  }

  get session(): LeaderSession {
    const session = this.sessions.at(-1);
    if (session === undefined) throw new Error('not granted yet');
    return session;
  }

  readonly run = async (session: LeaderSession): Promise<void> => {
    this.sessions.push(session);
    if (this.address !== null) void session.confirm({ address: this.address });
    await aborted(session.signal);
    this.settled += 1;
  };
}

export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** How a promise has settled by now; `open` when it has not. */
export async function stateOf(promise: Promise<unknown>): Promise<string> {
  let state = 'open';
  promise.then(
    () => {
      state = 'done';
    },
    (error: { readonly code?: string }) => {
      state = `refused, ${error.code}`;
    },
  );
  await settle();
  return state;
}

export { settle };
