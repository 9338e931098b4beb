// @ts-check

/**
 * The same with a bug that is easily made: nothing is wrong as long as nobody takes the leadership away. When its
 * confirmation is refused, or its signal aborts while it waits for the confirmation, the timer goes on for ever.
 *
 * @param {import('tenure').LeaderSession} session
 * @param {(what?: string) => void} [work] whatever only a leader may do; in a test, its fake
 */
export async function contender(session, work = () => {}) {
  const timer = setInterval(() => work('sending invoices'), 1_000);
  await session.confirm({ address: 'http://127.0.0.1:8080' });
  await stopped(session.signal);
  clearInterval(timer);
}

/** @param {AbortSignal} signal */
function stopped(signal) {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', resolve, { once: true });
  });
}
