import type { Command, World } from '../../src/cli/command.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line inside this process, on a terminal that only remembers. */
export async function invoke(
  args: readonly string[],
  commands: readonly Command[],
  world: Partial<World> & { readonly isTTY?: boolean } = {},
): Promise<Said> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    isTTY: world.isTTY ?? false,
    columns: 100,
    write: (text: string) => {
      written[name] += text;
    },
  });
  const nothing: Pick<World, 'clock' | 'random' | 'signals'> = {
    clock: {
      nowMs: () => 0,
      deadlineNowMs: () => 0,
      isoNow: () => '2026-11-29T03:12:18.222Z',
      setTimer: () => () => {},
    },
    random: { uuid: () => '00000000-0000-4000-8000-000000000000', next: () => 0 },
    signals: { on: () => () => {} },
  };
  const code = await runCommandLine(args, commands, {
    ...nothing,
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env: {},
    cwd: '.',
    host: 'host',
    ...world,
  });
  return { code, ...written };
}
