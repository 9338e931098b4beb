import type { Backend, OpenBackend } from '../ports/backend.ts';
import type {
  Container,
  ContainerReading,
  ContainerState,
  ContainerWrite,
  ContainerWriteResult,
} from '../ports/container.ts';
import type { CallOptions, LeaseReading, LeaseStore, LeaseWrite, LeaseWriteResult } from '../ports/lease-store.ts';
import type { Answers, CallKind, Faults } from './faults.ts';

/** What really happened at the store, whatever the participant heard of it. */
export interface StoreObserver {
  readonly leaseWritten?: (write: LeaseWrite, result: LeaseWriteResult) => void;
  readonly containerWriteLeaves?: (write: ContainerWrite) => void;
  /** With the whole container as it was right before and right after. */
  readonly containerWritten?: (
    write: ContainerWrite,
    states: { readonly before: ContainerState; readonly after: ContainerState },
  ) => void;
}

const DETAIL = 'a fault of the simulation';
const readAnswers: Answers<{ readonly outcome: 'failed'; readonly detail: string }> = {
  refused: () => ({ outcome: 'failed', detail: DETAIL }),
  unknown: () => ({ outcome: 'failed', detail: DETAIL }),
};
const leaseAnswers: Answers<LeaseWriteResult> = {
  refused: () => ({ outcome: 'refused', detail: DETAIL }),
  unknown: () => ({ outcome: 'unknown', detail: DETAIL }),
};
const containerAnswers: Answers<ContainerWriteResult> = {
  refused: (reason) => ({ outcome: 'refused', reason, detail: DETAIL }),
  unknown: () => ({ outcome: 'unknown', detail: DETAIL }),
};

/** The same backend with faults between this participant and the store. */
export function faultyBackend(inner: Backend, faults: Faults, observer: StoreObserver = {}): Backend {
  return {
    name: inner.name,
    async open(context) {
      const opened = await inner.open(context);
      return {
        ...opened,
        lease: faultyLease(opened.lease, faults, observer),
        register: faultyContainer(opened.register, faults, observer),
        async close() {
          faults.close();
          await opened.close();
        },
      } satisfies OpenBackend;
    },
  };
}

function faultyLease(inner: LeaseStore, faults: Faults, { leaseWritten }: StoreObserver): LeaseStore {
  return {
    read: (options) => faults.call<LeaseReading>('lease.read', options, () => inner.read(options), readAnswers),
    write: (write, options) =>
      faults.call<LeaseWriteResult>(
        `lease.${write.kind}` satisfies CallKind,
        options,
        async () => {
          const result = await inner.write(write, options);
          leaseWritten?.(write, result);
          return result;
        },
        leaseAnswers,
      ),
    watch: (listener) => faultyWatch(faults, (deliver) => inner.watch(deliver), listener),
  };
}

function faultyContainer(inner: Container, faults: Faults, observer: StoreObserver): Container {
  const { containerWriteLeaves, containerWritten } = observer;
  const apply = async (write: ContainerWrite, options: CallOptions): Promise<ContainerWriteResult> => {
    if (containerWritten === undefined) return inner.write(write, options);
    const before = await inner.read(options);
    const result = await inner.write(write, options);
    const after = await inner.read(options);
    if (before.outcome === 'found' && after.outcome === 'found' && result.outcome === 'committed') {
      containerWritten(write, { before: before.state, after: after.state });
    }
    return result;
  };
  return {
    read: (options) => faults.call<ContainerReading>('container.read', options, () => inner.read(options), readAnswers),
    write: (write, options) => {
      containerWriteLeaves?.(write);
      return faults.call('container.write', options, () => apply(write, options), containerAnswers);
    },
    watch: (listener) => faultyWatch(faults, (deliver) => inner.watch(deliver), listener),
  };
}

/** Cut off, news is lost and comes anew in full on reconnection; frozen, it waits. */
function faultyWatch<T>(
  faults: Faults,
  watch: (deliver: (news: T) => void) => () => void,
  listener: (news: T) => void,
): () => void {
  const waiting: T[] = [];
  const deliver = (news: T): void => {
    if (faults.isCut) return;
    if (faults.isFrozen) waiting.push(news);
    else listener(news);
  };
  let stop = watch(deliver);
  const goOn = (how: 'anew' | 'go-on'): void => {
    for (let news = waiting.shift(); news !== undefined; news = waiting.shift()) deliver(news);
    if (how === 'go-on') return;
    stop();
    stop = watch(deliver);
  };
  faults.onNews.push(goOn);
  return () => {
    stop();
    faults.onNews = faults.onNews.filter((one) => one !== goOn);
  };
}
