import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Scope, Search } from '../src/simulation/explorer/index.ts';
import { ratios } from './rounds.ts';
import type { Row } from './row.ts';

const SELF = fileURLToPath(import.meta.url);
const MODEL = fileURLToPath(new URL('../../bench/spin/tenure.pml', import.meta.url));

interface Measured {
  readonly scope: Scope;
  /** Where the explorer is meant to be ahead; elsewhere the figures only tell how far it is behind. */
  readonly isTarget: boolean;
}

/**
 * Many worlds for each state of a participant, which is what a search over interned participants is made for; and few,
 * where most of its time goes into stepping the shipped machines, which the hand-written model does not have.
 */
const MEASURED: readonly Measured[] = [
  { scope: { participants: 3, components: 1, sessions: 3, faults: 2 }, isTarget: true },
  { scope: { participants: 2, components: 2, sessions: 3, faults: 2 }, isTarget: false },
];
const ROUNDS = 3;
/** No further round is begun that would end later than so many seconds after the first began. */
const ENOUGH_S = 25;

/** SPIN at its best: `spin/README.md` compares the ways in which it can search. */
const COMPILE = ['-O2', '-w', '-DSAFETY', '-DNOREDUCE', '-DNOBOUNDCHECK', '-DMEMLIM=8000'] as const;
const SEARCH = ['-E', '-m10000', '-w25'] as const;

interface Searched {
  readonly visited: number;
  /** What a search without symmetries, as SPIN's, has to visit one by one: worlds that differ in names are distinct. */
  readonly distinct: number;
  /** Processor time, so that a busy neighbour costs neither side anything. */
  readonly seconds: number;
  /** Of the whole process. */
  readonly bytes: number;
}

/** The explorer beside SPIN on the same scopes: one core each, a fresh process each, taking turns. */
export async function measureExplorer(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const measured of MEASURED) {
    const directory = mkdtempSync(join(tmpdir(), 'tenure-spin-'));
    try {
      rows.push(...measure(measured, compileSpin(directory, measured.scope)));
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  return rows;
}

function measure({ scope, isTarget }: Measured, pan: string | null): Row[] {
  const rounds: { explorer: Searched; spin: Searched | null }[] = [];
  const began = process.hrtime.bigint();
  for (let soFar = 0; rounds.length < ROUNDS; ) {
    rounds.push({ explorer: searchByExplorer(scope), spin: pan === null ? null : searchBySpin(pan) });
    soFar = Number(process.hrtime.bigint() - began) / 1e9;
    if (soFar + soFar / rounds.length > ENOUGH_S) break;
  }
  const explorer = rounds.map((round) => round.explorer);
  const spin = rounds.flatMap((round) => round.spin ?? []);
  if (pan === null) return [...rowsOf(scope, 'explorer', explorer), missing()];
  const ratio = {
    what: `${nameOf(scope)}, explorer's distinct states/s against SPIN's`,
    unit: '×',
    values: ratios(explorer.map(speed), spin.map(speed)),
    ...(isTarget ? { atLeast: 1 } : {}),
  } as const;
  return [...rowsOf(scope, 'explorer', explorer), ...rowsOf(scope, 'SPIN', spin), ratio];
}

const speed = ({ distinct, seconds }: Searched): number => distinct / seconds;
const nameOf = (scope: Scope): string => Object.values(scope).join(' × ');
const number = (value: number): string => value.toLocaleString('en-US');

function rowsOf(scope: Scope, who: string, searched: readonly Searched[]): Row[] {
  const { visited, distinct } = searched[0] as Searched;
  const stands = visited === distinct ? '' : ` (${number(visited)} visited)`;
  const name = `${nameOf(scope)}, ${who}`;
  return [
    { what: `${name}: ${number(distinct)} distinct states${stands}`, unit: 'states/s', values: searched.map(speed) },
    { what: `${name}, until all are known`, unit: 's', values: searched.map(({ seconds }) => seconds) },
    {
      what: `${name}, memory of the process per state visited`,
      unit: 'bytes',
      values: searched.map((one) => one.bytes / one.visited),
    },
  ];
}

function missing(): Row {
  const what = 'SPIN is not installed: apt-get install spin gcc';
  console.error(`${what}; the explorer is measured alone`);
  return { what, unit: 'states/s', values: [0] };
}

/** The program that SPIN makes of the model; `null` without SPIN or a compiler. */
function compileSpin(directory: string, scope: Scope): string | null {
  if ([spawnSync('spin', ['-V']), spawnSync('gcc', ['--version'])].some(({ error }) => error !== undefined))
    return null;
  const words = Object.entries(scope).map(([name, count]) => `-D${name.toUpperCase()}=${count}`);
  done('spin', ['-a', ...words, MODEL], directory);
  done('gcc', [...COMPILE, '-o', 'pan', 'pan.c'], directory);
  return join(directory, 'pan');
}

function searchBySpin(pan: string): Searched {
  // The shell's `times` counts the processor time of its children.
  const output = done('sh', ['-c', `${[...onOneCore(), pan, ...SEARCH].join(' ')}; times`], join(pan, '..'));
  const found = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? Number.NaN);
  const isWhole = !/max search depth too small|out of memory|Search not completed/.test(output);
  if (found(/errors: (\d+)/) !== 0 || !isWhole) throw new Error(`SPIN has not verified the model:\n${output}`);
  const [children = ''] = /(?:\d+m[\d.]+s ?){2}\s*$/.exec(output) ?? [];
  const times = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, rest]) => Number(minutes) * 60 + Number(rest),
  );
  const states = found(/(\d+) states, stored/);
  const bytes = found(/([\d.]+)\s+(?:total actual memory usage|memory usage \(Mbyte\))/) * 2 ** 20;
  return { visited: states, distinct: states, seconds: times.reduce((sum, one) => sum + one, 0), bytes };
}

function searchByExplorer(scope: Scope): Searched {
  const [command = '', ...args] = [...onOneCore(), process.execPath, SELF, JSON.stringify(scope)];
  return JSON.parse(done(command, args, tmpdir())) as Searched;
}

function onOneCore(): readonly string[] {
  const canBind = spawnSync('taskset', ['--version']).error === undefined;
  return canBind ? ['taskset', '-c', String(cpus().length - 1)] : [];
}

function done(command: string, args: readonly string[], cwd: string): string {
  const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw error ?? new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
}

/** One search in a process of its own, warming up included. */
function searchOnce(scope: Scope): Searched {
  const before = process.cpuUsage();
  const search = new Search({ scope, maxStates: 50_000_000 }).run();
  const { user, system } = process.cpuUsage(before);
  const { isComplete, found, states } = search;
  if (!isComplete || found !== null)
    throw new Error(`the explorer has not verified the machines: ${JSON.stringify(found)}`);
  const bytes = process.resourceUsage().maxRSS * 1024;
  return { visited: states, distinct: search.covered(), seconds: (user + system) / 1e6, bytes };
}

if (process.argv[1] === SELF) console.log(JSON.stringify(searchOnce(JSON.parse(process.argv[2] ?? '') as Scope)));
