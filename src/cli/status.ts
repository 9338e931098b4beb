import { DEFAULT_TIMING } from '../runtime/timing.ts';
import { chooseBackend } from './backends/choose.ts';
import { openForReading, readLease, readRegister } from './backends/reading.ts';
import { type Command, EXIT, type Invocation } from './command.ts';
import { electionOf } from './settings/tenure-options.ts';
import { statusLines } from './status/lines.ts';
import { statusReport } from './status/report.ts';

export const status: Command = {
  name: 'status',
  sentence: 'Show who leads an election, where its components are, and what is wrong with it.',
  usage: 'tenure status --election NAME [OPTIONS]',
  examples: [
    ['who leads', 'tenure status --election nightly'],
    ['in a script: does anybody lead?', 'tenure status --election nightly --quiet && echo yes'],
    [
      'address of one component',
      'tenure status --election api --json | jq -r \'.components[] | select(.component == "main").address\'',
    ],
  ],
  settings: ['election', 'backend', 'file', 'kubeconfig', 'context', 'namespace', 'callTimeout'],
  exitCodes: [
    ['0', 'somebody leads'],
    ['1', 'nobody leads, bad input, or a file that cannot be used'],
    ['2', 'not known: the backend is out of reach or its file does not exist'],
  ],
  run: runStatus,
};

async function runStatus({ settings, output, world }: Invocation): Promise<number> {
  const election = electionOf(settings);
  const choice = chooseBackend(settings, election, false);
  settings.settle();
  const timeoutMs = settings.ms('callTimeout') ?? DEFAULT_TIMING.callTimeoutMs;
  const open = await openForReading(choice, election, world);
  try {
    const lease = await readLease(open, timeoutMs);
    const register = await readRegister(open, timeoutMs);
    const { place, protection } = open;
    const nowIso = world.clock.isoNow();
    const report = statusReport({ election, backend: choice.name, place, protection, lease, register, nowIso });
    output.document(report);
    for (const line of statusLines(report, output.paint, output.screen)) output.answer(line);
    return report.standing === 'held' ? EXIT.yes : EXIT.no;
  } finally {
    await open.close();
  }
}
