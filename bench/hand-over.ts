import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Line } from './hand-over-worker.ts';
import type { Row } from './row.ts';

const PROCESSES = 3;
const ROUNDS = 40;
/** Long enough for a lease that has to run out: the round then counts, and is seen in the maximum. */
const LOST_MS = 30_000;

export type StartWorker = (file: string) => ChildProcess;

interface Round {
  readonly grantedMs: number;
  readonly confirmedMs: number;
  readonly seenMs: number;
}

/** Three processes on one SQLite file; the leader is asked to go, another one takes over, the third one follows. */
export async function measureHandOver(startWorker: StartWorker): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tenure-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'tenure.db');
  const stage = new Stage(Array.from({ length: PROCESSES }, () => startWorker(file)));
  try {
    await stage.ready();
    const asked = await rounds(stage, { ask: (leader) => leader.stdin?.write('step-down\n'), bringBack: () => {} });
    const ended = await rounds(stage, {
      ask: (leader) => leader.kill('SIGTERM'),
      bringBack: (leader) => leader.stdin?.write('join\n'),
    });
    return [...rowsOf('stepDown()', asked), ...rowsOf('SIGTERM', ended)];
  } finally {
    await stage.end();
  }
}

function rowsOf(how: string, measured: readonly Round[]): readonly Row[] {
  const granted = measured.map((round) => round.grantedMs);
  const seen = measured.map((round) => round.seenMs);
  return [
    { what: `SQLite hand-over, ${how} → next process granted`, unit: 'ms', values: granted, atMost: 25 },
    { what: `  p99, ${how}`, unit: 'ms', values: granted, show: 'p99', atMost: 60 },
    { what: `  granted → confirmed, ${how}`, unit: 'ms', values: measured.map((round) => round.confirmedMs) },
    { what: `  granted → entry seen by the third process, ${how}`, unit: 'ms', values: seen, atMost: 40 },
  ];
}

interface Orders {
  readonly ask: (leader: ChildProcess) => void;
  /** Once another one leads. */
  readonly bringBack: (former: ChildProcess) => void;
}

async function rounds(stage: Stage, orders: Orders): Promise<readonly Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) measured.push(await stage.handOver(orders));
  return measured;
}

interface Heard extends Line {
  readonly by: ChildProcess;
}

class Stage {
  readonly #workers: readonly ChildProcess[];
  #heard: Heard[] = [];
  /** The leader, once the first one is known. */
  #newest: Heard | null = null;
  #isEnding = false;
  #wake: () => void = () => {};

  constructor(workers: readonly ChildProcess[]) {
    this.#workers = workers;
    for (const by of workers) {
      if (by.stdout === null) throw new Error('a worker needs its output piped');
      by.once('exit', (code) => {
        if (!this.#isEnding) fail(`a worker ended with ${code}`);
      });
      createInterface({ input: by.stdout }).on('line', (text) => {
        this.#heard.push({ ...(JSON.parse(text) as Line), by });
        this.#wake();
      });
    }
  }

  /** One leads and all see it. */
  async ready(): Promise<void> {
    const leader = await this.#hear('a leader', (line) => line.what === 'confirmed');
    const sees = (by: ChildProcess) => (line: Heard) =>
      line.what === 'seen' && line.token === leader.token && line.by === by;
    for (const worker of this.#workers) await this.#hear('followers', sees(worker));
    this.#newest = leader;
  }

  async handOver({ ask, bringBack }: Orders): Promise<Round> {
    const old = this.#newest;
    if (old === null) throw new Error('nobody leads yet');
    this.#heard = [];
    const began = process.hrtime.bigint();
    ask(old.by);
    const granted = await this.#hear('a grant', (line) => line.what === 'granted');
    if (granted.by === old.by) throw new Error('the leader that was asked to go leads again');
    const isOf = (line: Heard) => line.token === granted.token;
    const confirmed = await this.#hear('a confirmation', (line) => line.what === 'confirmed' && isOf(line));
    const isThird = ({ by }: Heard) => by !== old.by && by !== granted.by;
    const seen = await this.#hear('the third', (line) => line.what === 'seen' && isOf(line) && isThird(line));
    bringBack(old.by);
    await this.#hear('the former leader', (line) => line.what === 'seen' && isOf(line) && line.by === old.by);
    this.#newest = granted;
    return {
      grantedMs: spanMs(began, granted),
      confirmedMs: spanMs(BigInt(granted.at), confirmed),
      seenMs: spanMs(BigInt(granted.at), seen),
    };
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    for (const worker of this.#workers) {
      const ended = worker.exitCode === null && worker.signalCode === null ? once(worker, 'exit') : null;
      worker.stdin?.end();
      await ended;
    }
  }

  /** The first line that matches, of those of this round. */
  async #hear(what: string, matches: (line: Heard) => boolean): Promise<Heard> {
    const lost = setTimeout(() => fail(`no line from ${what} for ${LOST_MS} ms`), LOST_MS);
    try {
      for (;;) {
        const found = this.#heard.find(matches);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(lost);
    }
  }
}

/** The workers end when this process has: their orders come through a pipe. */
function fail(detail: string): never {
  console.error(`hand-over: ${detail}`);
  process.exit(1);
}

function spanMs(began: bigint, { at }: Line): number {
  return Number(BigInt(at) - began) / 1e6;
}
