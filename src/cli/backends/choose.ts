import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type KubernetesOptions, violationsOf } from '../../drivers/kubernetes/options.ts';
import { TenureError } from '../../errors.ts';
import type { Backend } from '../../ports/backend.ts';
import type { Settings } from '../settings/settings.ts';
import { visible } from '../text/visible.ts';

export type BackendName = 'sqlite' | 'kubernetes' | 'single-master' | 'memory';

export interface BackendChoice {
  readonly name: BackendName;
  readonly file: string;
  readonly consent: boolean;
  /** With kubernetes only. */
  readonly cluster?: KubernetesOptions;
}

const MEMORY = 'memory lives inside one process, so a command of its own can share nothing with it; use sqlite';

/** What `--backend`, `--file` and the consent say together. `runs`: whether the command takes part in the election. */
export function chooseBackend(settings: Settings, election: string, runs: boolean): BackendChoice {
  const name = (settings.text('backend') ?? 'sqlite') as BackendName;
  const consent = settings.on('iKnowOnlyOneRuns');
  if (name === 'memory') settings.complain('backend', MEMORY);
  if (name === 'single-master' && runs && !consent && !settings.isBad('iKnowOnlyOneRuns')) {
    const rule = 'single-master needs it: nothing there stops a second process from leading too';
    settings.complain('iKnowOnlyOneRuns', rule);
  }
  const fallback = name === 'single-master' ? `.tenure/${election}.json` : '.tenure/tenure.db';
  const file = settings.text('file') ?? fallback;
  if (file === '' || file.includes('\0')) settings.complain('file', 'must be the path of a file');
  return name === 'kubernetes' ? { name, file, consent, cluster: clusterOf(settings) } : { name, file, consent };
}

/** The flags that kubectl has too, under the same names. */
function clusterOf(settings: Settings): KubernetesOptions {
  const names = ['kubeconfig', 'context', 'namespace'] as const;
  const given = names.flatMap((name) => {
    const value = settings.text(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const cluster: KubernetesOptions = Object.fromEntries(given);
  for (const { field, rule } of violationsOf(cluster)) settings.complain(field as (typeof names)[number], rule);
  return cluster;
}

/** A backend's client library loads only when it was chosen. */
export async function loadBackend(choice: BackendChoice): Promise<Backend> {
  if (choice.name === 'single-master') {
    const { singleMaster } = await import('../../drivers/single-master/index.ts');
    return singleMaster({ iKnowOnlyOneRuns: true, publish: choice.file });
  }
  if (choice.name === 'kubernetes') {
    const { kubernetes } = await import('../../drivers/kubernetes/index.ts');
    return kubernetes(choice.cluster);
  }
  const { sqlite } = await import('../../drivers/sqlite/index.ts');
  return sqlite({ file: choice.file });
}

/** Looking must not create what it looks for: a mistyped path would then always answer "nobody leads". */
export function assertFileExists(choice: BackendChoice, cwd: string): void {
  if (choice.name === 'kubernetes') return;
  if (existsSync(resolve(cwd, choice.file))) return;
  throw new TenureError(
    'backend-unavailable',
    `${visible(choice.file)} does not exist, so nothing is known of this election`,
    {
      next: 'Nothing was created. Check --file and the working directory, or start a participant first.',
    },
  );
}
