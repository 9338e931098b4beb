import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestedContender } from '../../src/simulation/index.ts';

/** Contenders of many kinds. Their timers are those of the globals that a test fakes. */

const ADDRESS = { address: 'http://127.0.0.1:8080' };
const EVERY_MS = 1_000;

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

interface FakedGlobals {
  setInterval(run: () => void, ms: number): unknown;
  clearInterval(timer: unknown): void;
  setTimeout(run: () => void, ms: number): unknown;
}

/** Taken from the globals by name, at the call: they are faked while a world lasts. */
const globals = (): FakedGlobals => globalThis as unknown as FakedGlobals;
const every = (run: () => void): unknown => globals().setInterval(run, EVERY_MS);
const endInterval = (timer: unknown): void => globals().clearInterval(timer);
const pass = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    globals().setTimeout(resolve, ms);
  });

const plain: TestedContender = async (session, work) => {
  await session.confirm(ADDRESS);
  const timer = every(() => work());
  await stopped(session.signal);
  endInterval(timer);
};

/** Contenders that keep every rule, each in its own way. */
export const good: Readonly<Record<string, TestedContender>> = {
  'confirms, works, stops': plain,
  'does not wait for its confirmation, and ends when it is refused': async (session) => {
    const refused = new Promise<void>((resolve) => {
      session.confirm(ADDRESS).catch(() => resolve());
    });
    await Promise.race([refused, stopped(session.signal)]);
  },
  'throws the reason of its signal when it is told to stop': async (session) => {
    await session.confirm(ADDRESS);
    await stopped(session.signal);
    session.signal.throwIfAborted();
  },
  'asserts before each piece of work': async (session, work) => {
    await session.confirm(ADDRESS);
    const told = stopped(session.signal);
    for (;;) {
      session.assertCurrent();
      work();
      await Promise.race([pass(EVERY_MS), told]);
    }
  },
  'needs five seconds to get ready': async (session) => {
    await Promise.race([pass(5_000), stopped(session.signal)]);
    if (session.signal.aborted) return;
    await session.confirm(ADDRESS);
    await stopped(session.signal);
  },
  'needs two seconds to stop': async (session) => {
    await session.confirm(ADDRESS);
    await stopped(session.signal);
    await pass(2_000);
  },
  'tries another address when the first is rejected': async (session) => {
    for (const address of ['http://a-name-that-is-far-too-long', 'http://short', 'http://s']) {
      const isDone = await session.confirm({ address }).then(
        () => true,
        () => session.signal.aborted,
      );
      if (isDone) break;
    }
    await stopped(session.signal);
  },
  'returns when its confirmation is rejected': async (session) => {
    const isConfirmed = await session.confirm(ADDRESS).then(
      () => true,
      () => false,
    );
    if (isConfirmed) await stopped(session.signal);
  },
  'moves to another address after three seconds': async (session) => {
    await session.confirm(ADDRESS);
    await Promise.race([pass(3_000), stopped(session.signal)]);
    if (!session.signal.aborted) await session.confirm({ address: 'http://127.0.0.1:8081' });
    await stopped(session.signal);
  },
  'confirms once more when the backend is back': async (session) => {
    await session.confirm(ADDRESS);
    const stopListening = session.onSuspension((suspended) => {
      if (!suspended) session.confirm(ADDRESS).catch(() => {});
    });
    await stopped(session.signal);
    stopListening();
  },
  'listens on a real port': async (session) => {
    const server = createServer((_, response) => response.end('ok'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = server.address() as AddressInfo;
      if (!session.signal.aborted) await session.confirm({ address: `http://127.0.0.1:${port}` });
      await stopped(session.signal);
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  },
};

/** Each breaks the rule that it is called by, made anew for each world. */
export const bad: Readonly<Record<string, () => TestedContender>> = {
  confirms: () => async (session) => stopped(session.signal),
  'confirms-an-address': () => async (session) => {
    await session.confirm({ address: '' });
  },
  'confirms-once': () => async (session) => {
    await session.confirm(ADDRESS);
    const timer = every(() => void session.confirm(ADDRESS).catch(() => {}));
    await stopped(session.signal);
    endInterval(timer);
  },
  'confirms-current-session-only': () => async (session) => {
    await session.confirm(ADDRESS).catch(() => {});
    await stopped(session.signal);
    await session.confirm({ address: 'http://gone' }).catch(() => {});
  },
  'handles-rejected-confirm': () => async (session) => {
    await session.confirm(ADDRESS).catch(() => {});
    await stopped(session.signal);
  },
  'leads-until-told': () => async (session) => {
    await session.confirm(ADDRESS);
  },
  'does-not-throw': () => async (session) => {
    await session.confirm(ADDRESS);
    await pass(2_000);
    throw new Error('no connection to the database');
  },
  'stops-when-revoked': () => async (session) => {
    await session.confirm(ADDRESS);
    await new Promise(() => {});
  },
  'stops-without-throwing': () => async (session) => {
    await session.confirm(ADDRESS);
    await stopped(session.signal);
    throw new Error('the job was not finished');
  },
  'settles-on-close': () => async (session) => {
    await session.confirm(ADDRESS);
    await stopped(session.signal);
    if (String(session.signal.reason).includes('being closed')) await new Promise(() => {});
  },
  'no-work-after-stop': () => async (session, work) => {
    await session.confirm(ADDRESS);
    const timer = every(() => work('a job'));
    await stopped(session.signal);
    await pass(3_000);
    endInterval(timer);
  },
  'one-session-at-a-time': () => async (session, work) => {
    await session.confirm(ADDRESS);
    every(() => work('a job'));
    await stopped(session.signal);
  },
  'leads-again': () => {
    let isListening = false;
    return async (session) => {
      if (!isListening) await session.confirm(ADDRESS);
      isListening = true;
      await stopped(session.signal);
    };
  },
  'leaves-no-timer': () => async (session) => {
    every(() => {});
    await session.confirm(ADDRESS);
    await stopped(session.signal);
  },
  'listeners-do-not-throw': () => async (session) => {
    session.onSuspension(() => {
      throw new Error('a bug in a callback');
    });
    await session.confirm(ADDRESS);
    await stopped(session.signal);
  },
};
