import { describe, it } from 'vitest';
import { contractSuite } from '../../src/contract/index.ts';
import { MemoryBoard, memory } from '../../src/drivers/memory/index.ts';
import { Faults } from '../../src/simulation/faults.ts';
import { faultyBackend } from '../../src/simulation/faulty-backend.ts';
import { flowingClock } from './flowing-clock.ts';

const clock = flowingClock();

/** Without a fault it is the backend that it wraps; cut off, it keeps the promises for outages. */
contractSuite({
  name: 'faulty backend over memory',
  describe,
  it,
  clock,
  emptyStore() {
    const inner = memory({ board: new MemoryBoard() });
    const all: Faults[] = [];
    return {
      backend: {
        name: 'faulty',
        open(context) {
          // Each participant has a way of its own to the store.
          const faults = new Faults(clock);
          all.push(faults);
          return faultyBackend(inner, faults).open(context);
        },
      },
      interrupt() {
        for (const faults of all) faults.cutOff();
        return () => {
          for (const faults of all) faults.reconnect();
        };
      },
    };
  },
  capabilities: { protection: 'lease', survivesReopen: true, interrupt: true },
});

contractSuite({
  name: 'faulty backend that holds writes',
  describe,
  it,
  clock,
  emptyStore() {
    const inner = memory({ board: new MemoryBoard() });
    const all: Faults[] = [];
    const writes = ['lease.acquire', 'lease.renew', 'lease.release', 'container.write'] as const;
    return {
      backend: {
        name: 'faulty',
        open(context) {
          const faults = new Faults(clock);
          all.push(faults);
          return faultyBackend(inner, faults).open(context);
        },
      },
      interrupt() {
        for (const faults of all) for (const kind of writes) faults.set(kind, { kind: 'hold' });
        return () => {
          for (const faults of all) {
            faults.clear();
            faults.release();
          }
        };
      },
    };
  },
  capabilities: { protection: 'lease', survivesReopen: true, differences: true, interrupt: true },
});
