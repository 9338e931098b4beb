import { MemoryBoard, memory } from '../src/drivers/memory/index.ts';
import { openTenure } from '../src/index.ts';
import type { Backend, OpenBackend } from '../src/ports/backend.ts';
import type { ContainerState } from '../src/ports/container.ts';
import type { LeaderSession, Leading, Tenure } from '../src/runtime/api.ts';

/** One participant that stands for many components of one election, on the memory backend. */
export interface Crowd {
  readonly tenure: Tenure;
  readonly leadings: readonly Leading[];
  /** The running sessions, by component. */
  readonly sessions: ReadonlyMap<string, LeaderSession>;
  /** Settles when every component leads and its entry has been written. */
  confirmed(): Promise<void>;
  /** Reports a change as the store's watch would. */
  observe(state: ContainerState): void;
}

export function componentName(at: number): string {
  return `component-${at}`;
}

export async function openCrowd(size: number, board: MemoryBoard = new MemoryBoard()): Promise<Crowd> {
  let observe: (state: ContainerState) => void = () => {};
  const backend = tapped(memory({ board }), (listener) => {
    observe = listener;
  });
  const fail = (detail: string): never => {
    throw new Error(detail);
  };
  const tenure = await openTenure({
    election: 'crowd',
    backend,
    onFinding: (finding) => fail(`${finding.code}: ${finding.detail}`),
  });
  const sessions = new Map<string, LeaderSession>();
  let confirmations = 0;
  let wake: () => void = () => {};
  const contender = async (session: LeaderSession): Promise<void> => {
    sessions.set(session.component, session);
    await session.confirm({ address: 'http://127.0.0.1:8080' });
    confirmations += 1;
    if (confirmations === size) wake();
    await new Promise<void>((resolve) => session.signal.addEventListener('abort', () => resolve(), { once: true }));
    confirmations -= 1;
    sessions.delete(session.component);
  };
  const leadings = Array.from({ length: size }, (_, at) => tenure.lead(componentName(at), contender));
  const confirmed = async (): Promise<void> => {
    while (confirmations < size) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { tenure, leadings, sessions, confirmed, observe: (state) => observe(state) };
}

/** The same backend; whoever watches the register is made known. */
function tapped(inner: Backend, onWatch: (listener: (state: ContainerState) => void) => void): Backend {
  return {
    name: inner.name,
    async open(context): Promise<OpenBackend> {
      const opened = await inner.open(context);
      const { place, protection, lease, register } = opened;
      return {
        place,
        protection,
        lease,
        close: () => opened.close(),
        register: {
          read: (options) => register.read(options),
          write: (write, options) => register.write(write, options),
          watch(listener) {
            onWatch(listener);
            return register.watch(listener);
          },
        },
      };
    },
  };
}
