import { fork, spawn } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.ts';
import { formatRows, joinRows } from './row.ts';

const SELF = fileURLToPath(import.meta.url);

interface Section {
  /** So many processes measure it, one after the other: each compiles and lays out its heap anew. */
  readonly processes: number;
  readonly measure: () => Promise<readonly Row[]>;
}

const startWorker = (file: string) =>
  spawn(process.execPath, [SELF, 'worker', file], { stdio: ['pipe', 'pipe', 'inherit'] });

const SECTIONS: Readonly<Record<string, Section>> = {
  message: { processes: 3, measure: async () => (await import('./message.ts')).measureMessages() },
  'fan-out': { processes: 1, measure: async () => (await import('./fan-out.ts')).measureFanOut() },
  revoke: { processes: 1, measure: async () => (await import('./revoke.ts')).measureRevoke() },
  memory: { processes: 1, measure: async () => (await import('./idle-memory.ts')).measureIdleMemory() },
  explore: { processes: 1, measure: async () => (await import('./explore.ts')).measureExplorer() },
  simulator: { processes: 1, measure: async () => (await import('./simulator.ts')).measureSimulator() },
  'hand-over': { processes: 1, measure: async () => (await import('./hand-over.ts')).measureHandOver(startWorker) },
};

async function runSection(name: string): Promise<void> {
  const section = SECTIONS[name];
  if (section === undefined) throw new Error(`no section ${name}; there are ${Object.keys(SECTIONS).join(', ')}`);
  const rows = await section.measure();
  // What was opened on the memory backend ends with the process.
  process.send?.(rows, () => process.exit(0));
}

function measureInProcess(name: string): Promise<readonly Row[]> {
  return new Promise((resolve, reject) => {
    const child = fork(SELF, ['section', name], { execArgv: ['--expose-gc'] });
    child.once('message', (rows) => resolve(rows as readonly Row[]));
    child.once('exit', (code) => reject(new Error(`the section ${name} ended with ${code} and no figures`)));
  });
}

async function runAll(chosen: readonly string[]): Promise<void> {
  const unknown = chosen.filter((name) => SECTIONS[name] === undefined);
  if (unknown.length > 0) {
    console.error(`no section ${unknown.join(', ')}; there are ${Object.keys(SECTIONS).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  const began = process.hrtime.bigint();
  const [load = 0] = loadavg();
  const rows: Row[] = [];
  for (const [name, { processes }] of Object.entries(SECTIONS)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    if (process.stderr.isTTY) process.stderr.write(`measuring ${name} …\n`);
    const parts: (readonly Row[])[] = [];
    try {
      for (let at = 0; at < processes; at += 1) parts.push(await measureInProcess(name));
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
    rows.push(...joinRows(parts));
  }
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  console.log(formatRows(rows));
  const machine = `${cpus().length} cores, Node ${process.versions.node}, load ${load.toFixed(1)} before it began`;
  console.log(`\n${machine}; took ${seconds.toFixed(0)} s`);
}

const [order, argument = ''] = process.argv.slice(2);
if (order === 'section') await runSection(argument);
else if (order === 'worker') await (await import('./hand-over-worker.ts')).participate(argument);
else await runAll(process.argv.slice(2));
