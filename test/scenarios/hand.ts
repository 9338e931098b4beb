import type { LeaderInformation } from '../../machines/vocabulary.ts';
import type { Fault } from '../../src/simulation/faults.ts';
import { callKinds, faultKinds } from '../../src/simulation/faults.ts';
import { type Command, durationOf, type Words } from './words.ts';
import type { World } from './world.ts';

const CALL = { timeoutMs: 1_000 };

/** What comes from outside: faults, an operator's hand in the store, messages that no real driver would send. */
export const hand: Readonly<Record<string, Command>> = {
  fault: {
    usage: `fault NAME CALL ${faultKinds.join('|')} [times=1] [after=3s]`,
    says: `strikes calls of one kind: ${callKinds.join(', ')}`,
    run: fault,
  },
  heal: {
    usage: 'heal NAME [CALL]',
    says: 'ends the faults of one kind of call, or all; held calls stay held',
    run: (world, { plain: [name = '', call] }) => world.participant(name).faults.clear(callOf(call)),
  },
  release: {
    usage: 'release NAME [CALL]',
    says: 'held calls reach the store now',
    run: (world, { plain: [name = '', call] }) => world.participant(name).faults.release(callOf(call)),
  },
  'cut-off': {
    usage: 'cut-off NAME',
    says: 'every call is refused, no news arrives',
    run: (world, { plain: [name = ''] }) => world.participant(name).faults.cutOff(),
  },
  reconnect: {
    usage: 'reconnect NAME',
    says: 'ends that',
    run: (world, { plain: [name = ''] }) => world.participant(name).faults.reconnect(),
  },
  sleep: {
    usage: 'sleep NAME',
    says: 'the machine sleeps: no timer runs, nothing gets in or out; never woken it has crashed',
    run(world, { plain: [name = ''] }) {
      const participant = world.participant(name);
      participant.clock.sleep();
      participant.faults.freeze();
      // Nothing works on a machine that sleeps, and nobody can tell it anything.
      for (const { component, sessions } of participant.contenders.values()) {
        for (const { id, signal } of sessions.values()) {
          if (signal.aborted) continue;
          participant.observe({ kind: 'contender.told-to-stop', component, sessionId: id });
        }
      }
    },
  },
  wake: {
    usage: 'wake NAME',
    says: 'ends that',
    run(world, { plain: [name = ''] }) {
      world.participant(name).clock.wake();
      world.participant(name).faults.thaw();
    },
  },
  'store-write': {
    usage: 'store-write COMPONENT session=ID token=N address=ADDRESS',
    says: 'somebody writes this entry, past all fences',
    run: (world, { plain: [component = ''], named }) =>
      writeByHand(world, (write) => write.puts.set(component, entryOf(world, named))),
  },
  'store-delete': {
    usage: 'store-delete COMPONENT',
    says: 'somebody deletes the entry',
    run: (world, { plain: [component = ''] }) =>
      writeByHand(world, (write, entries) => {
        const sessionId = entries.get(component)?.sessionId;
        if (sessionId !== undefined) write.withdrawals.set(component, sessionId);
      }),
  },
  'store-fence': {
    usage: 'store-fence session=ID token=N',
    says: 'a session that nobody here knows raises its fence',
    run: (world, { named }) =>
      writeByHand(world, (write) => {
        write.fence = { sessionId: named.session ?? '', fencingToken: BigInt(named.token ?? 0) };
      }),
  },
  'lease-steal': {
    usage: 'lease-steal HOLDER [for=15s]',
    says: 'somebody takes the lease, held or not',
    async run(world, { plain: [holder = ''], named }) {
      const reading = await world.lease.read(CALL);
      const expectedVersion = reading.outcome === 'found' ? reading.record.version : null;
      const durationMs = durationOf(named.for ?? '15s');
      const session = `session-of-${holder}`;
      await world.lease.write({ kind: 'acquire', expectedVersion, holder, sessionId: session, durationMs }, CALL);
    },
  },
  'lease-ask': {
    usage: 'lease-ask s1',
    says: 'somebody outside asks this session to step down, through the store',
    async run(world, { plain: [session = ''] }) {
      const reading = await world.lease.read(CALL);
      if (reading.outcome !== 'found') return;
      const { version: expectedVersion } = reading.record;
      const sessionId = world.text.sessionCalled(session);
      await world.lease.write({ kind: 'request-step-down', expectedVersion, sessionId }, CALL);
    },
  },
  'lease-delete': {
    usage: 'lease-delete',
    says: 'somebody deletes the lease',
    run: (world) => world.lease.remove(),
  },
  send: {
    usage: 'send NAME ADDRESS EVENT [session=… token=N version=N entry=none|SESSION@N@ADDRESS component=… reason=…]',
    says: 'a message from nowhere, straight to an actor',
    run: (world, { plain: [name = '', to = '', type = ''], named }) =>
      world.participant(name).send(to, messageOf(world, type, named)),
  },
};

function fault(world: World, { plain: [name = '', call, kind], named }: Words): void {
  const known = faultKinds.find((one) => one === kind);
  const at = callOf(call);
  if (known === undefined || at === undefined) throw new Error(`no such fault: ${call} ${kind}`);
  const struck: Fault = {
    kind: known,
    ...(named.times === undefined ? {} : { times: Number(named.times) }),
    ...(named.after === undefined ? {} : { delayMs: durationOf(named.after) }),
  };
  world.participant(name).faults.set(at, struck);
}

function callOf(word: string | undefined) {
  const known = callKinds.find((one) => one === word);
  if (word !== undefined && known === undefined) throw new Error(`no such call: ${word}`);
  return known;
}

type ByHand = {
  puts: Map<string, LeaderInformation>;
  withdrawals: Map<string, string>;
  fence: { sessionId: string; fencingToken: bigint };
};

/** A hand knows no fence: it writes under whatever fence is there. */
async function writeByHand(
  world: World,
  change: (write: ByHand, entries: ReadonlyMap<string, LeaderInformation | null>) => void,
): Promise<void> {
  const reading = await world.register.read(CALL);
  if (reading.outcome !== 'found') return;
  const { version: expectedVersion, fence, changed } = reading.state;
  const write = { puts: new Map(), withdrawals: new Map(), fence: fence ?? { sessionId: 'hand', fencingToken: 0n } };
  change(write, changed);
  await world.register.write({ expectedVersion, ...write }, CALL);
}

function entryOf(world: World, { session = '', token = '0', address = '' }: Words['named']): LeaderInformation {
  return { sessionId: world.text.sessionCalled(session), fencingToken: BigInt(token), address, metadata: {} };
}

function messageOf(world: World, type: string, named: Words['named']): { readonly type: string } {
  const id = named.session === undefined ? undefined : world.text.sessionCalled(named.session);
  const isGrant = type === 'granted' || type === 'lease.acquired';
  const entry = named.entry === undefined ? undefined : parseEntry(world, named.entry);
  const change =
    type === 'register.observed' ? { fence: null, changed: new Map([[named.component, entry]]) } : { entry };
  return {
    type,
    ...(id === undefined
      ? {}
      : isGrant
        ? { session: { id, fencingToken: BigInt(named.token ?? 0) } }
        : { sessionId: id }),
    ...(named.version === undefined ? {} : { version: BigInt(named.version) }),
    ...(named.attempt === undefined ? {} : { attempt: Number(named.attempt) }),
    ...(named.reason === undefined ? {} : { reason: named.reason }),
    ...(entry === undefined ? {} : change),
  } as { type: string };
}

function parseEntry(world: World, text: string): LeaderInformation | null {
  if (text === 'none') return null;
  const [session = '', token = '0', address = ''] = text.split('@');
  return entryOf(world, { session, token, address });
}
