import { setup } from 'xstate';

/**
 * The lease as a store sees it: the oracle of the simulator, and the lock behind the memory backend. It knows no time.
 * A write names the version that it replaces; whether a lease may be taken over is for the contenders to know.
 */
export interface ArbiterRecord {
  readonly version: bigint;
  readonly holder: string;
  readonly sessionId: string;
  readonly fencingToken: bigint;
  readonly durationMs: number;
  readonly stepDownFor: string;
  readonly acquiredAt: string;
  readonly renewedAt: string;
}

export type ArbiterEvent =
  | {
      readonly type: 'acquire';
      readonly requestId: number;
      readonly expectedVersion: bigint | null;
      readonly holder: string;
      readonly sessionId: string;
      readonly durationMs: number;
      readonly at: string;
    }
  | {
      readonly type: 'renew';
      readonly requestId: number;
      readonly expectedVersion: bigint;
      readonly durationMs: number;
      readonly at: string;
    }
  | { readonly type: 'release'; readonly requestId: number; readonly expectedVersion: bigint }
  | {
      readonly type: 'request-step-down';
      readonly requestId: number;
      readonly expectedVersion: bigint;
      readonly sessionId: string;
    };

export type ArbiterCommand = {
  readonly type: 'committed' | 'conflict';
  readonly to: 'asker';
  readonly requestId: number;
  readonly record: ArbiterRecord | null;
};

export const arbiterEvents = [
  'acquire',
  'renew',
  'release',
  'request-step-down',
] as const satisfies readonly ArbiterEvent['type'][];

export interface ArbiterContext {
  readonly record: ArbiterRecord | null;
}

const arbiter = setup({
  types: { context: {} as ArbiterContext, events: {} as ArbiterEvent, emitted: {} as ArbiterCommand },
});

type Asked = { readonly expectedVersion: bigint | null };
const matches = ({ context, event }: { readonly context: ArbiterContext; readonly event: Asked }): boolean =>
  (context.record?.version ?? null) === event.expectedVersion;
const asksHolder = ({
  context,
  event,
}: {
  readonly context: ArbiterContext;
  readonly event: Asked & { readonly sessionId: string };
}): boolean => matches({ context, event }) && context.record?.sessionId === event.sessionId;

const apply = arbiter.assign(({ context, event }) => {
  const { record } = context;
  const version = (record?.version ?? 0n) + 1n;
  if (event.type === 'acquire') {
    const { holder, sessionId, durationMs, at } = event;
    const fencingToken = (record?.fencingToken ?? 0n) + 1n;
    return {
      record: { version, holder, sessionId, durationMs, fencingToken, stepDownFor: '', acquiredAt: at, renewedAt: at },
    };
  }
  if (record === null) return {};
  if (event.type === 'renew') {
    return { record: { ...record, version, durationMs: event.durationMs, renewedAt: event.at } };
  }
  if (event.type === 'release') return { record: { ...record, version, holder: '', sessionId: '', stepDownFor: '' } };
  return { record: { ...record, version, stepDownFor: event.sessionId } };
});

const tell = (type: 'committed' | 'conflict') =>
  arbiter.emit(({ context, event }) => ({ type, to: 'asker', requestId: event.requestId, record: context.record }));
const commit = [apply, tell('committed')] as const;
const refuse = { actions: [tell('conflict')] } as const;

export const arbiterMachine = arbiter.createMachine({
  id: 'arbiter',
  context: { record: null },
  options: { maxIterations: 100 },
  initial: 'vacant',
  states: {
    vacant: {
      on: {
        acquire: [{ guard: matches, target: 'held', actions: commit }, refuse],
        renew: refuse,
        release: refuse,
        'request-step-down': refuse,
      },
    },
    held: {
      on: {
        acquire: [{ guard: matches, actions: commit }, refuse],
        renew: [{ guard: matches, actions: commit }, refuse],
        release: [{ guard: matches, target: 'vacant', actions: commit }, refuse],
        'request-step-down': [{ guard: asksHolder, actions: commit }, refuse],
      },
    },
  },
});
