import type { Backend, BackendFinding } from '../ports/backend.ts';
import type { Tenure, TenureOptions } from './api.ts';
import { defaultName, systemClock, systemRandom } from './defaults.ts';
import { Engine } from './engine.ts';
import { TenureHandle } from './tenure.ts';
import { validateOptions } from './validate-options.ts';

/**
 * Opens one participant of an election. Nothing is contended for before the first `lead`, nothing is watched before the
 * first `lead` or `follow`. While it is open it keeps the process alive; `close()` lets it end.
 *
 * @throws InvalidOptionsError with every violation at once; nothing was started.
 * @throws TenureError from the backend (`store-unusable`, `store-read-only`, `driver-missing`, `backend-unavailable`,
 *   `consent-missing`); nothing is left open.
 */
export async function openTenure(options: TenureOptions): Promise<Tenure> {
  return (await assemble(options)).tenure;
}

/** The same, with the engine behind the public face: for who looks at every delivery from inside. */
export async function assemble(options: TenureOptions): Promise<{ readonly tenure: Tenure; readonly engine: Engine }> {
  const timing = validateOptions(options);
  options.signal?.throwIfAborted();
  const clock = options.clock ?? systemClock();
  const random = options.random ?? systemRandom();
  const identity = `${options.name ?? defaultName()}-${random.uuid()}`;
  const chosen = await loadBackend(options.backend);
  const onFinding = ({ code, detail }: BackendFinding): void =>
    engine?.tell({ code, component: null, sessionId: null, detail, error: null });
  let engine: Engine | null = null;
  const backend = await chosen.open({ election: options.election, identity, clock, random, onFinding });
  engine = new Engine({ options, timing, identity, backend, clock, random });
  const tenure = new TenureHandle(engine);
  if (options.signal?.aborted === true) {
    await tenure.close();
    options.signal.throwIfAborted();
  }
  options.signal?.addEventListener('abort', () => void tenure.close(), { once: true });
  return { tenure, engine };
}

/** Backends that are named by a word are loaded only then: no client library is imported before it is asked for. */
async function loadBackend(backend: TenureOptions['backend']): Promise<Backend> {
  if (backend === 'sqlite') return (await import('../drivers/sqlite/index.ts')).sqlite();
  if (backend === 'memory') return (await import('../drivers/memory/index.ts')).memory();
  return backend;
}
