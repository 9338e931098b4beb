import type { ContainerState } from '../../../src/ports/container.ts';
import { type Broken, gap, onRegister, showingStates, stateOf } from './broken.ts';

/** How many deletions the forgetful backend remembers. */
const KEPT = 100;

export const registerReadingFaults: readonly Broken[] = [
  onRegister(
    'a reading without a version gives the whole map',
    'gives what changed since the last reading',
    () => (real) => {
      let since = 0n;
      return {
        read: async (options) => {
          const reading = await real.read({ since, ...options });
          if (reading.outcome === 'found') since = reading.state.version;
          return reading;
        },
      };
    },
  ),
  onRegister(
    'a reading since a version is enough to follow, deletions too',
    'leaves deletions out',
    () => (real) =>
      showingStates(real, (state) => ({
        ...state,
        changed: new Map([...state.changed].filter(([, entry]) => entry !== null)),
      })),
  ),
  onRegister('a reading since a version brings only what changed', 'always reads everything', () => (real) => ({
    read: ({ timeoutMs, keys }) => real.read(keys === undefined ? { timeoutMs } : { timeoutMs, keys }),
  })),
  onRegister('a version that never was is answered with the whole map', 'finds nothing newer', () => (real) => ({
    read: async (options) => {
      const { version, fence } = await stateOf(real);
      const isAhead = options.since !== undefined && options.since > version;
      const nothing = { version, fence, full: false, changed: new Map() };
      return isAhead ? { outcome: 'found', state: nothing } : real.read(options);
    },
  })),
  onRegister('single keys can be read', 'pays no heed to the keys', () => (real) => ({
    read: ({ timeoutMs, since }) => real.read(since === undefined ? { timeoutMs } : { timeoutMs, since }),
  })),
  onRegister(
    'single keys can be read since a version',
    'forgets the version when keys are asked for',
    () => (real) => ({
      read: async ({ timeoutMs, since, keys }) => {
        if (keys === undefined || since === undefined) return real.read({ timeoutMs, ...(keys ? { keys } : {}) });
        const reading = await real.read({ timeoutMs, keys });
        return reading.outcome === 'found' ? { outcome: 'found', state: { ...reading.state, full: false } } : reading;
      },
    }),
  ),
  onRegister(
    'readers from any version stay right while very many entries come and go',
    'forgets old deletions and does not say so',
    () => (real) =>
      showingStates(real, (state) => {
        if (state.full) return state;
        const deletions = [...state.changed].filter(([, entry]) => entry === null).map(([key]) => key);
        const forgotten = new Set(deletions.slice(0, -KEPT));
        return { ...state, changed: new Map([...state.changed].filter(([key]) => !forgotten.has(key))) };
      }),
  ),
  onRegister('a reading says which version it is of', 'reads entries and version one after the other', () => (real) => {
    let before: ContainerState | null = null;
    return {
      read: async (options) => {
        const reading = await real.read(options);
        if (reading.outcome !== 'found') return reading;
        const { changed } = before ?? reading.state;
        before = reading.state;
        return { outcome: 'found', state: { ...reading.state, changed } };
      },
    };
  }),
];

export const registerWatchingFaults: readonly Broken[] = [
  onRegister('a watch first reports the full state, an empty one too', 'begins with a difference', () => (real) => ({
    watch: (listener) => real.watch((state) => listener({ ...state, full: false })),
  })),
  onRegister(
    'a watch first reports the full state, an empty one too',
    'keeps silent while it is empty',
    () => (real) => ({
      watch: (listener) => real.watch((state) => void (state.version === 0n || listener(state))),
    }),
  ),
  onRegister('a watch reports what its own handle and others write', 'hears only its own handle', () => (real) => {
    const own = new Set([0n]);
    return {
      write: async (write, call) => {
        own.add(write.expectedVersion + 1n);
        return real.write(write, call);
      },
      watch: (listener) => real.watch((state) => own.has(state.version) && listener(state)),
    };
  }),
  onRegister('a watch brings only what changed', 'reports the whole map every time', () => (real) => ({
    watch: (listener) => {
      let isOn = true;
      const stop = real.watch(() => void stateOf(real).then((state) => isOn && listener(state)));
      return () => {
        isOn = false;
        stop();
      };
    },
  })),
  onRegister('a watch reports touches: a new fence has to reach followers', 'leaves touches out', () => (real) => ({
    watch: (listener) => real.watch((state) => void (!state.full && state.changed.size === 0 ? null : listener(state))),
  })),
  onRegister(
    'watches come in version order and add up to the stored map while two participants write',
    'repeats the change before the newest',
    () => (real) => ({
      watch: (listener) => {
        let before: ContainerState | null = null;
        return real.watch((state) => {
          if (before !== null && before.version % 7n === 0n) {
            listener(state);
            listener(before);
          }
          listener(state);
          before = state;
        });
      },
    }),
  ),
  onRegister(
    'watches come in version order and add up to the stored map while two participants write',
    'loses a change now and then',
    () => (real) => ({
      watch: (listener) => real.watch((state) => void (state.version % 13n === 0n || listener(state))),
    }),
  ),
  onRegister('a watch of the register that was stopped is silent', 'cannot be stopped', () => (real) => ({
    watch: (listener) => {
      real.watch(listener);
      return () => {};
    },
  })),
  onRegister('a listener may stop its own watch of the register and others', 'stops a turn too late', () => (real) => ({
    watch: (listener) => {
      const stop = real.watch(listener);
      return () => void gap().then(stop);
    },
  })),
];
